// SPDX-License-Identifier: BSD-3-Clause
// Who uses the engine, and when it starts and ends.
#include "api/env/engine.h"

#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "api/api.h"
#include "api/env/fault_report.h"
#include "api/env/wait_mistakes.h"
#include "api/handle.h"
#include "api/tool/state.h"
#include "core/request/buffered_sends.h"

namespace tessera::api {
namespace {

bool in_job() noexcept {
  return std::getenv("TESSERA_JOB") != nullptr;
}

// Starting allocates thousands of small pieces: a failure ends the start, not the process.
Result<std::unique_ptr<Instance>> make_engine(const Instance::Options& options) try {
  return Instance::make(options);
} catch (const std::bad_alloc&) {
  return Status::failure(Errc::no_memory, "memory is exhausted; the library cannot start");
}

Status start_engine(EngineUser user, bool threads) {
  if (world.taken_down && in_job()) {
    return Status::failure(
        Errc::refused,
        "MPI was finalized, and in a job of mpiexec it cannot start again in this process; a "
        "session that is opened once before MPI_Finalize makes that possible");
  }
  Instance::Options options;
  options.threads = threads;
  options.lazily = user == EngineUser::session;
  tools().prepare(options);
  auto made = make_engine(options);
  if (!made.ok()) return made.status();
  world.engine = made->release();
  tools().engine_began(*world.engine);
  world.check_arguments = world.engine->params().boolean("mpi_argument_check");
  world.attributes.fill();
  world.pid = ::getpid();
  report_faults(world.engine->job().my_id());
  world.engine->progress().set_onlooker(look_at_wait);
  return {};
}

// While a thread may be in the engine without the lock, no other can begin to use it: the lock is
// enabled by the first user, or where the only user so far has said that there is one thread.
bool may_lock() noexcept {
  return world.users == 0 ||
         (world.users == 1 && world.running() && world.thread_level == MPI_THREAD_SINGLE);
}

void take_down() noexcept {
  world.taken_down = true;
  tools().engine_ends();
  delete std::exchange(world.engine, nullptr);
}

// Not in a child of fork(), nor where the program ends without finalizing.
void end_at_exit() {
  if (world.engine == nullptr || world.active() || world.pid != ::getpid()) return;
  world.engine->part();
  take_down();
}

void come_to_rest() {
  static const bool registered = std::atexit(end_at_exit) == 0;
  if (!registered) take_down();
}

void end_world() noexcept {
  const EngineGuard guard(world.engine->progress());  // sessions of other threads may go on
  world.phase.store(Phase::after_finalize, std::memory_order_release);
  world.comm_world = world.comm_self = nullptr;
}

Status quiet_engine() {
  if (world.phase.load() != Phase::before_init) {
    if (Status s = world.engine->finish(); !s) return s;
  }
  if (world.sessions_seen) world.engine->rest();
  return {};
}

// Sessions go on: they do not use the buffer of the process any more, which the program may free
// now.
void detach_buffer() noexcept {
  EngineGuard guard(world.engine->progress());
  world.engine->buffered().detach();
}

}  // namespace

Status hold_engine(EngineUser user, bool threads) {
  const std::lock_guard lock(world.mutex);
  if (world.engine == nullptr) {
    if (Status s = start_engine(user, threads); !s) return s;
  } else {
    if (!world.active()) world.engine->resume();
    if (threads && may_lock()) world.engine->progress().enable_lock();
    if (user == EngineUser::world_model) {
      EngineGuard guard(world.engine->progress());
      world.engine->expect_all();
    }
  }
  if (user == EngineUser::session) world.sessions_seen = true;
  if (world.own == nullptr) world.own = &world.engine->self();  // other users may be reading it
  if (world.users++ == 0) world.handles = all_places;
  return {};
}

Status end_collectives() noexcept {
  const std::lock_guard lock(world.mutex);
  if (world.users != 1) return {};
  const EngineGuard guard(world.engine->progress());
  return world.engine->end_collectives();
}

Status leave_engine(EngineUser user) {
  const std::lock_guard lock(world.mutex);
  const bool last = world.users == 1;
  if (last) {
    if (Status s = quiet_engine(); !s) return s;
  } else if (user == EngineUser::world_model) {
    detach_buffer();
  }
  if (user == EngineUser::world_model) end_world();
  --world.users;
  if (!last) return {};
  world.own = nullptr;
  world.handles = 0;
  come_to_rest();  // a session may follow, also after MPI_Finalize (MPI-5.0 §11.2.2)
  return {};
}

}  // namespace tessera::api
