// SPDX-License-Identifier: BSD-3-Clause
// Whether what lies below carries out an operation by a schedule.
#include "probe.h"

#include "octets.h"

namespace tessera::coll::hierarchy {

namespace {

class AnyOp final : public Op {
 public:
  AnyOp() noexcept { commutative_ = false; }
  bool accepts(const Datatype&) const noexcept override { return true; }
  Status apply(const void*, void*, Count, const Datatype&) const noexcept override { return {}; }
};

bool ask(const Displaced& below, Operation operation) noexcept {
  static constexpr Count kCounts[] = {1, 1}, kPlaces[] = {0, 1};
  const AnyOp op;
  Call call;
  call.operation = operation;
  call.size = call.remote_size = 2;
  call.op = &op;
  call.send.count = 1;
  call.send.type = octets();
  call.send.counts = kCounts;
  call.send.displacements = kPlaces;
  call.receive = call.send;
  for (Module* module : below.modules(operation)) {
    Schedule schedule;
    if (module->emit(call, schedule).ok()) return true;
  }
  return false;
}

}  // namespace

bool Probe::emits(const Displaced& below, Operation operation) noexcept {
  Answer& answer = answers_[static_cast<std::size_t>(operation)];
  if (answer == Answer::unknown) answer = ask(below, operation) ? Answer::yes : Answer::no;
  return answer == Answer::yes;
}

}  // namespace tessera::coll::hierarchy
