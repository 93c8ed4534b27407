// SPDX-License-Identifier: BSD-3-Clause
// Start and end of the World Model (MPI 5.0, section 11.2).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "api/comm/attributes.h"
#include "api/comm/comm_handle.h"
#include "api/env/abort.h"
#include "api/env/engine.h"
#include "api/env/world.h"
#include "api/errors/error.h"
#include "core/dynamic/dynamic.h"

using namespace tessera;
using namespace tessera::api;

namespace {

constexpr std::array thread_levels{MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                                   MPI_THREAD_MULTIPLE};

// Under the lock, as whoever uses sessions meanwhile compares communicators with these.
void open_world(int thread_level) {
  const EngineGuard guard(world.engine->progress());
  world.comm_world = &world.engine->world();
  world.comm_self = &world.engine->self();
  world.thread_level = thread_level;
  world.main_thread = ::pthread_self();
  world.phase.store(Phase::running, std::memory_order_release);
}

// A spawned process meets its parents before its MPI_Init returns.
Status meet_parents() {
  if (parents_port().empty()) return {};
  EngineGuard guard(world.engine->progress());
  return world.engine->dynamic().meet_parents();
}

int raise_second_init(const char* function) {
  return raise(
      function, MPI_ERR_OTHER,
      world.running()
          ? "MPI is initialized already; MPI_Initialized tells"
          : "MPI was finalized and cannot be initialized again; sessions can (MPI_Session_init)");
}

int start(const char* function, int required, int* provided) {
  if (world.phase.load() != Phase::before_init) return raise_second_init(function);
  if (std::find(thread_levels.begin(), thread_levels.end(), required) == thread_levels.end()) {
    return raise(
        function, MPI_ERR_ARG,
        fmt::format("argument `required` is {}; it must be one of the MPI_THREAD_ constants",
                    required));
  }
  if (const Status held = hold_engine(EngineUser::world_model, required == MPI_THREAD_MULTIPLE);
      !held.ok()) {
    if (held == Errc::no_memory) return raise(function, held);
    return raise(function, MPI_ERR_OTHER, held.text());
  }
  // A session that has said that there is one thread keeps the engine without its lock.
  const bool limited = required == MPI_THREAD_MULTIPLE && !world.engine->progress().locking();
  const int granted = limited ? MPI_THREAD_SERIALIZED : required;
  if (const Status met = meet_parents(); !met.ok()) {
    return raise(function, MPI_ERR_OTHER,
                 fmt::format("the processes that spawned this one cannot be met: {}", met.text()));
  }
  open_world(granted);
  if (provided != nullptr) *provided = granted;
  return MPI_SUCCESS;
}

int raise_not_running(const char* function) {
  return raise(function, MPI_ERR_OTHER,
               world.phase.load() == Phase::before_init ? "called before MPI_Init"
                                                        : "called after MPI_Finalize");
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Init)
extern "C" int PMPI_Init(int*, char***) {
  return start("MPI_Init", MPI_THREAD_SINGLE, nullptr);
}

TESSERA_WEAK_ALIAS(MPI_Init_thread)
extern "C" int PMPI_Init_thread(int*, char***, int required, int* provided) {
  if (provided == nullptr) return raise("MPI_Init_thread", MPI_ERR_ARG, null_pointer("provided"));
  return start("MPI_Init_thread", required, provided);
}

TESSERA_WEAK_ALIAS(MPI_Initialized)
extern "C" int PMPI_Initialized(int* flag) {
  if (flag == nullptr) return raise("MPI_Initialized", MPI_ERR_ARG, null_pointer("flag"));
  *flag = world.phase.load() != Phase::before_init;
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Finalized)
extern "C" int PMPI_Finalized(int* flag) {
  if (flag == nullptr) return raise("MPI_Finalized", MPI_ERR_ARG, null_pointer("flag"));
  *flag = world.phase.load() == Phase::after_finalize;
  return MPI_SUCCESS;
}

// The attributes of MPI_COMM_SELF go first, so that libraries can clean up while MPI still works
// (section 11.2.4). Where collective calls did not match, whoever ends the job for it does so while
// the others still wait for this process.
TESSERA_WEAK_ALIAS(MPI_Finalize)
extern "C" int PMPI_Finalize() {
  if (!world.running()) return raise_not_running("MPI_Finalize");
  const int deleted = world.comm_self->attributes().clear(MPI_COMM_SELF);
  if (deleted != MPI_SUCCESS)
    return outcome_of_callbacks("MPI_Finalize", object_of(MPI_COMM_SELF), deleted);
  const Status matched = end_collectives();
  const int code = matched.ok() ? MPI_SUCCESS : raise("MPI_Finalize", MPI_COMM_WORLD, matched);
  if (const Status left = leave_engine(EngineUser::world_model); !left)
    return raise("MPI_Finalize", left);
  return code;
}

TESSERA_WEAK_ALIAS(MPI_Query_thread)
extern "C" int PMPI_Query_thread(int* provided) {
  if (!world.running()) return raise_not_running("MPI_Query_thread");
  if (provided == nullptr) return raise("MPI_Query_thread", MPI_ERR_ARG, null_pointer("provided"));
  *provided = world.thread_level;
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Is_thread_main)
extern "C" int PMPI_Is_thread_main(int* flag) {
  if (!world.running()) return raise_not_running("MPI_Is_thread_main");
  if (flag == nullptr) return raise("MPI_Is_thread_main", MPI_ERR_ARG, null_pointer("flag"));
  *flag = ::pthread_equal(::pthread_self(), world.main_thread) != 0;
  return MPI_SUCCESS;
}

// Ends the whole job, whatever the communicator: no process could do useful work without the
// others.
TESSERA_WEAK_ALIAS(MPI_Abort)
extern "C" int PMPI_Abort(MPI_Comm comm, int errorcode) {
  const std::string where = object_of(comm).where;
  abort_job(errorcode, fmt::format("MPI_Abort: the program ends the job with code {} [{}]\n",
                                   errorcode, where));
}
