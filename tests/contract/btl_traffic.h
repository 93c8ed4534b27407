// SPDX-License-Identifier: BSD-3-Clause
// Packets whose every byte both sides can compute: plans, a sender that never blocks, a receiver
// that checks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "tessera/btl.h"

namespace tessera::contract {

struct Shape {
  btl::Channel channel;
  std::size_t header;
  std::size_t payload;
};

// What packet `index` from one rank to another looks like.
using Plan = std::function<Shape(std::uint32_t from, std::uint32_t to, std::uint32_t index)>;

// Independent of any library's generator, so that failures repeat.
std::uint64_t mix(std::uint64_t value) noexcept;
std::uint64_t packet_seed(std::uint32_t from, std::uint32_t to, std::uint32_t index) noexcept;
void fill(std::byte* bytes, std::size_t size, std::uint64_t seed) noexcept;
bool filled(std::span<const std::byte> bytes, std::uint64_t seed) noexcept;

// Header and payload of one packet in memory of their own.
class Draft {
 public:
  void write(std::uint32_t from, std::uint32_t to, std::uint32_t index, const Shape& shape);
  btl::Packet packet() const noexcept;

 private:
  Shape shape_{};
  std::vector<std::byte> header_;
  std::vector<std::byte> payload_;
};

// Sends `count` packets of a plan to each of its targets, as far as there is room at each poll.
class Pump final : public Poller {
 public:
  Pump(Progress& progress, std::uint32_t me, Plan plan)
      : progress_(progress), me_(me), plan_(std::move(plan)) {
    progress_.add(*this);
  }
  ~Pump() { progress_.remove(*this); }
  Pump(const Pump&) = delete;
  Pump& operator=(const Pump&) = delete;

  void add(btl::Endpoint& endpoint, std::uint32_t count) {
    targets_.push_back({&endpoint, 0, count, {}, false});
  }
  bool idle() const noexcept;
  const std::string& error() const noexcept { return error_; }
  std::uint64_t refused() const noexcept { return refused_; }  // how often the answer was `again`
  int poll() noexcept override;

 private:
  struct Target {
    btl::Endpoint* endpoint;
    std::uint32_t next;
    std::uint32_t count;
    Draft draft;
    bool drafted;
  };
  bool send_next(Target& target);

  Progress& progress_;
  std::uint32_t me_;
  Plan plan_;
  std::vector<Target> targets_;
  std::string error_;
  std::uint64_t refused_ = 0;
  bool inside_ = false;
};

// Sends the next packet of a plan from anywhere, also from within a sink; what finds no room is
// sent at a later poll.
class Replier final : public Poller {
 public:
  Replier(Progress& progress, std::uint32_t me, Plan plan)
      : progress_(progress), me_(me), plan_(std::move(plan)) {
    progress_.add(*this);
  }
  ~Replier() { progress_.remove(*this); }
  Replier(const Replier&) = delete;
  Replier& operator=(const Replier&) = delete;

  void send(btl::Endpoint& endpoint);
  bool idle() const noexcept { return backlog_.empty(); }
  const std::string& error() const noexcept { return error_; }
  int poll() noexcept override;

 private:
  struct Waiting {
    btl::Endpoint* endpoint;
    std::uint32_t index;
  };
  bool attempt(const Waiting& waiting);

  Progress& progress_;
  std::uint32_t me_;
  Plan plan_;
  std::deque<Waiting> backlog_;
  bool polling_ = false;
  std::string error_;
  std::uint32_t next_ = 0;
};

// The sinks of one rank. Every packet must be the next one of its sender, whole, on its channel.
class Receiver {
 public:
  // Called after a packet was checked; may send.
  using Hook = std::function<void(btl::Endpoint& from, std::uint32_t index)>;

  Receiver(std::uint32_t me, std::uint32_t ranks);
  void expect(Plan plan) { plan_ = std::move(plan); }
  void on_packet(Hook hook) { hook_ = std::move(hook); }
  const btl::Sinks& sinks() noexcept;
  std::uint32_t from(std::uint32_t rank) const noexcept { return received_[rank]; }
  std::uint32_t total() const noexcept;
  bool dropped(btl::Channel channel) const noexcept {
    return muted_[static_cast<std::size_t>(channel)];
  }
  void mute(btl::Channel channel) noexcept { muted_[static_cast<std::size_t>(channel)] = true; }
  void unmute(btl::Channel channel) noexcept {  // a layer registers after the btl was opened
    muted_[static_cast<std::size_t>(channel)] = false;
    (void)sinks();
  }
  const std::string& error() const noexcept {
    return error_;
  }  // the first thing that was wrong, or empty

 private:
  class Ear final : public btl::Sink {
   public:
    void deliver(btl::Endpoint& endpoint, std::span<const std::byte> header,
                 std::span<const std::byte> payload) noexcept override;
    std::byte* landing(btl::Endpoint& endpoint, std::span<const std::byte> header,
                       std::size_t payload_bytes) noexcept override;
    void landed(btl::Endpoint& endpoint, std::span<const std::byte> header,
                std::size_t payload_bytes) noexcept override;
    void lost(Peer& peer, Status why) noexcept override;
    Receiver* owner = nullptr;
    btl::Channel channel{};
    std::vector<std::vector<std::byte>> landing_by_peer;
  };
  void arrived(btl::Channel channel, btl::Endpoint& endpoint, std::span<const std::byte> header,
               std::span<const std::byte> payload) noexcept;
  void complain(const std::string& text) noexcept;

  std::uint32_t me_;
  Plan plan_;
  Hook hook_;
  std::array<Ear, btl::kChannels> ears_;
  std::array<bool, btl::kChannels> muted_{};
  btl::Sinks sinks_;
  std::vector<std::uint32_t> received_;
  std::string error_;
};

}  // namespace tessera::contract
