// SPDX-License-Identifier: BSD-3-Clause
// The table of processes: own job first, others as they come and go.
#include "core/job/peer_table.h"

#include <algorithm>
#include <functional>
#include <new>

namespace tessera {

PeerTable::PeerTable(std::uint64_t job, std::uint32_t size) : job_(job), size_(size), peers_(size) {
  for (std::uint32_t id = 0; id < size; ++id) {
    peers_[id].id = id;
    peers_[id].name = {job, id};
  }
}

Peer* PeerTable::find(const ProcessName& name) const noexcept {
  if (name.job == job_) return name.index < size_ ? &peers_[name.index] : nullptr;
  const auto found = others_.find(name);
  return found != others_.end() ? found->second : nullptr;
}

Peer& PeerTable::place(const ProcessName& name) {
  if (free_.empty()) {
    Peer& peer = peers_.emplace_back();
    peer.id = end_id() - 1;
    peer.name = name;
    return peer;
  }
  Peer& peer = peers_[free_.back()];
  free_.pop_back();
  peer.name = name;
  return peer;
}

Result<Peer*> PeerTable::admit(const ProcessName& name) noexcept try {
  if (Peer* const known = find(name)) return known;
  if (name.job == job_) {
    return Status::failure(Errc::argument, "this job has no process " + std::to_string(name.index) +
                                               ": it has " + std::to_string(size_));
  }
  collect();
  free_.reserve(peers_.size() + 1);  // so that forget() needs no memory
  kept_.reserve(peers_.size() + 1);
  const auto entry = others_.emplace(name, nullptr).first;
  entry->second = &place(name);
  return entry->second;
} catch (const std::bad_alloc&) {
  if (const auto entry = others_.find(name); entry != others_.end() && entry->second == nullptr)
    others_.erase(entry);
  return Errc::no_memory;
}

Status PeerTable::forget(Peer& peer) noexcept {
  const auto entry = others_.find(peer.name);
  if (entry == others_.end() || entry->second != &peer)
    return Status::failure(Errc::argument, "only processes of other jobs can be forgotten");
  others_.erase(entry);
  if (peer.groups.load(std::memory_order_acquire) != 0) {
    peer.bell = nullptr;
    peer.failed.store(true, std::memory_order_relaxed);
    kept_.push_back(peer.id);
  } else {
    set_free(peer);
  }
  return {};
}

void PeerTable::set_free(Peer& peer) noexcept {
  const std::uint32_t id = peer.id;
  peer.~Peer();
  ::new (&peer) Peer();
  peer.id = id;
  free_.insert(std::upper_bound(free_.begin(), free_.end(), id, std::greater<>()), id);
}

void PeerTable::collect() noexcept {
  std::erase_if(kept_, [this](std::uint32_t id) {
    const bool unused = peers_[id].groups.load(std::memory_order_acquire) == 0;
    if (unused) set_free(peers_[id]);
    return unused;
  });
}

}  // namespace tessera
