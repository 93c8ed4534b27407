// SPDX-License-Identifier: BSD-3-Clause
// Small exchanges among processes while a communicator is being made: PeerGroup, broadcast,
// allgather.
#pragma once
//
// Contract. A PeerGroup is a list of peers that exchange a few bytes over point-to-point messages.
// These are not the collectives of a communicator: they serve where there is no communicator yet
// (MPI_Comm_create_group, MPI_Intercomm_create) and must not depend on what was selected for one.
//
// Several peer groups may be at work on one context and tag at a time: a process that is late for
// one exchange finds messages of the next one. So a message says who sent it by a number that is
// the same in all peer groups of that context, such as the rank in the communicator that owns it,
// and never by the index in the group alone. Messages between the same two processes match in
// order.
//
// The collective context of a communicator has room for exchanges under tags that the program
// chose: collectives call their senders by rank, groups that make a communicator by
// number_in_group(), two leaders by number_of_leader(), so that none meets another's messages.
//
// Deaths. Every wait ends, with peer_failed, when a process is dead that the group needs, also when
// it waits for another one: that one may have given up, and does not say so.
//
#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/pml.h"

namespace tessera {

struct PeerGroup {
  pml::Module& pml;
  Progress& progress;
  std::span<Peer* const> peers;
  int me;  // index of this process in peers
  ContextId context;
  int tag;
  // What peers[i] is called on `context`; empty where all peer groups on it list the same peers.
  std::span<const int> numbers{};
  // Without whom the exchange comes to nothing; empty: `peers`.
  std::span<Peer* const> needed{};
};

constexpr int number_in_group(int rank) noexcept {
  return -8 - 2 * rank;
}
constexpr int number_of_leader(int rank) noexcept {
  return -9 - 2 * rank;
}

// The same `bytes` bytes at all, from peers[root]. Binomial tree, ceil(log2 n) rounds.
Status broadcast(const PeerGroup& group, int root, void* data, std::size_t bytes) noexcept;
// all[i * bytes ...] = what peers[i] gave as `mine`. Dissemination: ceil(log2 n) rounds, any n.
Status allgather(const PeerGroup& group, const void* mine, std::size_t bytes, void* all) noexcept;
// Returns when all processes of `group` have called it. `near`: indices of those on this node;
// `firsts`: of the first one on each node; both ascending. Up a binomial tree within each node and
// one over the nodes, and down again: so few processes of different nodes need a connection.
Status meet(const PeerGroup& group, std::span<const int> near,
            std::span<const int> firsts) noexcept;

// Bytes to one peer of the group and bytes from another (or the same), at once.
Status exchange(const PeerGroup& group, int to, const void* out, std::size_t bytes_out, int from,
                void* in, std::size_t bytes_in) noexcept;

// A Status on its way to other processes; the text of a failure goes with it.
struct SentStatus {
  std::uint32_t code = 0;
  char text[508] = {};
  static SentStatus of(const Status& status) noexcept;
  Status status() const noexcept;
};

// The root's status at all; another failure where the exchange itself fails.
Status agree(const PeerGroup& group, int root, const Status& of_root) noexcept;
// Two processes, the other one being peers[other]: the own failure, or else that of the other one.
Status agree_with(const PeerGroup& group, int other, const Status& mine) noexcept;
// peer_failed where a needed process is known to be dead: for who might not notice, since it only
// sends.
Status all_alive(const PeerGroup& group) noexcept;
Status all_alive(std::span<Peer* const> peers) noexcept;

}  // namespace tessera
