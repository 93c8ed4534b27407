// SPDX-License-Identifier: BSD-3-Clause
// Reduction by recursive halving, each process ending with the finished result for one piece, then
// a binomial tree that collects the pieces at the root. For operations that commute. Cost for n
// bytes: 2 log2 p latency + 2 n (p - 1) / p / bandwidth + n (p - 1) / p / reduction speed for a
// power of two; otherwise one message and one reduction of n more. Source: Rabenseifner,
// "Optimization of collective reduction operations", ICCS 2004.
#include <bit>

#include "algorithms.h"
#include "fold.h"
#include "partial_reduction.h"

namespace tessera::coll::basic {

namespace {

// Processes are numbered so that the root is the last one, which always works for itself.
class ReduceToLast {
 public:
  ReduceToLast(const Call& call, Schedule& schedule) noexcept
      : call_(call),
        schedule_(schedule),
        fold_(modulo(call.rank - call.root - 1, call.size), call.size),
        sends_(schedule),
        input_(contribution(call)) {}

  void run() noexcept {
    if (fold_.idle()) {
      schedule_.send(rank(fold_.partner()), input_);
      return;
    }
    if (fold_.paired()) {
      PartialReduction partial(schedule_, true, input_);
      partial.absorb(rank(fold_.partner()), false, true);
      input_ = partial.value();
      ready_ = partial.ready();
    }
    work_ = place_to_work();
    reduce_halves();
    collect();
  }

 private:
  int rank(int number) const noexcept { return modulo(number + call_.root + 1, call_.size); }
  int partner(int half) const noexcept { return rank(fold_.rank_of(fold_.number() ^ half)); }
  StepId& sent(int half) noexcept { return sent_[std::countr_zero(static_cast<unsigned>(half))]; }
  // The pieces of the `number` processes from `first` on.
  Buffer pieces(const Buffer& data, int first, int number) const noexcept {
    const Count begin = cut(data.count, fold_.size(), first);
    return data.part(begin, cut(data.count, fold_.size(), first + number) - begin);
  }
  Buffer place_to_work() noexcept {
    if (call_.rank == call_.root) return result(call_);
    return input_.space == Space::scratch ? input_ : schedule_.scratch(input_.count, input_.type);
  }

  // In each round the partner takes one half of what is left and this process the other.
  void reduce_halves() noexcept {
    bool elsewhere = input_.space != work_.space;
    const Buffer landing = elsewhere && fold_.size() == 2
                               ? Buffer{}
                               : schedule_.scratch(longest_landing(elsewhere), input_.type);
    for (int half = fold_.size() / 2; half > 0; half /= 2) {
      const int keep = fold_.number() / half * half;
      sent(half) =
          sends_(schedule_.send(partner(half), pieces(input_, keep ^ half, half), {ready_}));
      const Buffer kept = pieces(work_, keep, half);
      if (elsewhere) {
        const StepId got = schedule_.recv(partner(half), kept);
        ready_ = schedule_.reduce(pieces(input_, keep, half), kept, {got});
        input_ = work_;
        elsewhere = false;
      } else {
        const Buffer theirs = landing.part(0, kept.count);
        ready_ = schedule_.reduce(theirs, kept, {schedule_.recv(partner(half), theirs, {ready_})});
      }
    }
  }
  Count longest_landing(bool elsewhere) const noexcept {
    return pieces(work_, 0, fold_.size() / (elsewhere ? 4 : 2))
        .count;  // the first pieces are the longest
  }

  // The same partners in reverse. Those that differ from the root in a bit give away what they
  // have.
  void collect() noexcept {
    for (int half = 1; half < fold_.size(); half *= 2) {
      const int have = fold_.number() / half * half;
      if ((fold_.number() & half) == 0) {
        sends_(schedule_.send(partner(half), pieces(work_, have, half), {ready_}));
        return;
      }
      ready_ =
          schedule_.recv(partner(half), pieces(work_, have ^ half, half), {ready_, sent(half)});
    }
  }

  const Call& call_;
  Schedule& schedule_;
  Fold fold_;
  OrderedChain sends_;
  Buffer input_;
  Buffer work_;
  StepId ready_ = kNoStep;
  StepId sent_[32] = {};
};

}  // namespace

static void reduce_rabenseifner(const Call& call, Schedule& schedule) {
  if (call.size > 1) {
    ReduceToLast(call, schedule).run();
  } else if (!call.in_place) {
    schedule.copy(contribution(call), result(call));
  }
}

const Algorithm registered_reduce_rabenseifner{Operation::reduce, "rabenseifner",
                                               reduce_rabenseifner, kCommutes};

}  // namespace tessera::coll::basic
