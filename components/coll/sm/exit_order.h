// SPDX-License-Identifier: BSD-3-Clause
// Who leaves a barrier first where processes take turns on a CPU: ExitOrder.
#pragma once
//
// Contract. The last process of a CPU that comes to a barrier is the one that runs when the barrier
// is complete. If the root of the broadcast that follows is another process of that CPU, the last
// one leaves only to wait again, and both turns fall into the broadcast. A process whose rooted
// call right after a barrier had to wait therefore lets the others of its CPU leave the next
// barrier first: the turns are as many, but the call finds its data there. A call that goes as
// messages waits elsewhere, or later: it counts as one that had to wait where this process needs
// data of others. Two barriers in a row, or a call without a root behind a barrier, in which all
// wait for all, end that.
//
#include "tessera/coll.h"

namespace tessera::coll::sm {

class ExitOrder {
 public:
  // A call begins.
  void begin(Operation operation) noexcept {
    const bool rooted = is_rooted(operation);
    if (in_barrier_ && !rooted) others_first_ = false;
    behind_barrier_ = in_barrier_ && rooted;
    in_barrier_ = operation == Operation::barrier;
  }
  // The same of a call that goes as messages, of which this process is the root, or not.
  void begin_messages(Operation operation, bool root) noexcept {
    begin(operation);
    if (root != is_from_root(operation)) waits();
  }
  // The present call has to wait, and others need this CPU.
  void waits() noexcept {
    if (behind_barrier_) others_first_ = true;
  }
  bool others_first() const noexcept { return others_first_; }

 private:
  static constexpr bool is_from_root(Operation operation) noexcept {
    return operation == Operation::bcast || operation == Operation::scatter ||
           operation == Operation::scatterv;
  }
  static constexpr bool is_rooted(Operation operation) noexcept {
    switch (operation) {
      case Operation::bcast:
      case Operation::gather:
      case Operation::gatherv:
      case Operation::reduce:
      case Operation::scatter:
      case Operation::scatterv:
        return true;
      default:
        return false;
    }
  }
  bool in_barrier_ = false;
  bool behind_barrier_ = false;
  bool others_first_ = false;
};

}  // namespace tessera::coll::sm
