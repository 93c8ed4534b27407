// SPDX-License-Identifier: BSD-3-Clause
// Gather and gatherv by the root alone, which asks each process for its block: nothing arrives that
// is not waited for. The first `segment` bytes of a block and the rest are two messages; the next
// process is asked when the first one is there. `radix` is how many processes are asked at a time.
// Cost for blocks of n bytes: (p - 1) / radix (2 latency + segment / bandwidth) or n (p - 1) /
// bandwidth at the root, whichever is more.
#include <algorithm>
#include <vector>

#include "algorithms.h"
#include "byte_row.h"

namespace tessera::coll::basic {

namespace {

class Root {
 public:
  Root(const Call& call, const Tuning& tuning, Schedule& schedule)
      : call_(call), tuning_(tuning), schedule_(schedule) {
    begun_.reserve(static_cast<std::size_t>(call.size));
  }

  void run() noexcept {
    const int me = call_.rank;
    if (!call_.in_place)
      schedule_.copy(whole(Space::send, call_.send), block(call_, Space::receive, me));
    for (int i = 1; i < call_.size; ++i) fetch(modulo(me + i, call_.size));
  }

 private:
  // The receives are posted before the question is asked.
  void fetch(int rank) noexcept {
    const Buffer theirs = block(call_, Space::receive, rank);
    if (theirs.bytes() == 0) return;
    ByteRow row(schedule_, theirs);
    const Count split = std::min(tuning_.segment, row.size());
    const StepId turn = my_turn();
    OrderedChain in_order(schedule_);
    const StepId begin = in_order(schedule_.recv(rank, row.bytes(0, split), {turn}));
    row.arrives(begin);
    if (split < row.size())
      row.arrives(in_order(schedule_.recv(rank, row.bytes(split, row.size()), {turn})));
    in_order(schedule_.send(rank, {}, {turn}));
    row.emptied(row.size());
    begun_.push_back(begin);
  }
  StepId my_turn() const noexcept {
    const auto at_a_time = static_cast<std::size_t>(std::max(tuning_.radix, 1));
    return begun_.size() < at_a_time ? kNoStep : begun_[begun_.size() - at_a_time];
  }

  const Call& call_;
  const Tuning& tuning_;
  Schedule& schedule_;
  std::vector<StepId> begun_;  // received the first part of each block so far
};

}  // namespace

static void gather_linear_sync(const Call& call, const Tuning& tuning, Schedule& schedule) {
  if (call.rank == call.root) {
    Root(call, tuning, schedule).run();
    return;
  }
  const Buffer own = whole(Space::send, call.send);
  if (own.bytes() == 0) return;
  ByteRow row(schedule, own);
  const Count split = std::min(tuning.segment, row.size());
  const StepId asked = schedule.recv(call.root, {});
  OrderedChain in_order(schedule);
  in_order(schedule.send(call.root, row.bytes(0, split), {asked, row.filled(split)}));
  if (split < row.size())
    in_order(
        schedule.send(call.root, row.bytes(split, row.size()), {asked, row.filled(row.size())}));
}

const Algorithm registered_gather_linear_sync{Operation::gather,
                                              "linear_sync",
                                              gather_linear_sync,
                                              kAlways,
                                              {.segment = 32 * 1024, .radix = 2}};
const Algorithm registered_gatherv_linear_sync{Operation::gatherv,
                                               "linear_sync",
                                               gather_linear_sync,
                                               kAlways,
                                               {.segment = 32 * 1024, .radix = 2}};

}  // namespace tessera::coll::basic
