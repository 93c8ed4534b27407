// SPDX-License-Identifier: BSD-3-Clause
// A network inside one process: several pml modules, joined by queues that can delay, refuse, copy
// directly and break.
#pragma once
//
// The ranks are either stepped by one thread (then whoever waits steps the others too, and every
// run with the same seed is the same), or each belongs to a thread of its own.
//
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "components/pml/ob1/module.h"
#include "fake_types.h"

namespace tessera::test {

struct Traits {
  std::string name = "stream";
  std::size_t max_packet = 4096;
  std::size_t eager_limit = 512;
  std::size_t get_threshold =
      200;  // with get: below the eager limit, so that a direct copy comes first
  std::size_t get_tried =
      0;  // with get: from here on messages of collective operations go either way
  bool get = false;
  bool put = false;
  bool land = false;
  int routes = 1;
  std::size_t capacity = 1000;  // packets a queue takes
  int refuse_percent = 0;       // further sends refused at random
  int longest_delay = 0;        // polls a packet may be late
  int gets_before_failure = -1;
  int puts_before_failure = -1;
  ob1::Settings settings;
  ContextId context = 42;  // at first; an odd one is that of collective operations
  bool threads = false;
};

class World;
class Rank;

struct Flight {
  btl::Channel channel;
  std::vector<std::byte> header;
  std::vector<std::byte> payload;
  int delay;
};

// One direction of one route.
class Wire final : public btl::Endpoint {
 public:
  Wire(World& world, Rank& from, Rank& to, Peer& peer, std::uint64_t seed) noexcept
      : Endpoint(peer), world_(world), from_(from), to_(to), random_(seed) {}
  Status send(const btl::Packet& packet) noexcept override;
  Status get(void* local, std::uint64_t remote, std::size_t bytes) noexcept override;
  Status put(const void* local, std::uint64_t remote, std::size_t bytes) noexcept override;
  bool direct() noexcept override;

  // For the receiver: hands out what is due; `back` is its own endpoint to the sender.
  int hand_out(btl::Sink& sink, btl::Endpoint& back) noexcept;
  void set_blocked(bool blocked) noexcept { blocked_ = blocked; }
  bool empty() noexcept;
  std::size_t sent() const noexcept { return sent_; }
  std::size_t crossing() const noexcept { return crossing_; }  // of those sent, said to be so

 private:
  bool refuses() noexcept;
  bool take_due(Flight& flight) noexcept;
  bool finish_landing(btl::Sink& sink, btl::Endpoint& back) noexcept;
  int deliver(Flight& flight, btl::Sink& sink, btl::Endpoint& back) noexcept;

  World& world_;
  Rank& from_;
  Rank& to_;
  std::mutex mutex_;
  std::deque<Flight> queue_;
  std::mt19937_64 random_;
  bool blocked_ = false;
  bool handing_out_ = false;
  std::unique_ptr<Flight> landing_;
  std::size_t sent_ = 0;
  std::size_t crossing_ = 0;
};

class StepProgress final : public Progress {
 public:
  explicit StepProgress(World& world) noexcept : world_(world) {}
  void add(Poller& poller) noexcept override;
  void remove(Poller& poller) noexcept override;
  Status watch(int, std::uint32_t) noexcept override { return Errc::unsupported; }
  void unwatch(int) noexcept override {}
  std::size_t pollers() const noexcept { return list_.size(); }

 private:
  bool idle(std::uint32_t rounds, const Condition& condition) noexcept override;
  void publish() noexcept;
  World& world_;
  std::vector<Poller*> list_;
};

class Rank final : public Poller, public Job, public pml::Router {
 public:
  Rank(World& world, int number, int size);
  ~Rank();

  // pml calls with the usual arguments.
  pml::SendArgs to(int rank, int tag, const void* data, std::size_t n,
                   pml::Mode mode = pml::Mode::standard) noexcept;
  pml::RecvArgs from(int rank, int tag, void* data, std::size_t n) noexcept;
  pml::ProbeArgs probing(int rank, int tag) noexcept;
  Request* isend(const pml::SendArgs& args) noexcept { return module->isend(args).value(); }
  Request* irecv(const pml::RecvArgs& args) noexcept { return module->irecv(args).value(); }
  // Waits, frees the request, and returns what its status was.
  MessageStatus wait(Request* request) noexcept;

  int poll() noexcept override;
  std::uint32_t my_id() const noexcept override { return static_cast<std::uint32_t>(number); }
  std::uint32_t size() const noexcept override { return static_cast<std::uint32_t>(peers.size()); }
  std::uint32_t local_size() const noexcept override { return size(); }
  std::uint32_t usable_cpus() const noexcept override { return size(); }
  Peer& peer(std::uint32_t id) const noexcept override { return *peers[id]; }
  Result<SharedRegion> shared(std::string_view, std::size_t) const noexcept override {
    return Errc::unsupported;
  }
  Result<std::span<const pml::Route>> routes(Peer& peer) noexcept override;

  World& world;
  const int number;
  ContextId context = 42;
  std::vector<std::unique_ptr<Peer>> peers;
  std::vector<std::vector<pml::Route>> ways;  // per peer
  std::vector<std::unique_ptr<Wire>> wires;   // out of this rank
  std::string unreachable;                    // when not empty: what the router says
  StepProgress progress;
  std::unique_ptr<ob1::Ob1Module> module;
};

class World {
 public:
  explicit World(int size, Traits traits = {}, std::uint64_t seed = 1);
  ~World();
  Rank& operator[](int rank) noexcept { return *ranks_[rank]; }
  int size() const noexcept { return static_cast<int>(ranks_.size()); }
  Wire& wire(int from, int to, int route = 0) noexcept;
  void step() noexcept;                           // one round of every rank
  void settle() noexcept;                         // until nothing moves any more
  void lose(int rank, const char* why) noexcept;  // every other rank hears of it

  Traits traits;
  std::vector<btl::Attributes> attributes;  // per route

 private:
  std::vector<std::unique_ptr<Rank>> ranks_;
};

// Bytes that differ from place to place and from message to message.
std::vector<std::byte> pattern(std::size_t n, std::uint32_t seed);

}  // namespace tessera::test
