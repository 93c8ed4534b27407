// SPDX-License-Identifier: BSD-3-Clause
// Prefix reductions by recursive doubling. Each process keeps two partial results: that of its
// whole group so far, and that of the ranks up to (scan) or before (exscan) its own. Keeps the
// order of ranks. Cost for n bytes: ceil(log2 p) (latency + n / bandwidth + 2 n / reduction speed).
// Source: Hillis, Steele, "Data parallel algorithms", CACM 29(12), 1986.
#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

namespace {

class Prefix {
 public:
  Prefix(const Call& call, Schedule& schedule) noexcept
      : call_(call),
        schedule_(schedule),
        group_(schedule.scratch(call.receive.count, call.receive.type)),
        theirs_(schedule.scratch(call.receive.count, call.receive.type)) {
    group_ready_ = schedule.copy(contribution(call), group_);
  }

  void scan() noexcept {
    if (!call_.in_place) prefix_ready_ = schedule_.copy(contribution(call_), result(call_));
    // In place, the contribution is read by the first copy while it is already the result.
    if (call_.in_place) prefix_ready_ = group_ready_;
    rounds();
  }

  void exscan() noexcept {
    prefix_empty_ = true;
    prefix_ready_ = call_.in_place ? group_ready_ : kNoStep;
    rounds();
  }

 private:
  void rounds() noexcept {
    for (int distance = 1; distance < call_.size; distance *= 2) {
      const int other = call_.rank ^ distance;
      if (other >= call_.size) continue;
      const StepId sent = schedule_.send(other, group_, {group_ready_});
      const StepId got = schedule_.recv(other, theirs_, {theirs_free_[0], theirs_free_[1]});
      if (other < call_.rank) {
        lower(got, sent);
      } else {
        upper(got, sent);
      }
    }
  }

  // theirs is the left operand of both.
  void lower(StepId got, StepId sent) noexcept {
    prefix_ready_ = prefix_empty_ ? schedule_.copy(theirs_, result(call_), {got, prefix_ready_})
                                  : schedule_.reduce(theirs_, result(call_), {got, prefix_ready_});
    prefix_empty_ = false;
    group_ready_ = schedule_.reduce(theirs_, group_, {got, group_ready_, sent});
    theirs_free_[0] = prefix_ready_;
    theirs_free_[1] = group_ready_;
  }

  void upper(StepId got, StepId sent) noexcept {
    const StepId reduced = schedule_.reduce(group_, theirs_, {got, group_ready_});
    std::swap(group_, theirs_);
    group_ready_ = reduced;
    theirs_free_[0] = sent;
    theirs_free_[1] = reduced;
  }

  const Call& call_;
  Schedule& schedule_;
  Buffer group_;
  Buffer theirs_;
  StepId group_ready_ = kNoStep;
  StepId prefix_ready_ = kNoStep;
  StepId theirs_free_[2] = {kNoStep, kNoStep};
  bool prefix_empty_ = false;
};

}  // namespace

static void scan_recursive_doubling(const Call& call, Schedule& schedule) {
  Prefix(call, schedule).scan();
}

static void exscan_recursive_doubling(const Call& call, Schedule& schedule) {
  Prefix(call, schedule).exscan();
}

const Algorithm registered_scan_recursive_doubling{Operation::scan, "recursive_doubling",
                                                   scan_recursive_doubling};
const Algorithm registered_exscan_recursive_doubling{Operation::exscan, "recursive_doubling",
                                                     exscan_recursive_doubling};

}  // namespace tessera::coll::basic
