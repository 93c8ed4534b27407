// SPDX-License-Identifier: BSD-3-Clause
// The examination of accesses, and the texts for what is wrong with them.
#include "api/rma/access.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/collectives/op_handle.h"
#include "api/p2p/point_to_point.h"
#include "core/datatype/element_type.h"
#include "core/rma/combination.h"
#include "core/rma/window_request.h"

namespace tessera::api {
namespace {

const TypeObject& object(const Datatype& type) noexcept {
  return static_cast<const TypeObject&>(type);
}

const char* name_of(const TypeObject& type) noexcept {
  return type.name()[0] != 0 ? type.name() : "a derived datatype";
}

}  // namespace

bool Access::target() noexcept {
  if (!arguments_.exists() || !arguments_.rank(target_.rank, "target_rank") ||
      !arguments_.count(target_.count, "target_count"))
    return false;
  remote_ = {target_.rank, 0, 0, nullptr};
  if (target_.rank == MPI_PROC_NULL) return true;
  target_type_ = find_type(target_.datatype);
  if (!arguments_.type(target_type_, "target_datatype")) return false;
  remote_.type = target_type_;
  remote_.count = target_type_->size() == 0 ? 0 : target_.count;
  return in_range(*target_type_);
}

bool Access::in_range(const TypeObject& type) noexcept {
  const Win& win = window();
  const osc::Part& part = win.part(target_.rank);
  if (win.flavor() == osc::Flavor::dynamic) {
    remote_.displacement = target_.displacement;
    return true;
  }
  if (target_.displacement < 0) {
    return arguments_.fail(
        MPI_ERR_DISP,
        fmt::format("argument `target_disp` is {}; it must be at least 0", target_.displacement));
  }
  const Wide start = static_cast<Wide>(target_.displacement) * part.unit;
  if (remote_.count == 0) return true;
  const Wide reach = static_cast<Wide>(remote_.count - 1) * type.extent();
  const Wide first = start + type.true_lb() + std::min<Wide>(reach, 0);
  const Wide last = start + type.true_lb() + type.true_extent() + std::max<Wide>(reach, 0);
  if (first < 0 || last > part.size) return out_of_range(target_.displacement, first, last);
  remote_.displacement = static_cast<Aint>(start);
  return true;
}

bool Access::out_of_range(Aint displacement, Wide first, Wide last) noexcept {
  const osc::Part& part = window().part(target_.rank);
  constexpr Wide far = std::int64_t{1} << 62;
  return arguments_.fail(
      MPI_ERR_RMA_RANGE,
      fmt::format(
          "the access at `target_disp` {} (in units of {} bytes) of rank {} covers bytes {} "
          "to {} of its window, which has {} bytes",
          displacement, part.unit, target_.rank, static_cast<std::int64_t>(std::max(first, -far)),
          static_cast<std::int64_t>(std::min(last - 1, far)), part.size));
}

bool Access::side(const OriginArgument& given, const SideNames& names, osc::Local& local) noexcept {
  if (!arguments_.count(given.count, names.count)) return false;
  if (target_.rank == MPI_PROC_NULL) return true;
  const TypeObject* type = find_type(given.datatype);
  if (!arguments_.type(type, names.datatype) ||
      !arguments_.buffer(given.buffer, given.count, *type, names.buffer))
    return false;
  local = {const_cast<void*>(given.buffer), given.count, type};
  const Wide here = static_cast<Wide>(given.count) * type->size();
  const Wide there = static_cast<Wide>(target_.count) * target_type_->size();
  if (here == there) return true;
  return arguments_.fail(
      MPI_ERR_TYPE,
      fmt::format("`{}` and `{}` describe {} bytes, `target_count` and `target_datatype` {}; they "
                  "must be equal",
                  names.count, names.datatype, static_cast<std::int64_t>(here),
                  static_cast<std::int64_t>(there)));
}

bool Access::fits(const Op& op, const TypeObject& element) noexcept {
  return op.accepts(element) ||
         arguments_.fail(MPI_ERR_OP,
                         fmt::format("argument `op` is not defined for {}", name_of(element)));
}

bool Access::combination(MPI_Op handle, bool fetches, osc::Combination& how) noexcept {
  const Op* op = find_op(handle);
  if (op == nullptr) return arguments_.fail(MPI_ERR_OP, "argument `op` is no operation");
  if (!op->predefined()) {
    return arguments_.fail(MPI_ERR_OP,
                           "argument `op` is an operation of the program; accumulates take the "
                           "predefined ones, and MPI_REPLACE");
  }
  if (handle == MPI_NO_OP && !fetches) {
    return arguments_.fail(MPI_ERR_OP,
                           "argument `op` is MPI_NO_OP, which only MPI_Get_accumulate, "
                           "MPI_Rget_accumulate and MPI_Fetch_and_op take");
  }
  if (nothing()) return true;
  const TypeObject* element = element_type(*target_type_);
  if (element == nullptr) {
    return arguments_.fail(MPI_ERR_TYPE,
                           "argument `target_datatype` mixes several predefined types; those of an "
                           "accumulate consist of one");
  }
  how = combination_of(*op, static_cast<std::uint16_t>(number_of(handle)), *element);
  return fits(*op, *element);
}

bool Access::same_element(const osc::Local& local, const osc::Combination& how,
                          const SideNames& names) noexcept {
  if (nothing()) return true;
  const TypeObject* element = element_type(object(*local.type));
  if (element != nullptr && same_elements(*element, object(*how.element))) return true;
  return arguments_.fail(
      MPI_ERR_TYPE, fmt::format("argument `{}` does not consist of {}, as `target_datatype` does",
                                names.datatype, name_of(object(*how.element))));
}

bool Access::epoch(bool request) noexcept {
  const int rank = target_.rank;
  if (rank == MPI_PROC_NULL) return true;
  const Epochs& epochs = window().epochs();
  if (!epochs.admits(rank)) [[unlikely]]
    return arguments_.epoch(epochs.no_access(rank));
  if (request && !epochs.passive(rank)) [[unlikely]]
    return arguments_.epoch(epochs.no_request(rank));
  return true;
}

bool Access::compatible(WindowCheck::Call call) noexcept {
  call.function = arguments_.function();
  call.displacement = target_.displacement;
  const Status compared = window().check()->note(call, remote_);
  return compared.ok() || arguments_.fail(MPI_ERR_RMA_CONFLICT, compared.text());
}

int issue_with_request(Access& access, MPI_Request* handle,
                       Status (*act)(void* self, osc::Module& module, osc::Ticket* ticket),
                       void* self) noexcept {
  Win& window = access.window();
  auto* const request = new WindowRequest(window);
  window.enter(access.arguments().function());
  Status issued;
  if (!access.nothing()) issued = act(self, window.module(), request);
  request->done({});
  if (!issued.ok()) {
    request->free();
    return access.outcome(issued);
  }
  *handle = hand_over(request, window.own_comm());
  return MPI_SUCCESS;
}

}  // namespace tessera::api
