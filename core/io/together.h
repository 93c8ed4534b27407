// SPDX-License-Identifier: BSD-3-Clause
// What the processes of a file tell each other: a few bytes, by the collectives of a communicator.
#pragma once

#include <vector>

#include "core/comm/communicator.h"

namespace tessera::io {

// all[i * bytes ...] = what process i gave.
Status gather_all(Comm& comm, const void* mine, std::size_t bytes, void* all) noexcept;
Status broadcast(Comm& comm, int root, void* data, std::size_t bytes) noexcept;
Status barrier(Comm& comm) noexcept;

// What each process gives, at all processes.
template <class T>
Result<std::vector<T>> gather_all(Comm& comm, const T& mine) noexcept {
  std::vector<T> all(static_cast<std::size_t>(comm.size()));
  if (comm.size() == 1) {
    all[0] = mine;
    return all;
  }
  const Status done = gather_all(comm, &mine, sizeof mine, all.data());
  if (!done) return done;
  return all;
}

// The same failure at all processes: that of the lowest rank that has one, whose text says so.
// One exchange while all is well.
Status worst_of(Comm& comm, Status mine) noexcept;

}  // namespace tessera::io
