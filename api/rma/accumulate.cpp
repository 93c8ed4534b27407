// SPDX-License-Identifier: BSD-3-Clause
// The accumulate family (MPI-5.0 §12.3.4, §12.3.5).
#include "api/rma/simple_access.h"

using namespace tessera;
using namespace tessera::api;

namespace {

using Effect = osc::Combination::Kind;

struct Call {
  const char* function;
  MPI_Op op;
  bool has_request;
  MPI_Request* request;
};

// Most programs do the same to the same type again and again.
void keep_combination(Access& access, MPI_Op op, const osc::Combination& how) noexcept {
  if (!access.nothing() && access.remote().type == how.element)
    access.window().last_combination().keep(number_of(op), how);
}

int accumulate(const Call& call, const OriginArgument& origin, const TargetArgument& target,
               MPI_Win win) noexcept {
  if (!world.active()) return raise_not_window(call.function, win);
  EngineGuard guard(world.engine->progress());
  if (SimpleAccess simple; !call.has_request && origin.count == target.count &&
                           origin.datatype == target.datatype &&
                           simple.examine(origin.buffer, target, win)) {
    const osc::Combination* const how = simple.combination(call.op);
    if (how != nullptr && how->kind != Effect::no_op)
      return simple.accumulate(call.function, origin.buffer, *how);
  }
  Access access(call.function, win, target);
  osc::Local local{};
  osc::Combination how{};
  if (!access.target() || !access.side(origin, kOriginNames, local) ||
      !access.combination(call.op, false, how) || !access.same_element(local, how, kOriginNames) ||
      !access.epoch(call.has_request) ||
      (call.has_request && !access.arguments().pointer(call.request, "request")) ||
      !access.checked({.kind = AccessRecord::Kind::accumulate, .how = &how})) [[unlikely]]
    return access.raised();
  keep_combination(access, call.op, how);
  return carry_out(access, call.has_request, call.request,
                   [&](osc::Module& module, osc::Ticket* ticket) {
                     return module.accumulate(local, access.remote(), how, ticket);
                   });
}

// With MPI_NO_OP nothing is said about the origin, whatever is given.
int get_accumulate(const Call& call, const OriginArgument& origin, const OriginArgument& into,
                   const TargetArgument& target, MPI_Win win) noexcept {
  if (!world.active()) return raise_not_window(call.function, win);
  EngineGuard guard(world.engine->progress());
  Access access(call.function, win, target);
  osc::Local local{};
  osc::Local result{};
  osc::Combination how{};
  if (!access.target() || !access.side(into, kResultNames, result) ||
      !access.combination(call.op, true, how) || !access.same_element(result, how, kResultNames))
      [[unlikely]]
    return access.raised();
  if (how.kind != Effect::no_op && (!access.side(origin, kOriginNames, local) ||
                                    !access.same_element(local, how, kOriginNames))) [[unlikely]]
    return access.raised();
  if (!access.epoch(call.has_request) ||
      (call.has_request && !access.arguments().pointer(call.request, "request")) ||
      !access.checked({.kind = AccessRecord::Kind::accumulate,
                       .how = &how,
                       .fetches = true,
                       .has_request = call.has_request})) [[unlikely]]
    return access.raised();
  return carry_out(access, call.has_request, call.request,
                   [&](osc::Module& module, osc::Ticket* ticket) {
                     return module.get_accumulate(local, result, access.remote(), how, ticket);
                   });
}

bool one_element(WindowArguments& arguments, const TypeObject* type) noexcept {
  return arguments.type(type, "datatype") &&
         arguments.that(type->predefined() && type->kind() != 0, MPI_ERR_TYPE,
                        "argument `datatype` is a derived datatype; it must be a predefined one");
}

bool swappable(WindowArguments& arguments, const TypeObject& type) noexcept {
  const Basic* basic = find_basic(type.kind());
  const BasicGroup group = basic != nullptr ? basic->group : BasicGroup::none;
  const bool right = group == BasicGroup::integer || group == BasicGroup::fortran_integer ||
                     group == BasicGroup::logical || group == BasicGroup::byte ||
                     group == BasicGroup::address;
  return arguments.that(right, MPI_ERR_TYPE,
                        "argument `datatype` is of a kind that cannot be compared and swapped; "
                        "integers, logicals, MPI_BYTE and address types can");
}

// For osc_check a swap is an accumulate that goes with all others.
bool compared(Access& access) noexcept {
  if (access.window().check() == nullptr) return true;
  osc::Combination how{};
  return access.combination(MPI_REPLACE, true, how) &&
         access.checked(
             {.kind = AccessRecord::Kind::accumulate, .how = &how, .swaps = true, .fetches = true});
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Fetch_and_op)
extern "C" int PMPI_Fetch_and_op(const void* origin_addr, void* result_addr, MPI_Datatype datatype,
                                 int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win) {
  constexpr const char* function = "MPI_Fetch_and_op";
  if (!world.active()) return raise_not_window(function, win);
  EngineGuard guard(world.engine->progress());
  const TargetArgument target{target_rank, target_disp, 1, datatype};
  if (SimpleAccess simple; simple.examine(result_addr, target, win)) {
    const osc::Combination* const how = simple.combination(op);
    const bool is_buffer = origin_addr != nullptr && origin_addr != MPI_IN_PLACE;
    if (how != nullptr && (is_buffer || how->kind == Effect::no_op))
      return simple.fetch(function, origin_addr, result_addr, *how);
  }
  Access access(function, win, target);
  osc::Combination how{};
  if (!access.target() || !one_element(access.arguments(), find_type(datatype)) ||
      !access.combination(op, true, how)) [[unlikely]]
    return access.raised();
  if (access.nothing()) return MPI_SUCCESS;
  if (!access.arguments().element(result_addr, "result_addr") ||
      (how.kind != Effect::no_op && !access.arguments().element(origin_addr, "origin_addr")) ||
      !access.epoch(false) ||
      !access.checked({.kind = AccessRecord::Kind::accumulate, .how = &how, .fetches = true}))
      [[unlikely]]
    return access.raised();
  keep_combination(access, op, how);
  access.window().epochs().accessed();
  access.window().enter(function);
  const osc::Remote& to = access.remote();
  return access.outcome(
      access.window().module().fetch(origin_addr, result_addr, to.rank, to.displacement, how));
}

TESSERA_WEAK_ALIAS(MPI_Compare_and_swap)
extern "C" int PMPI_Compare_and_swap(const void* origin_addr, const void* compare_addr,
                                     void* result_addr, MPI_Datatype datatype, int target_rank,
                                     MPI_Aint target_disp, MPI_Win win) {
  constexpr const char* function = "MPI_Compare_and_swap";
  if (!world.active()) return raise_not_window(function, win);
  EngineGuard guard(world.engine->progress());
  Access access(function, win, {target_rank, target_disp, 1, datatype});
  const TypeObject* type = find_type(datatype);
  if (!access.target() || !one_element(access.arguments(), type) ||
      !swappable(access.arguments(), *type)) [[unlikely]]
    return access.raised();
  if (access.nothing()) return MPI_SUCCESS;
  if (!access.arguments().element(origin_addr, "origin_addr") ||
      !access.arguments().element(compare_addr, "compare_addr") ||
      !access.arguments().element(result_addr, "result_addr") || !access.epoch(false) ||
      !compared(access)) [[unlikely]]
    return access.raised();
  access.window().epochs().accessed();
  access.window().enter(function);
  const osc::Remote& to = access.remote();
  return access.outcome(access.window().module().compare_and_swap(
      origin_addr, compare_addr, result_addr, *type, to.rank, to.displacement));
}

TESSERA_WEAK_ALIAS(MPI_Accumulate)
extern "C" int PMPI_Accumulate(const void* origin_addr, int origin_count,
                               MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                               int target_count, MPI_Datatype target_datatype, MPI_Op op,
                               MPI_Win win) {
  return accumulate({"MPI_Accumulate", op, false, nullptr},
                    {origin_addr, origin_count, origin_datatype},
                    {target_rank, target_disp, target_count, target_datatype}, win);
}

TESSERA_WEAK_ALIAS(MPI_Get_accumulate)
extern "C" int PMPI_Get_accumulate(const void* origin_addr, int origin_count,
                                   MPI_Datatype origin_datatype, void* result_addr,
                                   int result_count, MPI_Datatype result_datatype, int target_rank,
                                   MPI_Aint target_disp, int target_count,
                                   MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  return get_accumulate({"MPI_Get_accumulate", op, false, nullptr},
                        {origin_addr, origin_count, origin_datatype},
                        {result_addr, result_count, result_datatype},
                        {target_rank, target_disp, target_count, target_datatype}, win);
}

TESSERA_WEAK_ALIAS(MPI_Accumulate_c)
extern "C" int PMPI_Accumulate_c(const void* origin_addr, MPI_Count origin_count,
                                 MPI_Datatype origin_datatype, int target_rank,
                                 MPI_Aint target_disp, MPI_Count target_count,
                                 MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  return accumulate({"MPI_Accumulate_c", op, false, nullptr},
                    {origin_addr, origin_count, origin_datatype},
                    {target_rank, target_disp, target_count, target_datatype}, win);
}

TESSERA_WEAK_ALIAS(MPI_Get_accumulate_c)
extern "C" int PMPI_Get_accumulate_c(const void* origin_addr, MPI_Count origin_count,
                                     MPI_Datatype origin_datatype, void* result_addr,
                                     MPI_Count result_count, MPI_Datatype result_datatype,
                                     int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                                     MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  return get_accumulate({"MPI_Get_accumulate_c", op, false, nullptr},
                        {origin_addr, origin_count, origin_datatype},
                        {result_addr, result_count, result_datatype},
                        {target_rank, target_disp, target_count, target_datatype}, win);
}

TESSERA_WEAK_ALIAS(MPI_Raccumulate)
extern "C" int PMPI_Raccumulate(const void* origin_addr, int origin_count,
                                MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                                int target_count, MPI_Datatype target_datatype, MPI_Op op,
                                MPI_Win win, MPI_Request* request) {
  return accumulate({"MPI_Raccumulate", op, true, request},
                    {origin_addr, origin_count, origin_datatype},
                    {target_rank, target_disp, target_count, target_datatype}, win);
}

TESSERA_WEAK_ALIAS(MPI_Rget_accumulate)
extern "C" int PMPI_Rget_accumulate(const void* origin_addr, int origin_count,
                                    MPI_Datatype origin_datatype, void* result_addr,
                                    int result_count, MPI_Datatype result_datatype, int target_rank,
                                    MPI_Aint target_disp, int target_count,
                                    MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                                    MPI_Request* request) {
  return get_accumulate({"MPI_Rget_accumulate", op, true, request},
                        {origin_addr, origin_count, origin_datatype},
                        {result_addr, result_count, result_datatype},
                        {target_rank, target_disp, target_count, target_datatype}, win);
}

TESSERA_WEAK_ALIAS(MPI_Raccumulate_c)
extern "C" int PMPI_Raccumulate_c(const void* origin_addr, MPI_Count origin_count,
                                  MPI_Datatype origin_datatype, int target_rank,
                                  MPI_Aint target_disp, MPI_Count target_count,
                                  MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                                  MPI_Request* request) {
  return accumulate({"MPI_Raccumulate_c", op, true, request},
                    {origin_addr, origin_count, origin_datatype},
                    {target_rank, target_disp, target_count, target_datatype}, win);
}

TESSERA_WEAK_ALIAS(MPI_Rget_accumulate_c)
extern "C" int PMPI_Rget_accumulate_c(const void* origin_addr, MPI_Count origin_count,
                                      MPI_Datatype origin_datatype, void* result_addr,
                                      MPI_Count result_count, MPI_Datatype result_datatype,
                                      int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                                      MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                                      MPI_Request* request) {
  return get_accumulate({"MPI_Rget_accumulate_c", op, true, request},
                        {origin_addr, origin_count, origin_datatype},
                        {result_addr, result_count, result_datatype},
                        {target_rank, target_disp, target_count, target_datatype}, win);
}
