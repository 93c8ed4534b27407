// SPDX-License-Identifier: BSD-3-Clause
// MPI_Put and MPI_Get with their sisters (MPI-5.0 §12.3.1, §12.3.2, §12.3.5).
#include "api/rma/simple_access.h"

using namespace tessera;
using namespace tessera::api;

namespace {

enum class Direction { put, get };

struct Transfer {
  const char* function;
  Direction direction;
  MPI_Request* request;  // null where the call has none
  bool has_request;
};

int transfer(const Transfer& what, const OriginArgument& origin, const TargetArgument& target,
             MPI_Win win) noexcept {
  if (!world.active()) return raise_not_window(what.function, win);
  EngineGuard guard(world.engine->progress());
  Access access(what.function, win, target);
  osc::Local local{};
  if (!access.target() || !access.side(origin, kOriginNames, local) ||
      !access.epoch(what.has_request) ||
      (what.has_request && !access.arguments().pointer(what.request, "request")) ||
      !access.checked(what.direction == Direction::put
                          ? WindowCheck::Call{.kind = AccessRecord::Kind::put}
                          : WindowCheck::Call{.kind = AccessRecord::Kind::get,
                                              .fetches = true,
                                              .has_request = what.has_request})) [[unlikely]]
    return access.raised();
  if (what.direction == Direction::put) {
    return carry_out(access, what.has_request, what.request,
                     [&](osc::Module& module, osc::Ticket* ticket) {
                       return module.put(local, access.remote(), ticket);
                     });
  }
  return carry_out(access, what.has_request, what.request,
                   [&](osc::Module& module, osc::Ticket* ticket) {
                     return module.get(local, access.remote(), ticket);
                   });
}

// Calls without a request.
template <Direction direction>
[[gnu::always_inline]] inline int transfer(const char* function, const OriginArgument& origin,
                                           const TargetArgument& target, MPI_Win win) noexcept {
  if (world.active() && origin.count == target.count && origin.datatype == target.datatype) {
    EngineGuard guard(world.engine->progress());
    SimpleAccess access;
    if (access.examine(origin.buffer, target, win)) {
      return direction == Direction::put ? access.put(function, origin.buffer)
                                         : access.get(function, const_cast<void*>(origin.buffer));
    }
  }
  return transfer({function, direction, nullptr, false}, origin, target, win);
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Put)
extern "C" int PMPI_Put(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                        int target_rank, MPI_Aint target_disp, int target_count,
                        MPI_Datatype target_datatype, MPI_Win win) {
  return transfer<Direction::put>("MPI_Put", {origin_addr, origin_count, origin_datatype},
                                  {target_rank, target_disp, target_count, target_datatype}, win);
}

TESSERA_WEAK_ALIAS(MPI_Put_c)
extern "C" int PMPI_Put_c(const void* origin_addr, MPI_Count origin_count,
                          MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                          MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win) {
  return transfer<Direction::put>("MPI_Put_c", {origin_addr, origin_count, origin_datatype},
                                  {target_rank, target_disp, target_count, target_datatype}, win);
}

TESSERA_WEAK_ALIAS(MPI_Get)
extern "C" int PMPI_Get(void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                        int target_rank, MPI_Aint target_disp, int target_count,
                        MPI_Datatype target_datatype, MPI_Win win) {
  return transfer<Direction::get>("MPI_Get", {origin_addr, origin_count, origin_datatype},
                                  {target_rank, target_disp, target_count, target_datatype}, win);
}

TESSERA_WEAK_ALIAS(MPI_Get_c)
extern "C" int PMPI_Get_c(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                          int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                          MPI_Datatype target_datatype, MPI_Win win) {
  return transfer<Direction::get>("MPI_Get_c", {origin_addr, origin_count, origin_datatype},
                                  {target_rank, target_disp, target_count, target_datatype}, win);
}

TESSERA_WEAK_ALIAS(MPI_Rput)
extern "C" int PMPI_Rput(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                         int target_rank, MPI_Aint target_disp, int target_count,
                         MPI_Datatype target_datatype, MPI_Win win, MPI_Request* request) {
  return transfer({"MPI_Rput", Direction::put, request, true},
                  {origin_addr, origin_count, origin_datatype},
                  {target_rank, target_disp, target_count, target_datatype}, win);
}

TESSERA_WEAK_ALIAS(MPI_Rput_c)
extern "C" int PMPI_Rput_c(const void* origin_addr, MPI_Count origin_count,
                           MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                           MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win,
                           MPI_Request* request) {
  return transfer({"MPI_Rput_c", Direction::put, request, true},
                  {origin_addr, origin_count, origin_datatype},
                  {target_rank, target_disp, target_count, target_datatype}, win);
}

TESSERA_WEAK_ALIAS(MPI_Rget)
extern "C" int PMPI_Rget(void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                         int target_rank, MPI_Aint target_disp, int target_count,
                         MPI_Datatype target_datatype, MPI_Win win, MPI_Request* request) {
  return transfer({"MPI_Rget", Direction::get, request, true},
                  {origin_addr, origin_count, origin_datatype},
                  {target_rank, target_disp, target_count, target_datatype}, win);
}

TESSERA_WEAK_ALIAS(MPI_Rget_c)
extern "C" int PMPI_Rget_c(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                           int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                           MPI_Datatype target_datatype, MPI_Win win, MPI_Request* request) {
  return transfer({"MPI_Rget_c", Direction::get, request, true},
                  {origin_addr, origin_count, origin_datatype},
                  {target_rank, target_disp, target_count, target_datatype}, win);
}
