// SPDX-License-Identifier: BSD-3-Clause
// Processes of a job as objects of one thread, each with its own btl/tcp module.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "components/btl/tcp/module.h"
#include "components/btl/tcp/socket.h"
#include "tests/contract/fakes.h"

namespace tessera::btl::tcp {

// Two connected sockets.
struct SocketPair {
  SocketPair() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    near = Socket(ends[0]);
    far = Socket(ends[1]);
  }
  Socket near, far;
};

// The parameters of the manifest at their defaults; set() is what a user asks for.
class TestParams final : public Params {
 public:
  TestParams();
  void set(const std::string& name, const std::string& value);
  std::int64_t integer(std::string_view name) const noexcept override;
  std::uint64_t size(std::string_view name) const noexcept override;
  double real(std::string_view) const noexcept override { return 0; }
  bool boolean(std::string_view) const noexcept override { return false; }
  std::string_view text(std::string_view name) const noexcept override;
  bool chosen(std::string_view name) const noexcept override;

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::map<std::string, bool, std::less<>> chosen_;
};

// Remembers what arrived. Packets are numbered by their header; payloads are computed from peer,
// number and size.
class Collector final : public Sink {
 public:
  void deliver(Endpoint& from, std::span<const std::byte> header,
               std::span<const std::byte> payload) noexcept override;
  std::byte* landing(Endpoint& from, std::span<const std::byte> header,
                     std::size_t bytes) noexcept override;
  void landed(Endpoint& from, std::span<const std::byte> header,
              std::size_t bytes) noexcept override;
  void lost(Peer& peer, Status why) noexcept override;

  std::uint32_t from(std::uint32_t id) const;
  std::string error;  // the first thing that was not as it should be
  std::map<std::uint32_t, std::vector<std::string>> losses;  // by peer
  bool land = true;
  int landings = 0;

 private:
  std::map<std::uint32_t, std::uint32_t> received_;
  std::map<std::uint32_t, std::vector<std::byte>> places_;
};

// Looks up what the segment holds, or what a test wants a process to believe.
class TestBootstrap final : public Bootstrap {
 public:
  TestBootstrap(contract::Segment& segment, std::uint32_t me) : segment_(segment), me_(me) {}
  Status publish(std::string_view key, std::span<const std::byte> value) noexcept override;
  Result<std::span<const std::byte>> lookup(const Peer& peer,
                                            std::string_view key) noexcept override;
  std::map<std::uint32_t, std::vector<std::byte>> believed;

 private:
  contract::Segment& segment_;
  std::uint32_t me_;
};

// The one poller and the one descriptor that the module has.
class TestProgress final : public Progress {
 public:
  void add(Poller& poller) noexcept override { list(&poller); }
  void remove(Poller&) noexcept override { list(nullptr); }
  Status watch(int watched, std::uint32_t) noexcept override {
    descriptor = watched;
    return {};
  }
  void unwatch(int) noexcept override { descriptor = -1; }
  bool empty() const noexcept { return count_ == 0; }
  int descriptor = -1;

 private:
  bool idle(std::uint32_t, const Condition&) noexcept override {
    std::this_thread::yield();
    return false;
  }
  void list(Poller* poller) noexcept {
    one_ = poller;
    pollers_ = &one_;
    count_ = poller != nullptr ? 1 : 0;
  }
  Poller* one_ = nullptr;
};

class Process {
 public:
  Process(contract::Segment& segment, std::uint32_t id, const TestParams& params);
  ~Process();

  Status opened;
  Status send(std::uint32_t to, std::size_t payload);  // numbered by itself
  bool lend = false;  // payloads of send() stay until this process ends
  std::uint32_t sent(std::uint32_t to) { return sent_[to]; }
  int poll() { return progress.poll(); }
  int watched() const { return progress.descriptor; }  // what a sleep of this process would end by
  void leave();                                        // as a process that ends in order
  void die();                                          // as one that is killed
  Card card(std::uint32_t id);

  TestParams params;
  contract::FakeJob job;
  TestProgress progress;
  TestBootstrap bootstrap;
  Collector sink;
  Sinks sinks{&sink, &sink, nullptr, &sink};
  std::unique_ptr<TcpModule> module;

 private:
  std::map<std::uint32_t, std::uint32_t> sent_;
  std::vector<std::vector<std::byte>> lent_;
};

class JobOf {
 public:
  explicit JobOf(std::uint32_t size, const TestParams& params = TestParams());
  Process& operator[](std::uint32_t id) { return *processes_[id]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(processes_.size()); }
  // Polls all processes in turn until `done`; false when it does not come about in a time that is
  // ample.
  bool run_until(const std::function<bool()>& done);
  // Sends, polling everybody while there is no room.
  void send(std::uint32_t from, std::uint32_t to, std::size_t payload);

 private:
  contract::Segment segment_;
  std::vector<std::unique_ptr<Process>> processes_;
};

// How many descriptors this process has open.
std::size_t open_descriptors();

// A blocking connection to a port of this machine, as any program could make it.
Socket call_port(std::uint16_t port);

}  // namespace tessera::btl::tcp
