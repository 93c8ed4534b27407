// SPDX-License-Identifier: BSD-3-Clause
// Binomial trees: in round k, the processes whose number has bit k as its lowest one talk to the
// one without it.
#include "trees.h"

#include "partial_reduction.h"

namespace tessera::coll::basic {

void bcast_on(Schedule& schedule, const Team& team, int root, const Buffer& data,
              StepId after) noexcept {
  const int me = modulo(team.rank - root, team.size);
  int bit = 1;
  while (bit < team.size && (me & bit) == 0) bit *= 2;
  if (me != 0) after = schedule.recv(team.to(modulo(me - bit + root, team.size)), data, {after});
  for (bit /= 2; bit > 0; bit /= 2) {
    if (me + bit < team.size)
      schedule.send(team.to(modulo(me + bit + root, team.size)), data, {after});
  }
}

StepId reduce_on(Schedule& schedule, const Team& team, int root, bool commutative,
                 const Buffer& input, const Buffer& target) noexcept {
  const int me = modulo(team.rank - root, team.size);
  PartialReduction partial = me == 0 ? PartialReduction(schedule, commutative, input, target)
                                     : PartialReduction(schedule, commutative, input);
  for (int bit = 1; bit < team.size; bit *= 2) {
    if ((me & bit) != 0) return partial.send(team.to(modulo(me - bit + root, team.size)));
    if (me + bit < team.size) {
      partial.absorb(team.to(modulo(me + bit + root, team.size)), true, 2 * bit >= team.size);
    }
  }
  return partial.finish();
}

StepId assemble_on(Schedule& schedule, const Team& team) noexcept {
  const StepId complete = join(schedule);
  for (int bit = 1; bit < team.size; bit *= 2) {
    if ((team.rank & bit) != 0) return schedule.send(team.to(team.rank - bit), {}, {complete});
    if (team.rank + bit < team.size)
      schedule.order(schedule.recv(team.to(team.rank + bit), {}), complete);
  }
  return complete;
}

}  // namespace tessera::coll::basic
