// SPDX-License-Identifier: BSD-3-Clause
// Allreduce by recursive halving, each process ending with the finished result for one piece, then
// recursive doubling to collect the pieces. For operations that commute. Cost for n bytes: 2 log2 p
// latency + 2 n (p - 1) / p / bandwidth + n (p - 1) / p / reduction speed for a power of two;
// otherwise two exchanges of n more. Source: Rabenseifner, "Optimization of collective reduction
// operations", ICCS 2004.
#include <bit>

#include "algorithms.h"
#include "fold.h"
#include "partial_reduction.h"

namespace tessera::coll::basic {

namespace {

class Halving {
 public:
  // `input` is there after step `ready`.
  Halving(const Call& call, Schedule& schedule, const Fold& fold, const Buffer& input,
          StepId ready) noexcept
      : call_(call),
        schedule_(schedule),
        fold_(fold),
        sends_(schedule),
        input_(input),
        ready_(ready) {}

  // In each round the partner takes one half of what is left and this process the other.
  void reduce_halves() noexcept {
    for (int half = fold_.size() / 2; half > 0; half /= 2) {
      const int keep = fold_.number() / half * half;
      sent(half) =
          sends_(schedule_.send(partner(half), pieces(input_, keep ^ half, half), {ready_}));
      const Buffer kept = pieces(result(call_), keep, half);
      if (input_.space == Space::send) {
        const StepId got = schedule_.recv(partner(half), kept);
        ready_ = schedule_.reduce(pieces(input_, keep, half), kept, {got});
        input_ = result(call_);
      } else {
        const Buffer landing = place(kept.count);
        ready_ =
            schedule_.reduce(landing, kept, {schedule_.recv(partner(half), landing, {ready_})});
      }
    }
  }

  // The same partners in reverse; what they hold overwrites what was given to them.
  StepId collect() noexcept {
    for (int half = 1; half < fold_.size(); half *= 2) {
      const int have = fold_.number() / half * half;
      sends_(schedule_.send(partner(half), pieces(result(call_), have, half), {ready_}));
      ready_ = schedule_.recv(partner(half), pieces(result(call_), have ^ half, half),
                              {ready_, sent(half)});
    }
    return ready_;
  }

 private:
  int partner(int half) const noexcept { return fold_.rank_of(fold_.number() ^ half); }
  StepId& sent(int half) noexcept { return sent_[std::countr_zero(static_cast<unsigned>(half))]; }
  Buffer pieces(const Buffer& data, int first, int number) const noexcept {
    const Count begin = cut(data.count, fold_.size(), first);
    return data.part(begin, cut(data.count, fold_.size(), first + number) - begin);
  }
  // Scratch memory for `count` elements; the first request is the largest.
  Buffer place(Count count) noexcept {
    if (landing_.type == nullptr)
      landing_ = schedule_.scratch(call_.receive.count / 2 + fold_.size(), call_.receive.type);
    return landing_.part(0, count);
  }

  const Call& call_;
  Schedule& schedule_;
  const Fold& fold_;
  OrderedChain sends_;
  Buffer input_;
  Buffer landing_;
  StepId ready_;
  StepId sent_[32] = {};
};

}  // namespace

static void allreduce_rabenseifner(const Call& call, Schedule& schedule) {
  const Fold fold(call.rank, call.size);
  if (fold.idle()) return lend_to(call, schedule, fold.partner());
  Buffer input = contribution(call);
  StepId ready = kNoStep;
  if (fold.paired() || fold.size() == 1) {
    PartialReduction partial(schedule, true, input, result(call));
    if (fold.paired()) partial.absorb(fold.partner(), false, true);
    ready = partial.finish();
    input = result(call);
  }
  Halving halving(call, schedule, fold, input, ready);
  halving.reduce_halves();
  ready = halving.collect();
  if (fold.paired()) schedule.send(fold.partner(), result(call), {ready});
}

const Algorithm registered_allreduce_rabenseifner{Operation::allreduce, "rabenseifner",
                                                  allreduce_rabenseifner, kCommutes};

}  // namespace tessera::coll::basic
