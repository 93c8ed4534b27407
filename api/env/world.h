// SPDX-License-Identifier: BSD-3-Clause
// The World Model, what lies between MPI_Init and MPI_Finalize; and the engine, which it shares
// with sessions.
#pragma once
//
// There is one World per process, and no other state in api/ but tables of error texts and numbers,
// and the tools interface (api/tool/state.h).
// What belongs to the World Model is filled by MPI_Init_thread and emptied by MPI_Finalize; in
// between, it does not change. The engine lives as long as it is used by either, or longer
// (api/env/engine.h).
//
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <mutex>

#include "api/comm/predefined_attributes.h"
#include "core/comm/communicator.h"
#include "core/engine/instance.h"

namespace tessera::api {

enum class Phase { before_init, running, after_finalize };

struct World {
  std::atomic<Phase> phase{Phase::before_init};
  Instance* engine = nullptr;  // owned; not null while active()
  Comm* comm_world = nullptr;  // the engine's
  Comm* comm_self = nullptr;   // the engine's
  // How far handles of objects may reach (handle.h); 0 unless active(), so that then none is right.
  std::uintptr_t handles = 0;
  int thread_level = 0;         // as MPI_Query_thread reports it
  bool check_arguments = true;  // the parameter mpi_argument_check
  pthread_t main_thread{};      // the one that called MPI_Init
  PredefinedAttributes attributes{};

  std::mutex mutex{};         // held by whoever changes what follows, and starts or ends the engine
  std::atomic<int> users{0};  // of the engine: MPI_Init, until MPI_Finalize, and sessions
  Comm* own = nullptr;        // the engine's comm_self, in either model; null unless active
  std::atomic<bool> sessions_seen{false};  // the program uses sessions
  bool taken_down = false;                 // the engine was started and is no more
  pid_t pid = 0;                           // of the process that started it

  // Then what MPI_Init has set is seen.
  bool running() const noexcept { return phase.load(std::memory_order_acquire) == Phase::running; }
  // The World Model, or a session: functions on communicators may be called, and what the start has
  // set is seen.
  bool active() const noexcept { return users.load(std::memory_order_acquire) > 0; }
  // MPI_Finalize has been called, and no session is open.
  bool over() const noexcept { return phase.load() == Phase::after_finalize && !active(); }
};

inline constinit World world;

}  // namespace tessera::api
