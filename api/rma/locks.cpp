// SPDX-License-Identifier: BSD-3-Clause
// Passive target synchronisation: locks, flush, sync (MPI-5.0 §12.5.3-12.5.4). MPI_PROC_NULL stands
// for no process at all: to lock, unlock or flush it does nothing.
#include <fmt/format.h>

#include "api/p2p/blocking_call.h"
#include "api/rma/arguments.h"

using namespace tessera;
using namespace tessera::api;

namespace {

bool right_type(WindowArguments& arguments, int lock_type) {
  return lock_type == MPI_LOCK_EXCLUSIVE || lock_type == MPI_LOCK_SHARED ||
         arguments.fail(MPI_ERR_LOCKTYPE,
                        fmt::format("argument `lock_type` is {}; it must be MPI_LOCK_EXCLUSIVE or "
                                    "MPI_LOCK_SHARED",
                                    lock_type));
}

// A promise that get_info gives back.
bool lockable(WindowArguments& arguments) {
  return arguments.that(!arguments.window()->hints().no_locks, MPI_ERR_RMA_SYNC,
                        "the window has the info key no_locks, which promises that it is never "
                        "locked");
}

using Act = Status (osc::Module::*)(int) noexcept;

int flush(WindowArguments& arguments, int rank, Act act) {
  Win& window = *arguments.window();
  EngineGuard guard(world.engine->progress());
  if (!arguments.epoch(window.epochs().may_flush(rank))) return arguments.raised();
  window.enter(arguments.function());
  const Status flushed = (window.module().*act)(rank);
  if (window.check() != nullptr) [[unlikely]] {
    act == &osc::Module::flush ? window.check()->done(rank) : window.check()->done_locally(rank);
  }
  return result(arguments.function(), window, flushed);
}

// Where the memory of others is this process's too, there is nothing to find out.
bool flushes_at_once(int rank, MPI_Win win) noexcept {
  const Win* const window = find_window(win);
  return window != nullptr && !window->direct().empty() && window->check() == nullptr &&
         rank >= 0 && rank < window->size() && !world.engine->progress().locking() &&
         window->epochs().passive(rank);
}

int flush_one(const char* function, int rank, MPI_Win win, Act act) {
  WindowArguments arguments(function, win);
  if (!arguments.exists() || !arguments.rank(rank, "rank")) return arguments.raised();
  return rank == MPI_PROC_NULL ? MPI_SUCCESS : flush(arguments, rank, act);
}

int flush_all(const char* function, MPI_Win win, Act act) {
  WindowArguments arguments(function, win);
  return arguments.exists() ? flush(arguments, osc::kAll, act) : arguments.raised();
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Win_lock)
extern "C" int PMPI_Win_lock(int lock_type, int rank, int assertion, MPI_Win win) {
  WindowArguments arguments("MPI_Win_lock", win);
  if (!arguments.exists() || !right_type(arguments, lock_type) || !arguments.rank(rank, "rank") ||
      !arguments.assertions(assertion, MPI_MODE_NOCHECK, "MPI_MODE_NOCHECK only") ||
      !lockable(arguments))
    return arguments.raised();
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  Win& window = *arguments.window();
  BlockingCall call(arguments.function(), window.own_comm());
  if (!arguments.epoch(window.epochs().may_lock(rank))) return arguments.raised();
  const osc::Lock kind = lock_type == MPI_LOCK_EXCLUSIVE ? osc::Lock::exclusive : osc::Lock::shared;
  const Status done = window.module().lock(kind, rank, assertion);
  if (done.ok()) window.epochs().locked(rank, kind, assertion == 0);
  return result(arguments.function(), window, done);
}

TESSERA_WEAK_ALIAS(MPI_Win_unlock)
extern "C" int PMPI_Win_unlock(int rank, MPI_Win win) {
  WindowArguments arguments("MPI_Win_unlock", win);
  if (!arguments.exists() || !arguments.rank(rank, "rank")) return arguments.raised();
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  Win& window = *arguments.window();
  BlockingCall call(arguments.function(), window.own_comm());
  if (!arguments.epoch(window.epochs().may_unlock(rank))) return arguments.raised();
  const Status done = window.module().unlock(rank);
  if (window.check() != nullptr) [[unlikely]]
    window.check()->done(rank);
  window.epochs().unlocked(rank);
  return result(arguments.function(), window, done);
}

TESSERA_WEAK_ALIAS(MPI_Win_lock_all)
extern "C" int PMPI_Win_lock_all(int assertion, MPI_Win win) {
  WindowArguments arguments("MPI_Win_lock_all", win);
  if (!arguments.exists() ||
      !arguments.assertions(assertion, MPI_MODE_NOCHECK, "MPI_MODE_NOCHECK only") ||
      !lockable(arguments))
    return arguments.raised();
  Win& window = *arguments.window();
  BlockingCall call(arguments.function(), window.own_comm());
  if (!arguments.epoch(window.epochs().may_lock_all())) return arguments.raised();
  const Status done = window.module().lock_all(assertion);
  if (done.ok()) window.epochs().locked_all();
  return result(arguments.function(), window, done);
}

TESSERA_WEAK_ALIAS(MPI_Win_unlock_all)
extern "C" int PMPI_Win_unlock_all(MPI_Win win) {
  WindowArguments arguments("MPI_Win_unlock_all", win);
  if (!arguments.exists()) return arguments.raised();
  Win& window = *arguments.window();
  BlockingCall call(arguments.function(), window.own_comm());
  if (!arguments.epoch(window.epochs().may_unlock_all())) return arguments.raised();
  const Status done = window.module().unlock_all();
  if (window.check() != nullptr) [[unlikely]]
    window.check()->done(osc::kAll);
  window.epochs().unlocked_all();
  return result(arguments.function(), window, done);
}

TESSERA_WEAK_ALIAS(MPI_Win_flush)
extern "C" int PMPI_Win_flush(int rank, MPI_Win win) {
  if (world.active() && flushes_at_once(rank, win))
    return result("MPI_Win_flush", *find_window(win), find_window(win)->module().flush(rank));
  return flush_one("MPI_Win_flush", rank, win, &osc::Module::flush);
}

TESSERA_WEAK_ALIAS(MPI_Win_flush_all)
extern "C" int PMPI_Win_flush_all(MPI_Win win) {
  return flush_all("MPI_Win_flush_all", win, &osc::Module::flush);
}

TESSERA_WEAK_ALIAS(MPI_Win_flush_local)
extern "C" int PMPI_Win_flush_local(int rank, MPI_Win win) {
  if (world.active() && flushes_at_once(rank, win)) return MPI_SUCCESS;
  return flush_one("MPI_Win_flush_local", rank, win, &osc::Module::flush_local);
}

TESSERA_WEAK_ALIAS(MPI_Win_flush_local_all)
extern "C" int PMPI_Win_flush_local_all(MPI_Win win) {
  return flush_all("MPI_Win_flush_local_all", win, &osc::Module::flush_local);
}

// Accepted in and outside of epochs: it only orders what this process loads and stores.
TESSERA_WEAK_ALIAS(MPI_Win_sync)
extern "C" int PMPI_Win_sync(MPI_Win win) {
  WindowArguments arguments("MPI_Win_sync", win);
  if (!arguments.exists()) return arguments.raised();
  EngineGuard guard(world.engine->progress());
  return result(arguments.function(), *arguments.window(), arguments.window()->module().sync());
}
