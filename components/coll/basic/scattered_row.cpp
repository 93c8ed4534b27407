// SPDX-License-Identifier: BSD-3-Clause
// The first half of a broadcast by scatter and allgather.
#include "scattered_row.h"

#include <algorithm>

namespace tessera::coll::basic {

ScatteredRow::ScatteredRow(const Call& call, Schedule& schedule) noexcept
    : call_(call),
      schedule_(schedule),
      row_(schedule, result(call)),
      me_(modulo(call.rank - call.root, call.size)),
      sends_(schedule),
      recvs_(schedule) {}

int ScatteredRow::held(int v) const noexcept {
  return v == 0 ? call_.size : std::min(v & -v, call_.size - v);
}
bool ScatteredRow::has(int v, int piece, int number) const noexcept {
  return piece >= v && piece + number <= v + held(v);
}
int ScatteredRow::rank(int v) const noexcept {
  return modulo(modulo(v, call_.size) + call_.root, call_.size);
}
Buffer ScatteredRow::pieces(int first, int number) const noexcept {
  return row_.bytes(cut(row_.size(), call_.size, first),
                    cut(row_.size(), call_.size, first + number));
}

void ScatteredRow::scatter() noexcept {
  int bit = me_ == 0 ? 2 * power_below(call_.size) : me_ & -me_;
  scattered_ = me_ == 0 ? row_.filled(row_.size()) : recv(me_ - bit, me_, held(me_));
  for (bit /= 2; bit > 0; bit /= 2) {
    const int child = me_ + bit;
    if (child < call_.size) send(child, child, held(child), scattered_);
  }
}

void ScatteredRow::send(int v, int first, int number, StepId after) noexcept {
  sends_(schedule_.send(rank(v), pieces(first, number), {after}));
}
StepId ScatteredRow::recv(int v, int first, int number, StepId after) noexcept {
  const StepId step = recvs_(schedule_.recv(rank(v), pieces(first, number), {after}));
  row_.arrives(step);
  return step;
}
void ScatteredRow::finish() noexcept {
  if (me_ != 0) row_.emptied(row_.size());
}

}  // namespace tessera::coll::basic
