// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter(_block) in which radix processes at a time divide what they have among them, each
// reducing its part. In a butterfly neighbours divide first, which keeps the order of ranks, and
// the finished portions then move to the processes that want them. recursive_exchange divides among
// the most distant ones first, so that portions end where they belong, for operations that commute.
// Numbers of processes that do not fit are folded. Cost for n bytes in all and radix k: ceil(log_k
// p) latency + n (p - 1) / p (1 / bandwidth + 1 / reduction speed); the butterfly sends a portion
// more, and a folded process all data. Source: Traeff, "An improved algorithm for (non-commutative)
// reduce-scatter with an application", EuroPVM/MPI 2005.
#include "algorithms.h"
#include "dividing.h"
#include "scatter_counts.h"

namespace tessera::coll::basic {

namespace {

// Piece i of the vector are the portions of the processes of group i.
class Butterfly {
 public:
  Butterfly(const Call& call, int radix, Schedule& schedule)
      : call_(call),
        schedule_(schedule),
        groups_(call.rank, call.size, radix),
        counts_(call),
        dividing_(groups_, begins()),
        input_(contribution(call, counts_.total())),
        mine_(counts_.result(call.rank)),
        rounds_(groups_.rounds()) {}

  void nearest_first() { run(false); }
  void farthest_first() {
    rounds_ = {rounds_.rbegin(), rounds_.rend()};
    run(true);
  }

 private:
  void run(bool any_order) {
    const int from = groups_.first(owner());
    if (!groups_.leads()) {
      const StepId sent = schedule_.send(groups_.leader(), input_);
      if (mine_.bytes() > 0) schedule_.recv(from, mine_, {sent});
      return;
    }
    MultiwayReduction reduction(schedule_, input_, any_order);
    for (int rank = groups_.leader() + 1; rank < groups_.end(); ++rank) reduction.absorb(rank);
    for (const Round& round : rounds_) {
      const std::vector<Share> shares = dividing_.narrow(round);
      reduction.exchange(shares, round.digit(groups_.number()));
    }
    hand_out(reduction);
    if (from != call_.rank && mine_.bytes() > 0) schedule_.recv(from, mine_, {reduction.settled()});
  }

  // The finished piece to those who want it.
  void hand_out(const MultiwayReduction& reduction) noexcept {
    const int piece = dividing_.piece();
    for (int rank = groups_.first(piece); rank < groups_.first(piece + 1); ++rank) {
      const Buffer portion = reduction.value().part(counts_.begin(rank) - dividing_.begin(),
                                                    counts_.begin(rank + 1) - counts_.begin(rank));
      if (portion.bytes() == 0) continue;
      if (rank != call_.rank) {
        schedule_.send(rank, portion, {reduction.ready(), reduction.settled()});
      } else if (call_.size > 1 || !call_.in_place) {
        schedule_.copy(portion, mine_, {reduction.ready(), reduction.settled()});
      }
    }
  }

  // The group that ends with the piece of the own one: the digits of the rounds, in the order of
  // the rounds, are those of the number of the piece from the front.
  int owner() const noexcept {
    int piece = groups_.number();
    int number = 0;
    for (auto round = rounds_.rbegin(); round != rounds_.rend(); ++round) {
      number += piece % round->radix * round->distance;
      piece /= round->radix;
    }
    return number;
  }

  std::vector<Count> begins() const {
    std::vector<Count> list;
    for (int i = 0; i <= groups_.size(); ++i) list.push_back(counts_.begin(groups_.first(i)));
    return list;
  }

  const Call& call_;
  Schedule& schedule_;
  Groups groups_;
  ScatterCounts counts_;
  Dividing dividing_;
  Buffer input_;
  Buffer mine_;
  std::vector<Round> rounds_;
};

}  // namespace

static void reduce_scatter_butterfly(const Call& call, const Tuning& tuning, Schedule& schedule) {
  Butterfly(call, tuning.radix, schedule).nearest_first();
}

static void reduce_scatter_recursive_exchange(const Call& call, const Tuning& tuning,
                                              Schedule& schedule) {
  Butterfly(call, tuning.radix, schedule).farthest_first();
}

const Algorithm registered_reduce_scatter_butterfly{
    Operation::reduce_scatter, "butterfly", reduce_scatter_butterfly, kAlways, {.radix = 2}};
const Algorithm registered_reduce_scatter_block_butterfly{
    Operation::reduce_scatter_block, "butterfly", reduce_scatter_butterfly, kAlways, {.radix = 2}};
const Algorithm registered_reduce_scatter_recursive_exchange{Operation::reduce_scatter,
                                                             "recursive_exchange",
                                                             reduce_scatter_recursive_exchange,
                                                             kCommutes,
                                                             {.radix = 4}};
const Algorithm registered_reduce_scatter_block_recursive_exchange{
    Operation::reduce_scatter_block,
    "recursive_exchange",
    reduce_scatter_recursive_exchange,
    kCommutes,
    {.radix = 4}};

}  // namespace tessera::coll::basic
