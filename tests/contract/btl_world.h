// SPDX-License-Identifier: BSD-3-Clause
// Ranks as threads, each with its own instance of the btl component under test.
#pragma once

#include <atomic>
#include <barrier>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "btl_traffic.h"
#include "fakes.h"
#include "subject.h"
#include "tessera/btl.h"

namespace tessera::contract {

struct Options {
  Memory memory = Memory::normal;
  Waiting waiting = Waiting::yield;
  std::vector<btl::Channel> muted = {};  // no rank has a sink for these
  Plan plan = {};                        // what receivers check against
};

class World;

// One rank. Used by its own thread.
class Rank {
 public:
  Rank(World& world, std::uint32_t id, const Options& options);
  ~Rank();

  std::uint32_t id() const noexcept { return job_.my_id(); }
  Peer& peer(std::uint32_t id) const noexcept { return job_.peer(id); }
  Status opened() const noexcept { return opened_; }
  std::span<btl::Module* const> modules() const noexcept { return modules_; }
  btl::Module* module_to(std::uint32_t id) const noexcept;  // null: not reached
  std::vector<std::uint32_t> reachable() const;
  btl::Endpoint& to(std::uint32_t id);  // fails the test when it cannot be had
  Receiver& receiver() noexcept { return receiver_; }
  FakeProgress& progress() noexcept { return progress_; }

  template <class Done>
  void wait_until(Done&& done) {
    progress_.wait_until([&] { return done() || failed(); });
  }
  // Ends all waiting of all ranks, so that a failure is reported and not a time limit.
  void fail() noexcept;
  bool failed() const noexcept;
  // Waits, making progress, until all ranks have come here.
  void meet();
  // Waits without making progress until all ranks have come here.
  void hold();

 private:
  // Turns what other ranks did into an event, so that a sleeping wait looks again.
  class Watcher final : public Poller {
   public:
    explicit Watcher(World& watched) noexcept : world(watched) {}
    int poll() noexcept override;
    World& world;
    std::uint32_t seen = 0;
  };

  World& world_;
  FakeJob job_;
  FakeProgress progress_;
  FakeBootstrap bootstrap_;
  Watcher watcher_;
  Receiver receiver_;
  Instances instances_;
  std::span<btl::Module* const> modules_;
  Status opened_;
  std::uint32_t meetings_ = 0;
};

class World {
 public:
  explicit World(std::uint32_t ranks, Options options = {});
  // Runs `body` on every rank; afterwards waits until everything sent was handed over, then closes
  // the component.
  void run(const std::function<void(Rank&)>& body);
  std::uint32_t ranks() const noexcept { return segment_.ranks(); }
  Segment& segment() noexcept { return segment_; }

 private:
  friend class Rank;
  void live(std::uint32_t id, const std::function<void(Rank&)>& body);
  void notify() noexcept;

  Segment segment_;
  Options options_;
  std::barrier<> barrier_;
  std::atomic<std::uint32_t> arrivals_{0};
  std::atomic<bool> failed_{false};
};

// Shorthands of the tests.
inline constexpr std::size_t kUsualHeader = 24;
// The max_packet of the component in a job of `ranks` processes; 0 when it offers no module there.
std::size_t packet_limit(std::uint32_t ranks);
// `count` packets of the world's plan to all reachable ranks, and as many from each, checked.
void exchange(Rank& rank, const Plan& plan, std::uint32_t count);

}  // namespace tessera::contract
