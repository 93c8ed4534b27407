// SPDX-License-Identifier: BSD-3-Clause
// Putting an operation together from operations of teams. Between systems: flat, as in Kielmann,
// Hofman, Bal, Plaat and Bhoedjang, "MagPIe: MPI's collective communication operations for
// clustered wide area systems", PPoPP 1999.
#include "composer.h"

namespace tessera::coll::hierarchy {

Call Composer::inner(Operation operation, const Team& team) const noexcept {
  Call call;
  call.operation = operation;
  call.rank = team.me;
  call.size = call.remote_size = team.size();
  call.root = team.root;
  call.op = call_.op;
  return call;
}

StepId Composer::emit(const Call& inner, const Team& team, const Buffer& send,
                      const Buffer& receive, StepId after) {
  if (!status().ok() || team.size() == 1) return after;
  Part part(schedule_, team.ranks, send, receive, after);
  status_ = below_.emit(inner, schedule_);
  return status_.ok() ? part.end() : after;
}

StepId Composer::both(StepId a, StepId b) noexcept {
  if (a == kNoStep || a == b) return b;
  return b == kNoStep ? a : schedule_.copy({}, {}, {a, b});
}

StepId Composer::bcast(const Team& team, const Buffer& data, StepId after) {
  if (team.slow) return bcast_directly(team, data, after);
  Call call = inner(Operation::bcast, team);
  call.receive.count = data.count;
  call.receive.type = data.type != nullptr ? data.type : octets();
  return emit(call, team, {}, data, after);
}

StepId Composer::reduce(const Team& team, const Buffer& value, const Buffer& result, StepId after) {
  if (team.slow) return reduce_directly(team, value, result, after);
  Call call = inner(Operation::reduce, team);
  call.receive.count = value.count;
  call.receive.type = value.type;
  call.in_place = team.leads() && same(value, result);
  if (!call.in_place) call.send = call.receive;
  return emit(call, team, value, result, after);
}

StepId Composer::allreduce(const Team& team, const Buffer& value, const Buffer& result,
                           StepId after) {
  if (team.slow) return allreduce_directly(team, value, result, after);
  Call call = inner(Operation::allreduce, team);
  call.receive.count = value.count;
  call.receive.type = value.type;
  call.in_place = same(value, result);
  if (!call.in_place) call.send = call.receive;
  return emit(call, team, value, result, after);
}

StepId Composer::bcast_directly(const Team& team, const Buffer& data, StepId after) {
  if (team.size() == 1) return after;
  if (!team.leads())
    return schedule_.recv(team.ranks[static_cast<std::size_t>(team.root)], data, {after});
  const StepId sent = schedule_.copy({}, {}, {after});
  for (int i = 0; i < team.size(); ++i) {
    if (i != team.me)
      schedule_.order(schedule_.send(team.ranks[static_cast<std::size_t>(i)], data, {after}), sent);
  }
  return sent;
}

StepId Composer::reduce_directly(const Team& team, const Buffer& value, const Buffer& result,
                                 StepId after) {
  if (team.size() == 1) return after;
  if (!team.leads())
    return schedule_.send(team.ranks[static_cast<std::size_t>(team.root)], value, {after});
  return fold(team, value, result, after, kNoStep);
}

StepId Composer::allreduce_directly(const Team& team, const Buffer& value, const Buffer& result,
                                    StepId after) {
  if (team.size() == 1) return after;
  const StepId sent = schedule_.copy({}, {}, {after});
  for (int i = 0; i < team.size(); ++i) {
    if (i != team.me)
      schedule_.order(schedule_.send(team.ranks[static_cast<std::size_t>(i)], value, {after}),
                      sent);
  }
  return fold(team, value, result, after, sent);
}

// In the order of the team, from the last one down.
StepId Composer::fold(const Team& team, const Buffer& value, const Buffer& result, StepId after,
                      StepId sent) {
  Buffer sum{};
  StepId ready = kNoStep;
  for (int i = team.size() - 1; i >= 0; --i) {
    Buffer operand = value;
    StepId here = after;
    if (i != team.me || sum.type == nullptr) operand = schedule_.scratch(value.count, value.type);
    if (i != team.me)
      here = schedule_.recv(team.ranks[static_cast<std::size_t>(i)], operand, {after});
    if (sum.type == nullptr) {
      ready = i == team.me ? schedule_.copy(value, operand, {after}) : here;
      sum = operand;
    } else {
      ready = schedule_.reduce(operand, sum, {here, ready});
    }
  }
  return schedule_.copy(sum, result, {ready, sent});
}

}  // namespace tessera::coll::hierarchy
