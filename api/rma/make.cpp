// SPDX-License-Identifier: BSD-3-Clause
// Making and freeing windows (MPI-5.0 §12.2.1-12.2.5).
#include <fmt/format.h>

#include "api/comm/attributes.h"
#include "api/comm/make.h"
#include "api/env/info_handle.h"
#include "api/rma/arguments.h"
#include "core/impi/spanned.h"
#include "core/rma/one_sided.h"
#include "framework/help_topics.h"

using namespace tessera;
using namespace tessera::api;

namespace {

struct Making {
  const char* function;
  osc::Flavor flavor;
  void* base;
  Aint size;
  Aint unit;
  MPI_Info info;
  MPI_Comm comm;
};

// What only this process knows to be wrong: all others hear of it, so that the call fails at all.
int wrong_class(const Making& making, std::string& text) {
  if (making.size < 0) {
    text = fmt::format("argument `size` is {}; it must be at least 0", making.size);
    return MPI_ERR_SIZE;
  }
  if (making.unit <= 0) {
    text = fmt::format("argument `disp_unit` is {}; it must be at least 1", making.unit);
    return MPI_ERR_DISP;
  }
  if (making.flavor == osc::Flavor::create && making.base == nullptr && making.size > 0) {
    text = fmt::format("argument `base` is a null pointer, but `size` is {}", making.size);
    return MPI_ERR_BASE;
  }
  if (making.info != MPI_INFO_NULL && find_info(making.info) == nullptr) {
    text = "argument `info` is no info object; MPI_INFO_NULL stands for none";
    return MPI_ERR_INFO;
  }
  return MPI_SUCCESS;
}

int class_of_failure(const Making& making, int wrong, Status failure) {
  if (wrong != MPI_SUCCESS) return wrong;
  switch (failure.code()) {
    case Errc::argument:
      return MPI_ERR_ARG;
    case Errc::no_memory:
    case Errc::no_space:
      return MPI_ERR_NO_MEM;
    case Errc::unsupported:
      return making.flavor == osc::Flavor::shared ? MPI_ERR_RMA_SHARED : MPI_ERR_OTHER;
    case Errc::peer_failed:
      return MPI_ERR_PROC_ABORTED;
    default:
      return MPI_ERR_OTHER;
  }
}

// `baseptr` takes the base where the module has allocated it.
int make_one(const Making& making, void* baseptr, bool allocates, MPI_Win* win) {
  Arguments arguments(making.function, making.comm);
  if (arguments.comm() == nullptr || !arguments.pointer(win, "win") ||
      !arguments.that(!allocates || baseptr != nullptr, MPI_ERR_ARG,
                      "argument `baseptr` is a null pointer; it must point to a pointer") ||
      !arguments.that(!arguments.comm()->inter(), MPI_ERR_COMM,
                      "the communicator is an intercommunicator; a window needs one group"))
    return arguments.raised();
  Comm& comm = *arguments.comm();
  if (const Status one = impi::within_one_system(comm, "windows"); !one)
    return arguments.raised(one);
  BlockingCall call(making.function, comm);
  Win::Spec spec;
  spec.flavor = making.flavor;
  spec.part = {making.size, making.unit, reinterpret_cast<std::uintptr_t>(making.base)};
  const int wrong = wrong_class(making, spec.wrong);
  if (wrong == MPI_SUCCESS) spec.hints = hints_of(making.info);
  auto made = make_window(comm, std::move(spec));
  if (!made.ok()) {
    return raise(making.function, making.comm, class_of_failure(making, wrong, made.status()),
                 made.status().text());
  }
  if (allocates) *static_cast<void**>(baseptr) = reinterpret_cast<void*>((*made)->own().base);
  *win = handle_of(**made);
  return MPI_SUCCESS;
}

// The agent starts when this thread has left the engine, which has a lock from then on. Without it
// all works as it does with osc_am_progress = none.
int make(const Making& making, void* baseptr, bool allocates, MPI_Win* win) {
  const int code = make_one(making, baseptr, allocates, win);
  if (code != MPI_SUCCESS) return code;
  const Status started = world.engine->one_sided().start_agent(world.engine->progress());
  if (!started.ok()) show_help(topics::agent_missing, started.text());
  return code;
}

template <class Unit>
int create(const char* function, void* base, MPI_Aint size, Unit unit, MPI_Info info, MPI_Comm comm,
           MPI_Win* win) {
  return make({function, osc::Flavor::create, base, size, unit, info, comm}, nullptr, false, win);
}

template <class Unit>
int allocate(const char* function, osc::Flavor flavor, MPI_Aint size, Unit unit, MPI_Info info,
             MPI_Comm comm, void* baseptr, MPI_Win* win) {
  return make({function, flavor, nullptr, size, unit, info, comm}, baseptr, true, win);
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Win_create)
extern "C" int PMPI_Win_create(void* base, MPI_Aint size, int disp_unit, MPI_Info info,
                               MPI_Comm comm, MPI_Win* win) {
  return create("MPI_Win_create", base, size, disp_unit, info, comm, win);
}

TESSERA_WEAK_ALIAS(MPI_Win_create_c)
extern "C" int PMPI_Win_create_c(void* base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info,
                                 MPI_Comm comm, MPI_Win* win) {
  return create("MPI_Win_create_c", base, size, disp_unit, info, comm, win);
}

TESSERA_WEAK_ALIAS(MPI_Win_allocate)
extern "C" int PMPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                                 void* baseptr, MPI_Win* win) {
  return allocate("MPI_Win_allocate", osc::Flavor::allocate, size, disp_unit, info, comm, baseptr,
                  win);
}

TESSERA_WEAK_ALIAS(MPI_Win_allocate_c)
extern "C" int PMPI_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                                   void* baseptr, MPI_Win* win) {
  return allocate("MPI_Win_allocate_c", osc::Flavor::allocate, size, disp_unit, info, comm, baseptr,
                  win);
}

TESSERA_WEAK_ALIAS(MPI_Win_allocate_shared)
extern "C" int PMPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                                        void* baseptr, MPI_Win* win) {
  return allocate("MPI_Win_allocate_shared", osc::Flavor::shared, size, disp_unit, info, comm,
                  baseptr, win);
}

TESSERA_WEAK_ALIAS(MPI_Win_allocate_shared_c)
extern "C" int PMPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info,
                                          MPI_Comm comm, void* baseptr, MPI_Win* win) {
  return allocate("MPI_Win_allocate_shared_c", osc::Flavor::shared, size, disp_unit, info, comm,
                  baseptr, win);
}

TESSERA_WEAK_ALIAS(MPI_Win_create_dynamic)
extern "C" int PMPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return make({"MPI_Win_create_dynamic", osc::Flavor::dynamic, nullptr, 0, 1, info, comm}, nullptr,
              false, win);
}

// Delete functions run first, and may still use the window.
TESSERA_WEAK_ALIAS(MPI_Win_free)
extern "C" int PMPI_Win_free(MPI_Win* win) {
  constexpr const char* function = "MPI_Win_free";
  if (win == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("win"));
  WindowArguments arguments(function, *win);
  if (!arguments.exists()) return arguments.raised();
  Win& window = *arguments.window();
  BlockingCall call(function, window.own_comm());
  if (!arguments.epoch(window.epochs().may_free())) return arguments.raised();
  if (const int code = window.attributes().clear(*win); code != MPI_SUCCESS)
    return outcome_of_callbacks(function, object_of(window), code);
  if (const Status freed = window.free(); !freed.ok()) return raise(function, window, freed);
  *win = MPI_WIN_NULL;
  window.release();
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Win_attach)
extern "C" int PMPI_Win_attach(MPI_Win win, void* base, MPI_Aint size) {
  WindowArguments arguments("MPI_Win_attach", win);
  if (!arguments.exists() ||
      !arguments.that(arguments.window()->flavor() == osc::Flavor::dynamic, MPI_ERR_RMA_FLAVOR,
                      "memory can be attached to windows of MPI_Win_create_dynamic only") ||
      !arguments.that(size >= 0, MPI_ERR_SIZE, "argument `size` is negative") ||
      !arguments.that(base != nullptr || size == 0, MPI_ERR_BASE,
                      "argument `base` is a null pointer, but `size` is not 0"))
    return arguments.raised();
  EngineGuard guard(world.engine->progress());
  return result(arguments.function(), *arguments.window(), arguments.window()->attach(base, size),
                MPI_ERR_RMA_ATTACH);
}

TESSERA_WEAK_ALIAS(MPI_Win_detach)
extern "C" int PMPI_Win_detach(MPI_Win win, const void* base) {
  WindowArguments arguments("MPI_Win_detach", win);
  if (!arguments.exists() ||
      !arguments.that(arguments.window()->flavor() == osc::Flavor::dynamic, MPI_ERR_RMA_FLAVOR,
                      "memory can be detached from windows of MPI_Win_create_dynamic only"))
    return arguments.raised();
  EngineGuard guard(world.engine->progress());
  return result(arguments.function(), *arguments.window(), arguments.window()->detach(base),
                MPI_ERR_RMA_ATTACH);
}

namespace {

// The lowest rank that has memory stands for MPI_PROC_NULL; the first one if nobody has.
int rank_asked(const Win& window, int rank) {
  if (rank != MPI_PROC_NULL) return rank;
  for (int r = 0; r < window.size(); ++r) {
    if (window.part(r).size > 0) return r;
  }
  return 0;
}

template <class Unit>
int query(const char* function, MPI_Win win, int rank, MPI_Aint* size, Unit* unit, void* baseptr) {
  WindowArguments arguments(function, win);
  if (!arguments.exists() ||
      !arguments.that(arguments.window()->flavor() != osc::Flavor::dynamic, MPI_ERR_RMA_FLAVOR,
                      "a window of MPI_Win_create_dynamic has no memory of its own to ask for") ||
      !arguments.rank(rank, "rank") || !arguments.pointer(size, "size") ||
      !arguments.pointer(unit, "disp_unit") || !arguments.pointer(baseptr, "baseptr"))
    return arguments.raised();
  Win& window = *arguments.window();
  EngineGuard guard(world.engine->progress());
  const int asked = rank_asked(window, rank);
  const osc::Part& part = window.part(asked);
  if (static_cast<Aint>(static_cast<Unit>(part.unit)) != part.unit) {
    return raise(function, window, MPI_ERR_VALUE_TOO_LARGE,
                 fmt::format("the displacement unit of rank {} is {}, which does not fit an int; "
                             "MPI_Win_shared_query_c tells it",
                             asked, part.unit));
  }
  void* const address = window.module().address(asked);
  *size = address != nullptr ? part.size : 0;
  *unit = static_cast<Unit>(part.unit);
  *static_cast<void**>(baseptr) = address;
  return MPI_SUCCESS;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Win_shared_query)
extern "C" int PMPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint* size, int* disp_unit,
                                     void* baseptr) {
  return query("MPI_Win_shared_query", win, rank, size, disp_unit, baseptr);
}

TESSERA_WEAK_ALIAS(MPI_Win_shared_query_c)
extern "C" int PMPI_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint* size, MPI_Aint* disp_unit,
                                       void* baseptr) {
  return query("MPI_Win_shared_query_c", win, rank, size, disp_unit, baseptr);
}
