// SPDX-License-Identifier: BSD-3-Clause
// Alltoall(v, w) in p rounds, in each of which processes exchange their blocks two by two; every
// pair meets once. In place, one block of intermediate memory is enough. Cost for blocks of n
// bytes: p (latency + n / bandwidth), and in place one copy of everything.
#include <algorithm>

#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

namespace {

class Exchange {
 public:
  Exchange(const Call& call, Schedule& schedule) noexcept : call_(call), schedule_(schedule) {
    Count longest = 0;
    for (int i = 0; call.in_place && i < call.size; ++i)
      if (i != call.rank) longest = std::max(longest, block(call, Space::receive, i).bytes());
    saved_ = schedule.scratch(longest, nullptr);
  }

  // In round i, those whose ranks add up to i modulo p meet.
  void run() noexcept {
    for (int i = 0; i < call_.size; ++i) {
      const int other = modulo(i - call_.rank, call_.size);
      if (other != call_.rank) {
        meet(other);
      } else if (!call_.in_place) {
        schedule_.copy(block(call_, Space::send, other), block(call_, Space::receive, other));
      }
    }
  }

 private:
  void meet(int other) noexcept {
    const Buffer theirs = block(call_, Space::receive, other);
    Buffer mine = theirs;
    StepId ready = round_;
    if (!call_.in_place) {
      mine = block(call_, Space::send, other);
    } else if (mine.bytes() > 0) {
      ready = schedule_.copy(theirs, saved_.part(0, mine.bytes()), {round_});
      mine = saved_.part(0, mine.bytes());
    }
    const StepId sent = mine.bytes() > 0 ? schedule_.send(other, mine, {ready}) : kNoStep;
    const StepId got = theirs.bytes() > 0 ? schedule_.recv(other, theirs, {ready}) : kNoStep;
    if (sent != kNoStep || got != kNoStep) round_ = join(schedule_, {sent, got});
  }

  const Call& call_;
  Schedule& schedule_;
  Buffer saved_;
  StepId round_ = kNoStep;  // the last round is over
};

}  // namespace

static void alltoall_pairwise_exchange(const Call& call, Schedule& schedule) {
  Exchange(call, schedule).run();
}

const Algorithm registered_alltoall_pairwise_exchange{Operation::alltoall, "pairwise_exchange",
                                                      alltoall_pairwise_exchange};
const Algorithm registered_alltoallv_pairwise_exchange{Operation::alltoallv, "pairwise_exchange",
                                                       alltoall_pairwise_exchange};
const Algorithm registered_alltoallw_pairwise_exchange{Operation::alltoallw, "pairwise_exchange",
                                                       alltoall_pairwise_exchange};

}  // namespace tessera::coll::basic
