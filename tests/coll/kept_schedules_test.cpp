// SPDX-License-Identifier: BSD-3-Clause
// What coll/basic keeps of schedules: which calls get the one before, and which do not.
#include <gtest/gtest.h>

#include <vector>

#include "components/coll/basic/kept_schedules.h"
#include "components/coll/basic/module.h"
#include "core/coll/rules.h"
#include "core/datatype/make.h"
#include "core/datatype/predefined.h"
#include "tests/coll/fake_params.h"

namespace tessera::coll::test {
namespace {

using basic::BasicModule;
using basic::Chooser;
using basic::KeptSchedules;

const Datatype& ints() {
  return *predefined_type(0x209);  // MPI_INT
}
Call bcast_call(Count count = 4) {
  Call call;
  call.operation = Operation::bcast;
  call.size = 5;
  call.receive.count = count;
  call.receive.type = &ints();
  return call;
}

void expect_alike(const Schedule& one, const Schedule& other) {
  ASSERT_EQ(one.steps().size(), other.steps().size());
  for (std::size_t i = 0; i < one.steps().size(); ++i) {
    const Step& a = one.steps()[i];
    const Step& b = other.steps()[i];
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.peer, b.peer);
    EXPECT_EQ(a.predecessors, b.predecessors);
    EXPECT_EQ(a.from.count, b.from.count);
    EXPECT_EQ(a.from.type, b.from.type);
    EXPECT_EQ(a.from.offset, b.from.offset);
    EXPECT_EQ(a.to.count, b.to.count);
    EXPECT_EQ(a.first_edge, b.first_edge);
  }
  EXPECT_EQ(one.scratch_bytes(), other.scratch_bytes());
  EXPECT_STREQ(one.algorithm(), other.algorithm());
  EXPECT_STREQ(one.rule(), other.rule());
}

class Keeping : public testing::Test {
 protected:
  Keeping() { sample.send(3, {Space::receive, 0, 4, &ints()}); }
  // Whether the third such call gets the schedule of the second.
  bool keeps(const Call& call, std::uint64_t number = 1) {
    kept.note(number, call, sample);
    kept.note(number, call, sample);
    return recalls(call, number);
  }
  bool recalls(const Call& call, std::uint64_t number = 1) {
    Schedule schedule;
    return kept.recall(number, call, schedule) && !schedule.steps().empty();
  }
  Schedule sample;
  KeptSchedules kept;
};

TEST_F(Keeping, TakesTwoCallsThatAreAlike) {
  EXPECT_FALSE(recalls(bcast_call()));
  kept.note(1, bcast_call(), sample);
  EXPECT_FALSE(recalls(bcast_call()));
  kept.note(1, bcast_call(), sample);
  EXPECT_TRUE(recalls(bcast_call()));
}

TEST_F(Keeping, EndsWithAnotherCall) {
  ASSERT_TRUE(keeps(bcast_call()));
  kept.note(1, bcast_call(5), sample);
  EXPECT_FALSE(recalls(bcast_call()));
  EXPECT_FALSE(recalls(bcast_call(5)));
}

TEST_F(Keeping, EveryNumberAndTypeCounts) {
  ASSERT_TRUE(keeps(bcast_call()));
  EXPECT_FALSE(recalls(bcast_call(), 2)) << "of another communicator";
  EXPECT_FALSE(recalls(bcast_call(5)));
  Call other = bcast_call();
  other.root = 1;
  EXPECT_FALSE(recalls(other));
  other = bcast_call();
  other.receive.type = &byte_type();
  EXPECT_FALSE(recalls(other));
  other = bcast_call();
  other.in_place = true;
  EXPECT_FALSE(recalls(other));
  other = bcast_call();
  other.send.count = 1;
  EXPECT_FALSE(recalls(other));
  other = bcast_call();
  other.send.type = &byte_type();
  EXPECT_FALSE(recalls(other));
  other = bcast_call();
  other.operation = Operation::gather;
  EXPECT_FALSE(recalls(other));
}

TEST_F(Keeping, LeavesArraysAndTypesOfAProgramAlone) {
  Call call = bcast_call();
  const auto made = make_vector(2, 1, 2, *predefined_type(0x209), {});
  ASSERT_TRUE(made.ok());
  call.receive.type = made.value();
  EXPECT_FALSE(keeps(call));
  made.value()->release();
  const std::vector<int> counts(5, 1);
  call = bcast_call();
  call.receive.counts = counts.data();
  EXPECT_FALSE(keeps(call));
  call = bcast_call();
  call.send.displacements = counts.data();
  EXPECT_FALSE(keeps(call));
}

TEST_F(Keeping, LeavesLongSchedulesAlone) {
  while (sample.steps().size() <= Schedule::kInline)
    sample.send(1, {Space::receive, 0, 4, &ints()});
  EXPECT_FALSE(keeps(bcast_call()));
}

TEST(KeptByAModule, IsWhatItWouldWrite) {
  const RuleSet rules(builtin_rules());
  const Chooser chooser(FakeParams(), rules);
  KeptSchedules kept;
  BasicModule without(chooser, Layout{}, false);
  for (int rank = 0; rank < 5; ++rank) {
    Call call = bcast_call();
    call.rank = rank;
    Schedule written;
    ASSERT_TRUE(without.emit(call, written).ok());
    BasicModule mine(chooser, Layout{}, false, &kept);
    for (int i = 0; i < 4; ++i) {
      Schedule schedule;
      ASSERT_TRUE(mine.emit(call, schedule).ok());
      expect_alike(schedule, written);
    }
  }
  EXPECT_EQ(kept.counted(), 20u);
}

// In a schedule that has steps already, the new ones come after them, and nobody keeps the whole.
TEST(KeptByAModule, IsNoPartOfAnother) {
  const RuleSet rules(builtin_rules());
  const Chooser chooser(FakeParams(), rules);
  KeptSchedules kept;
  BasicModule module(chooser, Layout{}, false, &kept);
  const Call call = bcast_call();
  for (int i = 0; i < 4; ++i) {
    Schedule outer;
    outer.copy({Space::send, 0, 1, &ints()}, {Space::receive, 0, 1, &ints()});
    ASSERT_TRUE(module.emit(call, outer).ok());
    EXPECT_EQ(outer.steps().front().kind, StepKind::copy);
    EXPECT_GT(outer.steps().size(), 1u);
    Schedule alone;
    ASSERT_TRUE(module.emit(call, alone).ok());
    EXPECT_EQ(alone.steps().size() + 1, outer.steps().size());
  }
}

}  // namespace
}  // namespace tessera::coll::test
