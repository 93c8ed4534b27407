// SPDX-License-Identifier: BSD-3-Clause
// coll/basic on one communicator.
#include "module.h"

#include <algorithm>
#include <new>

namespace tessera::coll::basic {

namespace {

// Operations in which all processes know that there is no data when one of them does. (The others
// leave out empty messages one by one.)
bool nothing_to_do(const Call& call) noexcept {
  constexpr Operation kMovements[] = {Operation::bcast, Operation::gather, Operation::scatter,
                                      Operation::allgather, Operation::alltoall};
  const bool all_know = reduces(call.operation) ||
                        std::find(std::begin(kMovements), std::end(kMovements), call.operation) !=
                            std::end(kMovements);
  return all_know && !call.inter && amount(call) == 0;
}

}  // namespace

Status BasicModule::emit(const Call& call, Schedule& schedule) noexcept {
  if (kept_ == nullptr) return write(call, schedule);
  kept_->count();
  if (!schedule.fresh()) return write(call, schedule);
  if (kept_->recall(number_, call, schedule)) return {};
  const Status written = write(call, schedule);
  if (written.ok()) kept_->note(number_, call, schedule);
  return written;
}

Status BasicModule::write(const Call& call, Schedule& schedule) noexcept {
  const Choice choice = chooser_.choose(call, layout_);
  if (choice.algorithm == nullptr) return Errc::unsupported;
  schedule.label(choice.algorithm->name, choice.rule);
  if (choice.refused && call.rank == 0 && chooser_.to_be_told(call.operation))
    schedule.complain(choice.rule);
  if (nothing_to_do(call)) return {};
  try {
    choice.algorithm->emit(call, choice.tuning, schedule);
    return schedule.status();
  } catch (const std::bad_alloc&) {
    return Status::failure(Errc::no_memory, "no memory for the schedule of a collective operation");
  }
}

}  // namespace tessera::coll::basic
