// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm of coll/basic for selected numbers of processes up to 1,024, with the first, the
// middle and the last process as root.
#include <gtest/gtest.h>

#include "tools/schedules/verify.h"

namespace tessera::coll::test {
namespace {

using schedules::Algorithm;

std::string verdict(const Algorithm& algorithm, std::vector<int> ranks,
                    std::optional<std::vector<Count>> counts) {
  schedules::Sweep sweep;
  sweep.ranks = std::move(ranks);
  sweep.counts = std::move(counts);
  sweep.crossed = false;
  sweep.middle_roots = true;
  return schedules::verify(algorithm, sweep).wrong;
}

std::string test_name(const testing::TestParamInfo<const Algorithm*>& info) {
  return std::string(name(info.param->operation)) + "_" + info.param->name;
}

class Hundreds : public testing::TestWithParam<const Algorithm*> {};
TEST_P(Hundreds, GiveTheResult) {
  EXPECT_EQ(verdict(*GetParam(), {64, 100}, {{3}}), "");
}
INSTANTIATE_TEST_SUITE_P(Basic, Hundreds, testing::ValuesIn(basic::algorithms()), test_name);

class Thousand : public testing::TestWithParam<const Algorithm*> {};
TEST_P(Thousand, GivesTheResult) {
  EXPECT_EQ(verdict(*GetParam(), {128, 255, 256, 257}, {}), "");
  EXPECT_EQ(verdict(*GetParam(), {511, 1000, 1024}, {{3}}), "");
}
INSTANTIATE_TEST_SUITE_P(Basic, Thousand, testing::ValuesIn(basic::algorithms()), test_name);

}  // namespace
}  // namespace tessera::coll::test
