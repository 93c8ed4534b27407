// SPDX-License-Identifier: BSD-3-Clause
// coll/basic on one communicator.
#include "module.h"

#include <new>

namespace tessera::coll::basic {

namespace {

// Operations in which all processes know that there is no data when one of them does. (The others leave out
// empty messages one by one.)
bool nothing_to_do(const Call& call) noexcept {
  switch (call.operation) {
    case Operation::bcast:
    case Operation::gather:
    case Operation::scatter:
    case Operation::allgather:
    case Operation::alltoall:
    case Operation::reduce:
    case Operation::allreduce:
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
    case Operation::scan:
    case Operation::exscan:
      return !call.inter && amount(call) == 0;
    default:
      return false;
  }
}

}  // namespace

Status BasicModule::emit(const Call& call, Schedule& schedule) noexcept {
  const Choice choice = chooser_.choose(call, layout_);
  if (choice.algorithm == nullptr) return Errc::unsupported;
  schedule.label(choice.algorithm->name, choice.rule);
  if (choice.refused && call.rank == 0 && chooser_.to_be_told(call.operation)) schedule.complain(choice.rule);
  if (nothing_to_do(call)) return {};
  try {
    choice.algorithm->emit(call, choice.knobs, schedule);
    return schedule.status();
  } catch (const std::bad_alloc&) {
    return Status::failure(Errc::no_memory, "no memory for the schedule of a collective operation");
  }
}

}  // namespace tessera::coll::basic
