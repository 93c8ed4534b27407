// SPDX-License-Identifier: BSD-3-Clause
// Small exchanges among processes while a communicator is being made: Circle, broadcast, allgather.
#pragma once
//
// Contract. A Circle is a list of peers that exchange a few bytes over point-to-point messages on a
// context and tag that nobody else uses at the time. These are not the collectives of a
// communicator: they serve where there is no communicator yet (MPI_Comm_create_group,
// MPI_Intercomm_create) and must not depend on what was selected for one.
//
#include <cstddef>
#include <span>

#include "tessera/pml.h"

namespace tessera {

struct Circle {
  pml::Module& pml;
  Progress& progress;
  std::span<Peer* const> peers;
  int me;  // index of this process in peers
  ContextId context;
  int tag;
};

// The same `bytes` bytes at all, from peers[root]. Binomial tree, ceil(log2 n) rounds.
Status broadcast(const Circle& circle, int root, void* data, std::size_t bytes) noexcept;
// all[i * bytes ...] = what peers[i] gave as `mine`. Dissemination: ceil(log2 n) rounds, any n.
Status allgather(const Circle& circle, const void* mine, std::size_t bytes, void* all) noexcept;

// Bytes to one peer of the circle and bytes from another (or the same), at once.
Status exchange(const Circle& circle, int to, const void* out, std::size_t bytes_out, int from,
                void* in, std::size_t bytes_in) noexcept;

}  // namespace tessera
