// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter(_block) in p - 1 rounds, in the i-th of which each process sends the portion of
// the one i further on and adds what comes from i before to its own. For operations that commute.
// Cost for n bytes in all: (p - 1) latency + n (p - 1) / p (1 / bandwidth + 1 / reduction speed).
#include "algorithms.h"
#include "scatter_counts.h"

namespace tessera::coll::basic {

namespace {

// In place, the result is gathered in scratch memory: its place holds what is still to be sent.
class Pairwise {
 public:
  Pairwise(const Call& call, Schedule& schedule)
      : call_(call),
        schedule_(schedule),
        counts_(call),
        input_(contribution(call, counts_.total())),
        sum_(call.in_place ? fresh() : counts_.result(call.rank)),
        all_sent_(join(schedule)) {}

  void run() noexcept {
    ready_ = schedule_.copy(counts_.of(input_, call_.rank), sum_);
    const Buffer landing[2] = {fresh(), fresh()};
    StepId used[2] = {kNoStep, kNoStep};
    for (int i = 1; i < call_.size; ++i) {
      const Buffer& theirs = landing[i % 2];
      const int to = modulo(call_.rank + i, call_.size);
      const Buffer outgoing = counts_.of(input_, to);
      if (outgoing.bytes() > 0)
        schedule_.order(schedule_.send(to, outgoing, {used[i % 2]}), all_sent_);
      if (sum_.bytes() == 0) continue;
      const StepId got = schedule_.recv(modulo(call_.rank - i, call_.size), theirs, {used[i % 2]});
      used[i % 2] = ready_ = schedule_.reduce(theirs, sum_, {got, ready_});
    }
    if (call_.in_place) schedule_.copy(sum_, counts_.result(call_.rank), {ready_, all_sent_});
  }

 private:
  Buffer fresh() noexcept {
    const Buffer like = counts_.result(call_.rank);
    return schedule_.scratch(like.count, like.type);
  }

  const Call& call_;
  Schedule& schedule_;
  ScatterCounts counts_;
  Buffer input_;
  Buffer sum_;
  StepId all_sent_;
  StepId ready_ = kNoStep;
};

}  // namespace

static void reduce_scatter_pairwise(const Call& call, Schedule& schedule) {
  Pairwise(call, schedule).run();
}

const Algorithm registered_reduce_scatter_pairwise{Operation::reduce_scatter, "pairwise",
                                                   reduce_scatter_pairwise, kCommutes};
const Algorithm registered_reduce_scatter_block_pairwise{
    Operation::reduce_scatter_block, "pairwise", reduce_scatter_pairwise, kCommutes};

}  // namespace tessera::coll::basic
