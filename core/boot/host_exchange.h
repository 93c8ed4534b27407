// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a host and their carrier tell each other: HostExchange.
#pragma once
//
// Contract. In a job over several hosts that mpiexec started, an engine starts one carrier on each
// host, which starts the ranks there (launcher/carrier/). The exchange is a region of the job
// segment; the carrier makes it before the first rank runs.
//   - Fences. A rank that comes to a fence says so and sleeps. When all ranks of the host are
//     there or have ended, the carrier meets those of the other hosts in the engine's store, and
//     wakes them. There are two fences: all have published their cards, and nobody sends any more.
//   - Cards. Before the first fence the carrier gives the cards of its ranks, after it the exchange
//     has those of all hosts: each host fetches each other one once.
// A rank never waits for a carrier that is gone: it dies with it.
//
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "core/job/segment.h"

namespace tessera {

class HostExchange {
 public:
  enum Fence : std::uint32_t { published = 1, left = 2 };

  static Result<HostExchange> of(JobSegment& segment) noexcept;

  // The node of each rank, by id: written by the carrier before ranks run.
  std::span<std::uint32_t> nodes() const noexcept;

  // For ranks. Returns when the fence is crossed.
  void cross(std::uint32_t local, Fence fence) noexcept;
  // What the ranks of another node published, as NodeCards::give() writes it, after the first
  // fence.
  Result<std::span<const std::byte>> cards_of(std::uint32_t node) noexcept;

  // For the carrier. Returns when all ranks are at this fence, or have ended, or give_up() was
  // called.
  void await_ranks(Fence fence) noexcept;
  void rank_ended(std::uint32_t local) noexcept;
  void give_up() noexcept;
  // By node; that of this one may be empty.
  Status show_cards(const std::vector<std::vector<std::byte>>& cards) noexcept;
  void crossed(Fence fence) noexcept;

 private:
  struct Head {
    std::atomic<std::uint32_t> calls;    // changes when a rank comes, or the carrier gives up
    std::atomic<std::uint32_t> crossed;  // the last fence
    std::atomic<std::uint32_t> given_up;
    std::uint32_t unused;
    std::uint64_t card_bytes;  // of the region of cards
  };
  HostExchange(JobSegment& segment, SharedRegion region) noexcept
      : segment_(&segment), region_(region) {}
  Head& head() const noexcept { return *reinterpret_cast<Head*>(region_.base()); }
  std::span<std::atomic<std::uint32_t>> arrived() const noexcept;
  bool all_at(Fence fence) const noexcept;
  void call() noexcept;

  JobSegment* segment_;
  SharedRegion region_;
};

}  // namespace tessera
