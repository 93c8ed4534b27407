// SPDX-License-Identifier: BSD-3-Clause
// Barrier by exchanges in groups of k processes that differ in one digit of their rank to the base
// k, digit by digit. Of p processes, the first k^m take part; the others announce themselves to one
// of them and wait for its word. `radix` is k; 2 is recursive doubling. Cost: m = floor(log_k p)
// rounds of k - 1 empty messages each, two messages more for the others.
#include <algorithm>

#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

namespace {

class Exchange {
 public:
  Exchange(const Call& call, int radix, Schedule& schedule) noexcept
      : call_(call), schedule_(schedule), radix_(radix), core_(1) {
    while (core_ <= call.size / radix_) core_ *= radix_;
  }

  void run() noexcept {
    if (call_.rank >= core_) {
      const int representative = call_.rank % core_;
      schedule_.recv(representative, {}, {schedule_.send(representative, {})});
      return;
    }
    StepId heard = join(schedule_);
    for (int i = call_.rank + core_; i < call_.size; i += core_)
      schedule_.order(schedule_.recv(i, {}), heard);
    for (int place = 1; place < core_; place *= radix_) heard = round(place, heard);
    for (int i = call_.rank + core_; i < call_.size; i += core_) schedule_.send(i, {}, {heard});
  }

 private:
  StepId round(int place, StepId heard) noexcept {
    const StepId done = join(schedule_, {heard});
    const int digit = call_.rank / place % radix_;
    for (int j = 1; j < radix_; ++j) {
      const int other = call_.rank + (modulo(digit + j, radix_) - digit) * place;
      schedule_.send(other, {}, {heard});
      schedule_.order(schedule_.recv(other, {}, {heard}), done);
    }
    return done;
  }

  const Call& call_;
  Schedule& schedule_;
  int radix_;
  int core_;  // the largest power of the radix that is not above the number of processes
};

}  // namespace

static void barrier_recursive_exchange(const Call& call, const Tuning& tuning, Schedule& schedule) {
  Exchange(call, std::max(tuning.radix, 2), schedule).run();
}

static void barrier_recursive_doubling(const Call& call, Schedule& schedule) {
  Exchange(call, 2, schedule).run();
}

const Algorithm registered_barrier_recursive_exchange{
    Operation::barrier, "recursive_exchange", barrier_recursive_exchange, kAlways, {.radix = 4}};
const Algorithm registered_barrier_recursive_doubling{Operation::barrier, "recursive_doubling",
                                                      barrier_recursive_doubling};

}  // namespace tessera::coll::basic
