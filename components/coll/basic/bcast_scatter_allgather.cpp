// SPDX-License-Identifier: BSD-3-Clause
// Broadcast by scattering pieces along a binomial tree and collecting them around a ring.
// Cost for n bytes: (ceil(log2 p) + p - 1) latency + 2 n (p - 1) / p / bandwidth. Source: Barnett, Gupta,
// Payne, Shuler, van de Geijn, Watts, "Interprocessor collective communication library (InterCom)", SHPCC
// 1994.
#include <algorithm>

#include "algorithms.h"
#include "byte_row.h"

namespace tessera::coll::basic {

namespace {

// How many pieces process v (counted from the root) holds after the scatter: those of its subtree.
int held(int v, int size) noexcept {
  return v == 0 ? size : std::min(v & -v, size - v);
}

class Broadcast {
 public:
  Broadcast(const Call& call, Schedule& schedule) noexcept
      : call_(call),
        schedule_(schedule),
        row_(schedule, result(call)),
        me_(modulo(call.rank - call.root, call.size)),
        sends_(schedule),
        recvs_(schedule) {}

  void scatter() noexcept {
    int bit = me_ == 0 ? 2 * power_below(call_.size) : me_ & -me_;
    scattered_ = me_ == 0 ? row_.filled(row_.size()) : recv(me_ - bit, pieces(me_, held(me_, call_.size)));
    for (bit /= 2; bit > 0; bit /= 2) {
      const int child = me_ + bit;
      if (child >= call_.size) continue;
      sends_(schedule_.send(rank(child), pieces(child, held(child, call_.size)), {scattered_}));
    }
  }

  // Round i passes piece me - i to the right and takes piece me - 1 - i from the left, unless it came by the
  // scatter.
  void collect() noexcept {
    const int right = modulo(me_ + 1, call_.size);
    StepId arrived = kNoStep;
    for (int i = 0; i + 1 < call_.size; ++i) {
      const int outgoing = modulo(me_ - i, call_.size);
      const int incoming = modulo(me_ - 1 - i, call_.size);
      if (!has(right, outgoing)) {
        const StepId here = has(me_, outgoing) ? scattered_ : arrived;
        sends_(schedule_.send(rank(right), pieces(outgoing, 1), {here}));
      }
      if (!has(me_, incoming)) arrived = recv(me_ - 1, pieces(incoming, 1));
    }
    if (me_ != 0) row_.emptied(row_.size());
  }

 private:
  int rank(int v) const noexcept { return modulo(modulo(v, call_.size) + call_.root, call_.size); }
  bool has(int v, int piece_number) const noexcept {
    return piece_number >= v && piece_number < v + held(v, call_.size);
  }
  Buffer pieces(int first, int number) const noexcept {
    return row_.bytes(cut(row_.size(), call_.size, first), cut(row_.size(), call_.size, first + number));
  }
  StepId recv(int v, const Buffer& where) noexcept {
    const StepId step = recvs_(schedule_.recv(rank(v), where));
    row_.arrives(step);
    return step;
  }

  const Call& call_;
  Schedule& schedule_;
  ByteRow row_;
  int me_;
  Lane sends_, recvs_;
  StepId scattered_ = kNoStep;
};

}  // namespace

void bcast_scatter_allgather(const Call& call, Schedule& schedule) {
  Broadcast broadcast(call, schedule);
  broadcast.scatter();
  broadcast.collect();
}

}  // namespace tessera::coll::basic
