// SPDX-License-Identifier: BSD-3-Clause
// Which parts of two collective calls must agree, and how a difference is put into words.
#include <gtest/gtest.h>
#include <mpi.h>

#include "components/coll/check/text.h"
#include "core/boot/alone.h"
#include "core/coll/services.h"
#include "core/datatype/predefined.h"
#include "core/op/predefined.h"
#include "core/progress/progress.h"

namespace tessera::coll::check {
namespace {

// What the checks ask of the engine in a process that is alone.
struct Engine {
  AloneBoot boot;
  AdaptiveProgress progress{WaitPolicy::spin_only(), nullptr};
  EngineServices services{progress, boot};
};

const Services& services() {
  static Engine engine;
  return engine.services;
}

const Datatype& type_of(MPI_Datatype handle) {
  return *predefined_type(reinterpret_cast<std::uintptr_t>(handle));
}

const Op* op_of(MPI_Op handle) {
  return predefined_op(reinterpret_cast<std::uintptr_t>(handle));
}

Side side(Count count, MPI_Datatype type) {
  Side made;
  made.count = count;
  made.type = &type_of(type);
  return made;
}

Call call(Operation operation, int rank = 0) {
  Call made;
  made.operation = operation;
  made.rank = rank;
  made.size = made.remote_size = 4;
  return made;
}

Difference between(const Call& theirs, const Call& mine, Relation relation = Relation::intra) {
  return compare(statement_of(services(), theirs, CallForm::blocking).record,
                 statement_of(services(), mine, CallForm::blocking), relation);
}

TEST(Check, OperationAndFormComeFirst) {
  const Call barrier = call(Operation::barrier);
  EXPECT_EQ(between(barrier, barrier), Difference::none);
  EXPECT_EQ(between(barrier, call(Operation::bcast)), Difference::operation);
  for (const CallForm form : {CallForm::nonblocking, CallForm::persistent}) {
    const Record other = statement_of(services(), barrier, form).record;
    EXPECT_EQ(
        compare(other, statement_of(services(), barrier, CallForm::blocking), Relation::intra),
        Difference::form);
  }
  const Statement split = statement_of(Making::split, CallForm::blocking);
  EXPECT_EQ(compare(split.record, split, Relation::intra), Difference::none);
  EXPECT_EQ(compare(split.record, statement_of(Making::merge, CallForm::blocking), Relation::intra),
            Difference::operation);
}

TEST(Check, SignaturesCountNotNames) {
  Call one = call(Operation::bcast), other = one;
  one.receive = side(4, MPI_INT);
  other.receive = side(4, MPI_INT32_T);
  EXPECT_EQ(between(one, other), Difference::none);
  other.receive = side(4, MPI_FLOAT);
  EXPECT_EQ(between(one, other), Difference::amount);
  other.receive = side(2, MPI_INT);
  EXPECT_EQ(between(one, other), Difference::amount);
  other.receive = side(16, MPI_PACKED);
  EXPECT_EQ(between(one, other), Difference::none);
  one.receive = side(0, MPI_INT);
  other.receive = side(0, MPI_DOUBLE);
  EXPECT_EQ(between(one, other), Difference::none);
}

TEST(Check, RootsOfOneGroup) {
  Call one = call(Operation::gatherv), other = one;
  other.root = 2;
  EXPECT_EQ(between(one, other), Difference::root);
  one.operation = other.operation = Operation::allgather;  // the root means nothing
  EXPECT_EQ(between(one, other), Difference::none);
}

TEST(Check, RootsAcrossGroups) {
  Call one = call(Operation::bcast), other = one;
  one.inter = other.inter = true;
  one.root = kRoot;
  other.root = 1;
  EXPECT_EQ(between(one, other, Relation::two_groups), Difference::none);
  EXPECT_EQ(between(one, other, Relation::same_group), Difference::root);
  other.root = kProcNull;
  EXPECT_EQ(between(one, other, Relation::same_group), Difference::none);
  EXPECT_EQ(between(one, other, Relation::two_groups), Difference::root);
}

TEST(Check, WhatOneSendsTheOtherReceives) {
  Call root = call(Operation::gather, 0), leaf = call(Operation::gather, 1);
  root.send = side(9, MPI_CHAR);  // to itself: nobody else's business
  root.receive = side(2, MPI_INT);
  leaf.send = side(2, MPI_INT);
  leaf.receive = side(7, MPI_CHAR);
  EXPECT_EQ(between(root, leaf), Difference::none);
  EXPECT_EQ(between(leaf, root), Difference::none);
  leaf.send = side(3, MPI_INT);
  EXPECT_EQ(between(leaf, root), Difference::amount);
  Call one = call(Operation::alltoall), other = one;
  one.send = one.receive = other.send = other.receive = side(2, MPI_INT);
  EXPECT_EQ(between(one, other), Difference::none);
  other.receive = side(1, MPI_INT);
  EXPECT_EQ(between(one, other), Difference::amount);
}

TEST(Check, ReductionsAndInPlace) {
  Call one = call(Operation::allreduce), other = one;
  one.receive = other.receive = side(1, MPI_INT);
  one.op = op_of(MPI_SUM);
  other.op = op_of(MPI_MAX);
  EXPECT_EQ(between(one, other), Difference::reduction);
  other.op = one.op;
  other.in_place = true;
  EXPECT_EQ(between(one, other), Difference::in_place);
  one.operation = other.operation = Operation::scan;  // each process as it likes
  EXPECT_EQ(between(one, other), Difference::none);
}

TEST(Check, CountsOfAllBlocks) {
  const int counts[] = {1, 2, 3, 4}, same_sum[] = {2, 1, 3, 4};
  Call one = call(Operation::allgatherv), other = one;
  one.receive = other.receive = side(0, MPI_INT);
  one.receive.counts = counts;
  other.receive.counts = counts;
  EXPECT_EQ(between(one, other), Difference::none);
  other.receive.counts = same_sum;
  EXPECT_EQ(between(one, other), Difference::amount);
  one.operation = other.operation = Operation::alltoallv;
  EXPECT_EQ(between(one, other), Difference::none);
}

TEST(Check, Names) {
  EXPECT_EQ(function_name(Operation::bcast, CallForm::blocking), "MPI_Bcast");
  EXPECT_EQ(function_name(Operation::reduce_scatter_block, CallForm::nonblocking),
            "MPI_Ireduce_scatter_block");
  EXPECT_EQ(function_name(Operation::neighbor_alltoallw, CallForm::persistent),
            "MPI_Neighbor_alltoallw_init");
  EXPECT_EQ(function_name(as_operation(Making::duplicate), CallForm::nonblocking), "MPI_Comm_idup");
}

TEST(Check, TextNamesBothRanksBothValuesAndWhatIsRight) {
  Record one, other;
  one.operation = other.operation = Operation::reduce;
  other.root = 3;
  const Text text = mismatch_text(services(), "MPI_COMM_WORLD", 12, Difference::root,
                                  {"rank 0", &one, {}}, {"rank 1", &other, {}});
  EXPECT_NE(text.what.find("collective operation 12 on MPI_COMM_WORLD"), std::string::npos)
      << text.what;
  EXPECT_NE(
      text.what.find("rank 0 calls MPI_Reduce with root 0, rank 1 calls MPI_Reduce with root 3."),
      std::string::npos)
      << text.what;
  EXPECT_EQ(text.next_step, "Give the same root on all ranks.");
}

}  // namespace
}  // namespace tessera::coll::check
