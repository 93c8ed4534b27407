// SPDX-License-Identifier: BSD-3-Clause
// The last schedule of each operation.
#include "kept_schedules.h"

#include <new>

namespace tessera::coll::basic {

bool KeptSchedules::plain(const Call& call) noexcept {
  const auto lasting = [](const Side& side) {
    return !side.counts && !side.displacements && side.types == nullptr &&
           (side.type == nullptr || side.type->predefined());
  };
  return lasting(call.send) && lasting(call.receive) &&
         (call.op == nullptr || call.op->predefined());
}

inline KeptSchedules::Key KeptSchedules::key_of(std::uint64_t number, const Call& call) noexcept {
  return {number,          call.root,          call.in_place,  call.op,
          call.send.count, call.receive.count, call.send.type, call.receive.type};
}

bool KeptSchedules::recall(std::uint64_t number, const Call& call,
                           Schedule& schedule) const noexcept {
  const Last& last = last_[static_cast<std::size_t>(call.operation)];
  return last.kept && plain(call) && last.key == key_of(number, call) &&
         schedule.assign(*last.schedule);
}

void KeptSchedules::note(std::uint64_t number, const Call& call,
                         const Schedule& schedule) noexcept {
  if (!plain(call)) return;
  Last& last = last_[static_cast<std::size_t>(call.operation)];
  const Key key = key_of(number, call);
  const bool again = last.key == key;
  last.key = key;
  last.kept = false;
  if (!again) return;
  if (last.schedule == nullptr) last.schedule.reset(new (std::nothrow) Schedule);
  if (last.schedule == nullptr) return;
  last.schedule->clear();
  last.kept = last.schedule->assign(schedule);
}

}  // namespace tessera::coll::basic
