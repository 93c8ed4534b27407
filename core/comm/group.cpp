// SPDX-License-Identifier: BSD-3-Clause
// Set operations on groups, all linear or n log n in the number of members.
#include "core/comm/group.h"

#include <algorithm>

namespace tessera {

Group::Group(std::vector<Peer*> members) : Object(ObjectKind::group), members_(std::move(members)) {
  for (Peer* const peer : members_) peer->groups.fetch_add(1, std::memory_order_relaxed);
  bool identity = true;
  for (std::size_t i = 0; i < members_.size(); ++i) identity = identity && members_[i]->id == i;
  if (identity) return;
  by_id_.reserve(members_.size());
  for (int rank = 0; rank < size(); ++rank) by_id_.emplace_back(member(rank).id, rank);
  std::sort(by_id_.begin(), by_id_.end());
}

// Groups need no lock: what was read of a peer comes before the reuse of its place, by a thread
// that holds the engine's.
Group::~Group() {
  for (Peer* const peer : members_) peer->groups.fetch_sub(1, std::memory_order_release);
}

Group* Group::derive(std::vector<Peer*> members) const {
  Group* group = make(std::move(members));
  group->session_buffer_ = session_buffer_;
  return group;
}

int Group::rank_of(const Peer& peer) const noexcept {
  if (by_id_.empty()) return peer.id < members_.size() ? static_cast<int>(peer.id) : -1;
  const auto found = std::lower_bound(by_id_.begin(), by_id_.end(), std::pair{peer.id, 0});
  return found != by_id_.end() && found->first == peer.id ? found->second : -1;
}

Similarity Group::compare(const Group& other) const noexcept {
  if (size() != other.size()) return Similarity::unequal;
  if (std::equal(members_.begin(), members_.end(), other.members_.begin()))
    return Similarity::identical;
  const bool same_set = std::all_of(members_.begin(), members_.end(),
                                    [&](const Peer* peer) { return other.rank_of(*peer) >= 0; });
  return same_set ? Similarity::similar : Similarity::unequal;
}

Group* Group::united_with(const Group& other) const {
  std::vector<Peer*> members = members_;
  for (Peer* peer : other.members_) {
    if (rank_of(*peer) < 0) members.push_back(peer);
  }
  return derive(std::move(members));
}

Group* Group::intersected_with(const Group& other) const {
  std::vector<Peer*> members;
  for (Peer* peer : members_) {
    if (other.rank_of(*peer) >= 0) members.push_back(peer);
  }
  return derive(std::move(members));
}

Group* Group::without(const Group& other) const {
  std::vector<Peer*> members;
  for (Peer* peer : members_) {
    if (other.rank_of(*peer) < 0) members.push_back(peer);
  }
  return derive(std::move(members));
}

Group* Group::including(std::span<const int> ranks) const {
  std::vector<Peer*> members;
  members.reserve(ranks.size());
  for (const int rank : ranks) members.push_back(&member(rank));
  return derive(std::move(members));
}

Group* Group::excluding(std::span<const int> ranks) const {
  std::vector<bool> out(members_.size(), false);
  for (const int rank : ranks) out[static_cast<std::size_t>(rank)] = true;
  std::vector<Peer*> members;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!out[i]) members.push_back(members_[i]);
  }
  return derive(std::move(members));
}

}  // namespace tessera
