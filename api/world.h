// SPDX-License-Identifier: BSD-3-Clause
// The World Model: what lies between MPI_Init and MPI_Finalize.
#pragma once
//
// There is one World per process, and no other state in api/ but tables of error texts and numbers. It is filled by
// MPI_Init_thread and emptied by MPI_Finalize; in between, its members do not change.
//
#include <pthread.h>

#include <atomic>

#include "api/predefined_attributes.h"
#include "core/communicator.h"
#include "core/instance.h"

namespace tessera::api {

enum class Phase { before_init, running, after_finalize };

struct World {
  std::atomic<Phase> phase{Phase::before_init};
  Instance* engine = nullptr;   // owned; null unless running
  Comm* comm_world = nullptr;   // the engine's
  Comm* comm_self = nullptr;    // the engine's
  int thread_level = 0;         // as MPI_Query_thread reports it
  bool check_arguments = true;  // the parameter mpi_argument_check
  pthread_t main_thread{};      // the one that called MPI_Init
  PredefinedAttributes attributes{};

  bool running() const noexcept { return phase.load(std::memory_order_relaxed) == Phase::running; }
};

inline constinit World world;

}  // namespace tessera::api
