// SPDX-License-Identifier: BSD-3-Clause
// Allgather and allgatherv in ceil(log2 p) rounds with the most distant partners first, so that
// much of the data moves between near ones. Every block is a message of its own and comes straight
// to its place. With a radix k, ceil(log_k p) rounds with k - 1 partners each. Cost for blocks of n
// bytes: ceil(log2 p) rounds, p - 1 messages, n (p - 1) / bandwidth, no intermediate copies.
// Source: Loch, Koslovski, "Sparbit: a new logarithmic-cost and data locality-aware MPI allgather
// algorithm", arXiv:2109.08751, 2021.
#include <algorithm>
#include <vector>

#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

namespace {

// Seen from a process, block x is that of rank - x. After the round with distance d it has all
// blocks whose x is a multiple of d: in the round, those of x = i d + y come from rank - i d, where
// they were y.
class Sparbit {
 public:
  Sparbit(const Call& call, int radix, Schedule& schedule)
      : call_(call),
        schedule_(schedule),
        radix_(std::max(2, std::min(radix, call.size))),
        here_(static_cast<std::size_t>(call.size), kNoStep) {}

  void run() {
    if (!call_.in_place) schedule_.copy(own_block(call_), at(0));
    int distance = 1;
    while (distance < call_.size && distance <= (call_.size - 1) / radix_) distance *= radix_;
    for (; distance >= 1; distance /= radix_) round(distance);
  }

 private:
  void round(int distance) {
    for (int i = 1; i < radix_ && i * distance < call_.size; ++i) {
      const int way = i * distance;
      OrderedChain sends(schedule_), recvs(schedule_);
      for (int y = 0; y + way < call_.size; y += radix_ * distance) {
        sends(schedule_.send(modulo(call_.rank + way, call_.size),
                             y == 0 ? own_block(call_) : at(y), {here(y)}));
        here(y + way) = recvs(schedule_.recv(modulo(call_.rank - way, call_.size), at(y + way)));
      }
    }
  }
  StepId& here(int x) noexcept { return here_[static_cast<std::size_t>(x)]; }
  Buffer at(int x) const noexcept {
    return block(call_, Space::receive, modulo(call_.rank - x, call_.size));
  }

  const Call& call_;
  Schedule& schedule_;
  int radix_;
  std::vector<StepId> here_;  // received block x
};

}  // namespace

static void allgather_sparbit(const Call& call, const Tuning& tuning, Schedule& schedule) {
  Sparbit(call, tuning.radix, schedule).run();
}

const Algorithm registered_allgather_sparbit{
    Operation::allgather, "sparbit", allgather_sparbit, kAlways, {.radix = 2}};
const Algorithm registered_allgatherv_sparbit{
    Operation::allgatherv, "sparbit", allgather_sparbit, kAlways, {.radix = 2}};

}  // namespace tessera::coll::basic
