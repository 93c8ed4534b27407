// SPDX-License-Identifier: BSD-3-Clause
// A network inside one process for the suite of the pml: every rank has its own instance of the
// component under test.
#pragma once
//
// One thread steps all ranks: whoever waits steps the others too, so that every run is the same.
// The packets of a rank lie in queues that can be short, and refuse packets now and then.
//
#include <deque>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "fakes.h"
#include "subject.h"
#include "tessera/pml.h"

namespace tessera::contract {

struct Network {
  std::string name;
  std::size_t max_packet = 4096;
  std::size_t eager_limit = 512;
  std::size_t capacity = 1000;  // packets a queue takes
  unsigned refuse_percent = 0;  // further sends refused at random
  bool direct = false;          // get and put work
  bool lands = false;           // payloads are written where the sink says
  bool direct_fails = false;    // they are declared, and fail
};

class PmlWorld;
class PmlRank;

// One direction between two ranks.
class PmlWire final : public btl::Endpoint {
 public:
  PmlWire(PmlWorld& world, Peer& peer, unsigned seed) noexcept
      : Endpoint(peer), world_(world), random_(seed) {}
  Status send(const btl::Packet& packet) noexcept override;
  Status get(void* local, std::uint64_t remote, std::size_t bytes) noexcept override;
  Status put(const void* local, std::uint64_t remote, std::size_t bytes) noexcept override;
  bool direct() noexcept override;
  // For the receiver: hands one packet over; `back` is its own endpoint to the sender.
  bool hand_over(btl::Sink& sink, btl::Endpoint& back) noexcept;
  bool empty() const noexcept { return queue_.empty(); }

 private:
  struct Parcel {
    std::vector<std::byte> header, payload;
  };
  Status may_copy() const noexcept;

  PmlWorld& world_;
  std::deque<Parcel> queue_;
  std::minstd_rand random_;
  bool busy_ = false;
};

class PmlProgress final : public Progress {
 public:
  explicit PmlProgress(PmlWorld& world) noexcept : world_(world) {}
  void add(Poller& poller) noexcept override;
  void remove(Poller& poller) noexcept override;
  Status watch(int, std::uint32_t) noexcept override { return Errc::unsupported; }
  void unwatch(int) noexcept override {}
  std::size_t pollers() const noexcept { return list_.size(); }

 private:
  bool idle(std::uint32_t rounds, const Condition& condition) noexcept override;
  PmlWorld& world_;
  std::vector<Poller*> list_;
};

class PmlRank final : public Poller, public pml::Router {
 public:
  PmlRank(PmlWorld& world, int number);
  ~PmlRank();

  pml::Module& module() noexcept { return *module_; }
  PmlProgress& progress() noexcept { return progress_; }
  btl::Sink& sink() noexcept { return module_->sink(); }
  Peer& peer(int rank) noexcept { return job_.peer(static_cast<std::uint32_t>(rank)); }

  // The arguments of calls that send or receive bytes.
  pml::SendArgs to(int rank, int tag, const void* data, std::size_t bytes,
                   pml::Mode mode = pml::Mode::standard) noexcept;
  pml::RecvArgs from(int rank, int tag, void* data, std::size_t bytes) noexcept;
  pml::ProbeArgs probing(int rank, int tag) noexcept;
  // Waits for it and gives it up.
  MessageStatus wait(const Result<Request*>& request) noexcept;

  int poll() noexcept override;
  Result<std::span<const pml::Route>> routes(Peer& peer) noexcept override;

  ContextId context = 42;
  std::string unreachable;  // when not empty: what the router says

 private:
  friend class PmlWorld;
  PmlWorld& world_;
  int number_;
  FakeJob job_;
  PmlProgress progress_;
  FakeBootstrap bootstrap_;
  Instances instances_;
  pml::Module* module_ = nullptr;
  std::vector<std::unique_ptr<PmlWire>> wires_;  // to each rank
  std::vector<pml::Route> ways_;
};

class PmlWorld {
 public:
  explicit PmlWorld(int size, const Network& network);
  ~PmlWorld();
  PmlRank& operator[](int rank) noexcept { return *ranks_[static_cast<std::size_t>(rank)]; }
  int size() const noexcept { return static_cast<int>(segment_.ranks()); }
  PmlWire& wire(int from, int to) noexcept;
  void step() noexcept;                           // one round of every rank
  void settle() noexcept;                         // until nothing moves any more
  void lose(int rank, const char* why) noexcept;  // every other rank hears of it
  bool lost(const Peer& peer) const noexcept { return lost_ == static_cast<int>(peer.id); }

  const Network network;

 private:
  friend class PmlRank;
  Segment segment_;
  btl::Attributes attributes_;
  std::vector<std::unique_ptr<PmlRank>> ranks_;
  int lost_ = -1;
};

inline void PrintTo(const Network& network, std::ostream* out) {
  *out << network.name;
}
std::vector<Network> networks();
// Bytes that differ from place to place and from message to message.
std::vector<std::byte> pattern(std::size_t bytes, unsigned seed);

}  // namespace tessera::contract
