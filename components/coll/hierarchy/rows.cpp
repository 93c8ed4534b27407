// SPDX-License-Identifier: BSD-3-Clause
// Blocks of many processes on their way through the levels.
#include "rows.h"

#include <algorithm>

namespace tessera::coll::hierarchy {

namespace {

// Between systems: with each directly.
StepId move_directly(Composer& composer, Operation operation, const Team& team, const Row& row,
                     StepId after) {
  Schedule& schedule = composer.schedule();
  const bool up = operation == Operation::gatherv;
  const StepId all = schedule.copy({}, {}, {after});
  for (int i = 0; i < team.size(); ++i) {
    const bool mine = i == team.me;
    if (mine == team.leads()) continue;  // with the leader, all others; with others, their own part
    const Buffer part = row.of(team.parts[static_cast<std::size_t>(i)]);
    if (part.bytes() == 0) continue;
    const int peer = team.ranks[static_cast<std::size_t>(mine ? team.root : i)];
    schedule.order(
        up == mine ? schedule.send(peer, part, {after}) : schedule.recv(peer, part, {after}), all);
  }
  return all;
}

StepId move(Composer& composer, Operation operation, const Team& team, const Row& row,
            StepId after) {
  if (team.slow) return move_directly(composer, operation, team, row, after);
  const bool up = operation == Operation::gatherv;
  Call call = composer.inner(operation, team);
  Side& many = up ? call.receive : call.send;
  Side& mine = up ? call.send : call.receive;
  if (!team.leads()) {
    const Buffer part = row.of(team.parts[static_cast<std::size_t>(team.me)]);
    mine.count = part.count;
    mine.type = row.type();
    return composer.emit(call, team, part, part, after);
  }
  const Division division(team, row);
  division.describe(many, row);
  call.in_place = true;
  return composer.emit(call, team, row.memory(), row.memory(), after);
}

}  // namespace

Division::Division(const Team& team, const Row& row) {
  for (const Group& part : team.parts) {
    counts.push_back(row.count(part));
    displacements.push_back(row.count({row.held().first, part.first}));
  }
}

void Division::describe(Side& side, const Row& row) const noexcept {
  side.type = row.type();
  side.counts = counts.data();
  side.displacements = displacements.data();
}

StepId collect(Composer& composer, const Lead& lead, const Row& row, int until, StepId after) {
  const int least = std::max(until, composer.tree().leads_from(composer.position(), lead) - 1);
  for (int stage = composer.tree().stages() - 1; stage >= least; --stage)
    after = move(composer, Operation::gatherv, composer.team(stage, lead), row, after);
  return after;
}

StepId spread(Composer& composer, const Lead& lead, const Row& row, int from, StepId after) {
  const int least = std::max(from, composer.tree().leads_from(composer.position(), lead) - 1);
  for (int stage = least; stage < composer.tree().stages(); ++stage)
    after = move(composer, Operation::scatterv, composer.team(stage, lead), row, after);
  return after;
}

Group led_group(const Composer& composer, const Lead& lead, int least) {
  const int position = composer.position();
  const int depth = std::max(least, composer.tree().leads_from(position, lead));
  return composer.tree().group(depth, position);
}

Row packed_row(Composer& composer, const Blocks& blocks, const Group& held, const Datatype* type) {
  return {blocks, held, composer.schedule().scratch(blocks.of(held), type)};
}

}  // namespace tessera::coll::hierarchy
