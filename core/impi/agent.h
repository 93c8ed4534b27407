// SPDX-License-Identifier: BSD-3-Clause
// The streams between this process and the hosts of the other systems: Agent.
#pragma once
//
// Contract. One stream per foreign host carries the packets of all pairs of processes. The Agent
// keeps the protocol's account per pair (ackmark, hiwater): a pair without credit waits by itself
// and holds up nobody else, acknowledgements leave at once, and streams are always read.
//
// Threads. submit(), send_body_after(), withdraw(), take() and finish() are the engine's, one
// thread at a time. The engine or the Agent's own thread, as it comes, reads and writes the
// streams, under the mutex: while the program computes, the thread acknowledges, stores what
// arrives and sends what can be sent; while the engine polls, the thread sleeps. take() alone hands
// out arrived messages. on_loss runs on either thread.
//
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <unordered_map>
#include <vector>

#include "core/impi/roster.h"
#include "core/impi/stream.h"
#include "impi/wire/trace_writer.h"

namespace tessera::impi {

// A packet that has arrived; data_sync, data, answers and cancel requests.
struct ReceivedPacket {
  Packet packet;
  std::uint32_t source = 0;  // world rank
  Bytes data;
  bool in_place = false;  // the data lies where receive_into() said
};

// One or several packets of one message, to one process.
struct Outgoing {
  Packet packet;                          // the first header; lengths are filled in
  const std::byte* data = nullptr;        // of the whole message
  std::shared_ptr<const Bytes> keeper{};  // owns data, or null
  std::uint64_t begin = 0;                // what of the message goes
  std::uint64_t end = 0;
  std::uint64_t request = 0;  // reported when all has been handed to the system; 0: nobody asks
};

struct AgentEvents {
  std::vector<ReceivedPacket> packets;
  std::vector<std::uint64_t> handed;  // requests of Outgoing that have left
  bool empty() const noexcept { return packets.empty() && handed.empty(); }
  void clear() noexcept { packets.clear(), handed.clear(); }
};

class HostAcceptor;

class Agent final : private DataPlaces {
 public:
  using OnLoss = std::function<void(std::uint32_t client, const std::string& why)>;
  Agent(const Roster& roster, std::uint32_t my_rank, OnLoss on_loss);
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  // Connects to all lower hosts and accepts all higher ones; takes over the listener.
  Status connect(int listener, int patience_s);
  Status start();
  // Before connect(): what the streams carry goes to this file too.
  Status trace(const std::string& path);

  int descriptor() const noexcept { return epoll_; }   // readable: a stream needs service
  int doorbell() const noexcept { return doorbell_; }  // readable: the thread has left something

  void submit(std::uint32_t to, Outgoing item);
  // Leaves when the answer to `item.request` has come that the message was matched.
  void send_body_after(std::uint32_t to, Outgoing item);
  // The message has not left, and will not; false: it has.
  bool withdraw(std::uint32_t to, std::uint64_t request);
  void drop_body(std::uint64_t request);

  // The rest of the message that `source` sends to this request goes straight to `rest`, which
  // holds until all of it has arrived.
  void receive_into(std::uint64_t request, std::uint32_t source, std::span<std::byte> rest);
  // On the Agent's own account of its streams: whether a system has gone, which then is lost,
  // within so many milliseconds. For who is called by on_ready of watch_server().
  bool lost_one_within(int milliseconds);
  // The system of this process has broken the protocol: it is lost.
  void break_off(std::uint32_t rank, const std::string& why);
  // Serves the streams if nobody else does, and hands out what has arrived; the number of events.
  int take(AgentEvents& events);
  // For whoever watches one more descriptor with the streams; read when it is ready.
  Status watch_server(int descriptor, std::function<void()> on_ready);

  bool idle();  // all that was submitted has left
  // Tells the other hosts that nothing more will come; they may still send.
  void send_fini();
  bool all_finished();  // all others have said so too

 private:
  // The account of one other process, with what waits for it.
  struct Pair {
    std::deque<Outgoing> queue;
    std::deque<Packet> answers;  // before the queue
    std::uint32_t acks_due = 0;
    std::uint32_t sent = 0;
    std::uint32_t received = 0;
    bool queued = false;  // in the list of its stream
    bool idle() const noexcept { return queue.empty() && answers.empty() && acks_due == 0; }
  };
  struct Body {
    std::uint32_t to;
    Outgoing item;
  };
  struct Place {
    std::uint32_t source;
    std::span<std::byte> rest;
  };

  Stream* stream_to(std::uint32_t rank) noexcept;
  Status connect_lower(std::uint32_t host, int patience_s);
  Status accept_higher(HostAcceptor& acceptor, int patience_s);
  Status adopt(int socket, std::uint32_t host);
  void enqueue(std::uint32_t rank);
  void flush(Stream& stream);
  bool emit(Stream& stream, std::uint32_t rank);
  bool emit_next(Stream& stream, Pair& pair, Outgoing& item);
  bool may_send(const Pair& pair) const noexcept { return pair.sent < roster_.terms.hiwater; }
  int serve(int most);
  void read(Stream& stream);
  bool read_some(Stream& stream);
  void arrived(Stream& stream, const Packet& packet);
  Place* place_of(const Stream& stream, const Packet& packet) noexcept;
  std::span<std::byte> place_for(const Packet& packet) noexcept override;
  bool settle(Stream& stream, const Packet& packet);
  void count(std::uint32_t rank);
  void matched(std::uint32_t rank, const Packet& packet);
  void lost(Stream& stream, const std::string& why);
  void want(Stream& stream);
  Status write(Stream& stream, const Packet& packet, ByteView data, bool more = false) noexcept;
  void run() noexcept;
  bool wait_for_streams() const noexcept;
  bool wait_a_while() const noexcept;

  const Roster& roster_;
  std::uint32_t me_;
  OnLoss on_loss_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Stream>> streams_;  // by host; null for those of our own system
  std::vector<Pair> pairs_;                       // by world rank
  std::unordered_map<std::uint64_t, Body> bodies_;
  std::map<std::uint64_t, Place> places_;  // by request
  const Stream* reading_ = nullptr;
  AgentEvents events_;
  std::vector<std::byte> scratch_;
  TraceWriter trace_;
  std::function<void()> on_server_;
  int epoll_ = -1;
  int doorbell_ = -1;
  int stop_ = -1;
  std::atomic<std::uint64_t> polls_{0};
  std::atomic<bool> rung_{false};
  std::thread thread_;
};

}  // namespace tessera::impi
