// SPDX-License-Identifier: BSD-3-Clause
// A window of either kind for the test programs, and who this process is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "check.h"

namespace rma {

inline int me;
inline int n;

struct Window {
  MPI_Win win = MPI_WIN_NULL;
  std::int64_t* base = nullptr;
  std::vector<std::int64_t> memory;

  Window(bool create, int words) {
    if (create) {
      memory.resize(static_cast<std::size_t>(words));
      base = memory.data();
      MPI_Win_create(base, 8 * words, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    } else {
      MPI_Win_allocate(8 * words, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    }
    std::fill(base, base + words, 0);
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~Window() { MPI_Win_free(&win); }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
};

inline void look_around() {
  me = rank_in(MPI_COMM_WORLD);
  n = size_of(MPI_COMM_WORLD);
}

}  // namespace rma
