// SPDX-License-Identifier: BSD-3-Clause
// Barrier: signals to the leaders, up to the outermost groups; a barrier of their leaders; signals
// down again. Cost between systems: one signal each way, all at once.
#include "operations.h"

namespace tessera::coll::hierarchy {

namespace {

// Number `distance` from the root on, cyclically, as a rank.
int member(const Team& team, int distance) noexcept {
  return team.ranks[static_cast<std::size_t>((team.root + distance) % team.size())];
}
int distance(const Team& team) noexcept {
  return (team.me - team.root + team.size()) % team.size();
}

// Along a binomial tree to the root.
StepId assemble(Schedule& schedule, const Team& team, StepId after) {
  const int me = distance(team);
  for (int bit = 1; bit < team.size(); bit *= 2) {
    if ((me & bit) != 0) return schedule.send(member(team, me - bit), {}, {after});
    if (me + bit < team.size()) after = schedule.recv(member(team, me + bit), {}, {after});
  }
  return after;
}

// And back.
StepId dismiss(Schedule& schedule, const Team& team, StepId after) {
  const int me = distance(team);
  int bit = 1;
  while (bit < team.size() && (me & bit) == 0) bit *= 2;
  if (me != 0) after = schedule.recv(member(team, me - bit), {}, {after});
  StepId last = after;
  for (bit /= 2; bit > 0; bit /= 2) {
    if (me + bit < team.size()) last = schedule.send(member(team, me + bit), {}, {after});
  }
  return last;
}

// To and from each.
StepId exchange(Schedule& schedule, const Team& team, StepId after) {
  const StepId all = schedule.copy({}, {}, {after});
  for (int i = 0; i < team.size(); ++i) {
    if (i == team.me) continue;
    schedule.order(schedule.send(team.ranks[static_cast<std::size_t>(i)], {}, {after}), all);
    schedule.order(schedule.recv(team.ranks[static_cast<std::size_t>(i)], {}, {after}), all);
  }
  return all;
}

}  // namespace

void barrier(Composer& composer, Count) {
  const Lead lead;
  const Tree& tree = composer.tree();
  const int leads_from = tree.leads_from(composer.position(), lead);
  const int last = tree.stages() - 1;
  StepId after = kNoStep;
  for (int stage = last; stage >= 1 && stage >= leads_from - 1; --stage)
    after = assemble(composer.schedule(), composer.team(stage, lead), after);
  if (leads_from <= 1) {
    const Team top = composer.team(0, lead);
    after = top.slow ? exchange(composer.schedule(), top, after)
                     : composer.emit(composer.inner(Operation::barrier, top), top, {}, {}, after);
  }
  for (int stage = leads_from <= 1 ? 1 : leads_from - 1; stage <= last; ++stage)
    after = dismiss(composer.schedule(), composer.team(stage, lead), after);
}

}  // namespace tessera::coll::hierarchy
