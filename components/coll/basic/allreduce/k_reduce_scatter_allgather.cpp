// SPDX-License-Identifier: BSD-3-Clause
// Allreduce in which radix processes at a time divide what they have among them, each reducing its
// part, until every process has the result for one piece; the same exchanges backwards collect the
// pieces. Keeps the order of ranks, as neighbours divide first; numbers of processes that do not
// fit are folded. Cost for n bytes and radix k: 2 ceil(log_k p) latency + 2 n (p - 1) / p /
// bandwidth + n (p - 1) / p / reduction speed; two exchanges of n more where processes are folded.
// With radix 2 this is what Rabenseifner, "Optimization of collective reduction operations", ICCS
// 2004, describes.
#include "algorithms.h"
#include "dividing.h"

namespace tessera::coll::basic {

namespace {

class Pieces {
 public:
  Pieces(const Call& call, const Groups& groups, Schedule& schedule)
      : call_(call),
        groups_(groups),
        schedule_(schedule),
        dividing_(groups, begins(call, groups)) {}

  void reduce() {
    MultiwayReduction reduction(schedule_, contribution(call_), result(call_),
                                call_.op->commutative());
    for (int rank = groups_.leader() + 1; rank < groups_.end(); ++rank) reduction.absorb(rank);
    for (const Round& round : groups_.rounds()) {
      const std::vector<Share> shares = dividing_.narrow(round);
      reduction.exchange(shares, round.digit(groups_.number()));
    }
    ready_ = cleared_ = reduction.finish();
  }

  void collect() {
    for (auto round = groups_.rounds().rbegin(); round != groups_.rounds().rend(); ++round) {
      const Buffer held = part(dividing_.begin(), dividing_.end());
      const std::vector<Share> shares = dividing_.widen(*round);
      const StepId collected = join(schedule_, {ready_});
      for (int i = 0; i < round->radix; ++i) {
        if (i == round->digit(groups_.number())) continue;
        const Share& theirs = shares[static_cast<std::size_t>(i)];
        schedule_.send(theirs.rank, held, {ready_});
        schedule_.order(schedule_.recv(theirs.rank, part(theirs.first, theirs.first + theirs.count),
                                       {cleared_}),
                        collected);
      }
      ready_ = collected;
    }
  }

  // To those this process works for.
  void hand_out() noexcept {
    for (int rank = groups_.leader() + 1; rank < groups_.end(); ++rank)
      schedule_.send(rank, result(call_), {ready_});
  }

 private:
  static std::vector<Count> begins(const Call& call, const Groups& groups) {
    std::vector<Count> list;
    for (int i = 0; i <= groups.size(); ++i)
      list.push_back(cut(call.receive.count, groups.size(), i));
    return list;
  }
  Buffer part(Count begin, Count end) const noexcept {
    return result(call_).part(begin, end - begin);
  }

  const Call& call_;
  const Groups& groups_;
  Schedule& schedule_;
  Dividing dividing_;
  StepId ready_ = kNoStep;    // what this process has is there
  StepId cleared_ = kNoStep;  // the rest of the target may be overwritten
};

}  // namespace

static void allreduce_k_reduce_scatter_allgather(const Call& call, const Tuning& tuning,
                                                 Schedule& schedule) {
  const Groups groups(call.rank, call.size, tuning.radix);
  if (!groups.leads()) return lend_to(call, schedule, groups.leader());
  Pieces pieces(call, groups, schedule);
  pieces.reduce();
  pieces.collect();
  pieces.hand_out();
}

const Algorithm registered_allreduce_k_reduce_scatter_allgather{
    Operation::allreduce,
    "k_reduce_scatter_allgather",
    allreduce_k_reduce_scatter_allgather,
    kAlways,
    {.radix = 4}};

}  // namespace tessera::coll::basic
