// SPDX-License-Identifier: BSD-3-Clause
// The server of a job: sockets, time, and what is said to the user.
#pragma once
//
// Contract. One thread, one poll loop. open() listens; run() serves until all clients have said
// FINI (Ending::finished) or the job cannot go on (Ending::failed), then all connections are
// closed. Connections that do not authenticate themselves, send nonsense, or claim a rank they
// cannot have are closed with a line and change nothing; a client that is lost after it joined ends
// the job. stop() may be called at any time, from signal handlers, too: what it writes to is closed
// by the destructor alone. Bounded: kMostStrangers connections without a rank (the oldest gives
// way), kMostOutput bytes for a client that does not read.
//
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "impi/server/connection.h"
#include "impi/wire/address.h"

namespace tessera::impi {

struct ServerOptions {
  std::uint32_t clients = 1;
  std::string address;     // to listen at and to print; empty: all of IPv4, printed is the first
  std::uint16_t port = 0;  // 0: any
  double startup_s = 0;    // until DONE was sent to all; 0: no limit
  double authentication_s = 10;
  Admission admission;
  std::string trace;                                                        // file; empty: none
  std::function<void(const std::string&)> say = [](const std::string&) {};  // a line for the user
};

enum class Ending : std::uint8_t { finished, failed, stopped };

class Server {
 public:
  static constexpr std::size_t kMostStrangers = 64;
  static constexpr std::size_t kMostOutput = 64U << 20;

  explicit Server(ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  Checked open();
  std::string address() const { return printed_; }  // "10.0.0.1:5000"
  Ending run();
  void stop() noexcept;  // from any thread and from signal handlers

 private:
  using Clock = std::chrono::steady_clock;
  struct Client {
    int socket = -1;
    Connection connection;
    Clock::time_point opened;
    std::deque<std::shared_ptr<const Bytes>> output;
    std::size_t sent = 0;  // of the first entry
    std::size_t waiting = 0;
    bool gone = false;  // the socket ended
    bool announced = false;
    std::string why;
  };

  void turn();
  int poll_limit_ms() const;
  void accept_all();
  void make_room();
  void read_from(Client& client);
  void write_to(Client& client);
  void send(Client& client, std::shared_ptr<const Bytes> bytes);
  void announce(Client& client);
  void broadcast();
  void sweep();
  void judge(Client& client);
  void check_time();
  void fail(const std::string& text);
  void close_all() noexcept;

  ServerOptions options_;
  Rendezvous job_;
  TraceWriter trace_;
  int listener_ = -1;
  int wake_[2] = {-1, -1};
  std::string printed_;
  std::vector<std::unique_ptr<Client>> clients_;
  Clock::time_point begun_;
  bool size_sent_ = false;
  bool failed_ = false;
  bool stopped_ = false;
};

}  // namespace tessera::impi
