// SPDX-License-Identifier: BSD-3-Clause
// Processes of other jobs: a region for each pair, laid out like that of a job of two.
#include <algorithm>
#include <new>

#include "module.h"

namespace tessera::btl::sm {
namespace {

constexpr std::size_t kRoom = std::size_t{1} << 20;  // Job::shared_with
constexpr int kPacketsPerPoll = 32;                  // as in a job

}  // namespace

// The two may have different parameters: the geometry of the first one holds for both.
Result<Shared> SmModule::share_pair(const Peer& peer) noexcept {
  auto region = job_.shared_with(peer, kRoom);
  if (!region) return region.status();
  Shared shared;
  shared.region = region.value();
  shared.single_copy = shared_.single_copy;
  shared.me = job_.peer(job_.my_id()).name < peer.name ? 0 : 1;
  shared.geometry = Geometry::of_pair(params_, figures_, kRoom);
  if (Status status = shared.commit(0, shared.geometry.pair(0, 0)); !status) return status;
  auto& agreed = reinterpret_cast<Prologue*>(shared.region.base())->geometry;
  const std::uint64_t mine = std::uint64_t{shared.geometry.slots} << 32 | shared.geometry.data;
  std::uint64_t theirs = 0;
  if (!agreed.compare_exchange_strong(theirs, mine, std::memory_order_relaxed))
    shared.geometry = Geometry::of(2, theirs >> 32, theirs & 0xffffffff);
  const Geometry& geometry = shared.geometry;
  if (geometry.region_bytes() > kRoom)
    return Status::failure(Errc::refused, "the other job has rings that do not fit");
  // This side reads the slots before the other one has opened its ring.
  if (Status status = shared.commit(geometry.pair(1, 0), geometry.data_offset()); !status)
    return status;
  if (Status status = shared.commit(geometry.pair(0, 1), geometry.data_offset()); !status)
    return status;
  return shared;
}

// The engine connects the two when they meet: from then on this side looks into the ring.
Result<Endpoint*> SmModule::connect_pair(Peer& peer) noexcept try {
  const auto known = std::find_if(pairs_.begin(), pairs_.end(), [&](const auto& pair) {
    return &pair->endpoint.peer() == &peer;
  });
  if (known != pairs_.end()) return &(*known)->endpoint;
  Result<Shared> shared = share_pair(peer);
  if (!shared) return shared.status();
  auto pair = std::make_unique<Pair>(peer, shared.value());
  if (shared_.single_copy != SingleCopy::none)
    show_probe(pair->shared.process_entry(pair->shared.me));
  pairs_.push_back(std::move(pair));
  return &pairs_.back()->endpoint;
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

void SmModule::disconnect(Peer& peer) noexcept {
  std::erase_if(pairs_, [&](const auto& pair) { return &pair->endpoint.peer() == &peer; });
}

// A sink may connect or disconnect pairs.
int SmModule::poll_pairs() noexcept {
  int packets = 0;
  for (std::size_t i = 0; i < pairs_.size(); ++i)
    packets += pairs_[i]->inbox.drain(sinks_, kPacketsPerPoll);
  return packets;
}

}  // namespace tessera::btl::sm
