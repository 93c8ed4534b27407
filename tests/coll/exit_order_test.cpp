// SPDX-License-Identifier: BSD-3-Clause
// When a barrier lets other processes leave first.
#include "components/coll/sm/exit_order.h"

#include <gtest/gtest.h>

namespace tessera::coll::sm {
namespace {

constexpr Operation kRooted[] = {Operation::bcast,  Operation::gather,  Operation::gatherv,
                                 Operation::reduce, Operation::scatter, Operation::scatterv};

ExitOrder after_waiting_in(Operation operation) {
  ExitOrder order;
  order.begin(Operation::barrier);
  order.begin(operation);
  order.waits();
  return order;
}

TEST(ExitOrderTest, ARootedCallThatWaitsBehindABarrierChangesTheNextBarrier) {
  for (const Operation operation : kRooted) {
    ExitOrder order = after_waiting_in(operation);
    order.begin(Operation::barrier);
    EXPECT_TRUE(order.others_first()) << name(operation);
  }
}

TEST(ExitOrderTest, NothingChangesBeforeACallHasWaited) {
  ExitOrder order;
  order.begin(Operation::barrier);
  order.waits();  // in the barrier itself
  order.begin(Operation::bcast);
  order.begin(Operation::barrier);
  EXPECT_FALSE(order.others_first());
}

TEST(ExitOrderTest, OnlyTheCallRightBehindTheBarrierCounts) {
  ExitOrder order;
  order.begin(Operation::barrier);
  order.begin(Operation::bcast);
  order.begin(Operation::bcast);
  order.waits();
  order.begin(Operation::barrier);
  EXPECT_FALSE(order.others_first());
}

TEST(ExitOrderTest, ItStaysWhileRootedCallsFollowBarriers) {
  ExitOrder order = after_waiting_in(Operation::bcast);
  for (int i = 0; i < 3; ++i) {
    order.begin(Operation::barrier);
    EXPECT_TRUE(order.others_first());
    order.begin(Operation::scatter);  // finds its data there
    order.begin(Operation::allreduce);
  }
}

bool after_messages(Operation operation, bool root) {
  ExitOrder order;
  order.begin(Operation::barrier);
  order.begin_messages(operation, root);
  order.begin(Operation::barrier);
  return order.others_first();
}

TEST(ExitOrderTest, ACallByMessagesWaitsWhereDataOfOthersIsNeeded) {
  for (const Operation operation : {Operation::bcast, Operation::scatter, Operation::scatterv}) {
    EXPECT_TRUE(after_messages(operation, false)) << name(operation);
    EXPECT_FALSE(after_messages(operation, true)) << name(operation);
  }
  for (const Operation operation : {Operation::gather, Operation::gatherv, Operation::reduce}) {
    EXPECT_TRUE(after_messages(operation, true)) << name(operation);
    EXPECT_FALSE(after_messages(operation, false)) << name(operation);
  }
  EXPECT_FALSE(after_messages(Operation::allreduce, false));
}

TEST(ExitOrderTest, TwoBarriersInARowEndIt) {
  ExitOrder order = after_waiting_in(Operation::reduce);
  order.begin(Operation::barrier);
  order.begin(Operation::barrier);
  EXPECT_FALSE(order.others_first());
}

TEST(ExitOrderTest, ACallThatWaitsForAllBehindABarrierEndsIt) {
  ExitOrder order = after_waiting_in(Operation::gather);
  order.begin(Operation::barrier);
  order.begin(Operation::allreduce);
  order.waits();
  EXPECT_FALSE(order.others_first());
}

}  // namespace
}  // namespace tessera::coll::sm
