// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter(_block) by recursive halving: each round gives away the portions of one half of
// the remaining processes and reduces those of the other. For operations that commute; numbers of
// processes between powers of two are folded. Cost for n bytes in all: log2 p latency + n (p - 1) /
// p (1 / bandwidth + 1 / reduction speed) for a power of two. Source: Thakur, Rabenseifner, Gropp,
// "Optimization of collective communication operations in MPICH", IJHPCA 19(1), 2005.
#include "algorithms.h"
#include "fold.h"
#include "partial_reduction.h"
#include "scatter_counts.h"

namespace tessera::coll::basic {

namespace {

class Halving {
 public:
  Halving(const Call& call, Schedule& schedule)
      : call_(call),
        schedule_(schedule),
        fold_(call.rank, call.size),
        counts_(call),
        input_(contribution(call, counts_.total())) {}

  void run() noexcept {
    if (fold_.idle()) {
      const StepId sent = schedule_.send(fold_.partner(), input_);
      schedule_.recv(fold_.partner(), counts_.result(call_.rank), {sent});
      return;
    }
    sum_ = schedule_.scratch(counts_.total(), call_.receive.type);
    if (fold_.paired()) absorb_partner();
    for (int half = fold_.size() / 2; half > 0; half /= 2) halve(half);
    if (fold_.paired())
      schedule_.send(fold_.partner(), counts_.of(sum_, fold_.partner()), {ready_});
    schedule_.copy(counts_.of(source(), call_.rank), counts_.result(call_.rank),
                   {ready_, first_sent_});
  }

 private:
  void absorb_partner() noexcept {
    PartialReduction partial(schedule_, true, input_, sum_);
    partial.absorb(fold_.partner(), false, true);
    ready_ = partial.finish();
    folded_ = true;
  }

  // The sum is in sum_ once something was added; before, it is the input.
  const Buffer& source() const noexcept { return folded_ ? sum_ : input_; }

  void halve(int half) noexcept {
    const int keep = fold_.number() / half * half;
    const int partner = fold_.rank_of(fold_.number() ^ half);
    const StepId sent = schedule_.send(partner, range(source(), keep ^ half, half), {ready_});
    const Buffer kept = range(sum_, keep, half);
    if (!folded_) {
      ready_ = schedule_.reduce(range(input_, keep, half), kept, {schedule_.recv(partner, kept)});
      first_sent_ = sent;
      folded_ = true;
    } else {
      if (landing_.type == nullptr) landing_ = schedule_.scratch(kept.count, kept.type);
      const Buffer theirs = landing_.part(0, kept.count);
      ready_ = schedule_.reduce(theirs, kept, {schedule_.recv(partner, theirs, {ready_})});
    }
  }

  // The portions that representatives [first, first + number) stand for.
  Buffer range(const Buffer& all, int first, int number) const noexcept {
    return counts_.of(all, fold_.first_rank(first), fold_.first_rank(first + number));
  }

  const Call& call_;
  Schedule& schedule_;
  Fold fold_;
  ScatterCounts counts_;
  Buffer input_;
  Buffer sum_;
  Buffer landing_;
  StepId ready_ = kNoStep;
  StepId first_sent_ = kNoStep;  // read the input, which in place is where the result goes
  bool folded_ = false;
};

}  // namespace

static void reduce_scatter_recursive_halving(const Call& call, Schedule& schedule) {
  if (call.size > 1) {
    Halving(call, schedule).run();
  } else if (!call.in_place) {
    schedule.copy(contribution(call, ScatterCounts(call).total()), ScatterCounts(call).result(0));
  }
}

const Algorithm registered_reduce_scatter_recursive_halving{
    Operation::reduce_scatter, "recursive_halving", reduce_scatter_recursive_halving, kCommutes};
const Algorithm registered_reduce_scatter_block_recursive_halving{
    Operation::reduce_scatter_block, "recursive_halving", reduce_scatter_recursive_halving,
    kCommutes};

}  // namespace tessera::coll::basic
