// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter(_block) around a ring: each portion starts at the process after the one that wants
// it and goes round, growing, until it is there. For operations that commute. Cost for n bytes in
// all: (p - 1) (latency + n / p (1 / bandwidth + 1 / reduction speed)); neighbours only. Source:
// Patarasuk, Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", JPDC
// 69(2), 2009.
#include <algorithm>

#include "algorithms.h"
#include "scatter_counts.h"

namespace tessera::coll::basic {

namespace {

class Ring {
 public:
  Ring(const Call& call, Schedule& schedule)
      : call_(call),
        schedule_(schedule),
        counts_(call),
        input_(contribution(call, counts_.total())),
        sends_(schedule),
        recvs_(schedule) {}

  // In round i, the portion of rank - i leaves and that of rank - i - 1 arrives, in turn in one of
  // two places.
  void run() noexcept {
    const Buffer landing[2] = {spare(), spare()};
    StepId left[2] = {kNoStep, kNoStep};  // sent what was in the landing
    Buffer outgoing = mine(1);
    StepId ready = kNoStep, read = kNoStep;
    for (int i = 1; i < call_.size; ++i) {
      const StepId sent =
          sends_(schedule_.send(modulo(call_.rank + 1, call_.size), outgoing, {ready}));
      if (i > 1) left[(i - 1) % 2] = sent;
      if (i == 1) read = sent;
      const Buffer own = mine(i + 1);
      const Buffer sum = landing[i % 2].part(0, own.count);
      const StepId got =
          recvs_(schedule_.recv(modulo(call_.rank - 1, call_.size), sum, {left[i % 2]}));
      ready = schedule_.reduce(own, sum, {got, ready});
      outgoing = sum;
    }
    schedule_.copy(outgoing, counts_.result(call_.rank), {ready, read});
  }

 private:
  // The own contribution to the portion that is on its way in round i.
  Buffer mine(int i) const noexcept {
    return counts_.of(input_, modulo(call_.rank - i, call_.size));
  }
  Buffer spare() noexcept {
    Count longest = 0;
    for (int i = 0; i < call_.size; ++i) longest = std::max(longest, counts_.of(input_, i).count);
    return schedule_.scratch(longest, call_.receive.type);
  }

  const Call& call_;
  Schedule& schedule_;
  ScatterCounts counts_;
  Buffer input_;
  OrderedChain sends_, recvs_;
};

}  // namespace

static void reduce_scatter_ring(const Call& call, Schedule& schedule) {
  if (call.size > 1) {
    Ring(call, schedule).run();
  } else if (!call.in_place) {
    schedule.copy(contribution(call, ScatterCounts(call).total()), ScatterCounts(call).result(0));
  }
}

const Algorithm registered_reduce_scatter_ring{Operation::reduce_scatter, "ring",
                                               reduce_scatter_ring, kCommutes};
const Algorithm registered_reduce_scatter_block_ring{Operation::reduce_scatter_block, "ring",
                                                     reduce_scatter_ring, kCommutes};

}  // namespace tessera::coll::basic
