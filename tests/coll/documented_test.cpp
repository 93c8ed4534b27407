// SPDX-License-Identifier: BSD-3-Clause
// The algorithm that docs/collectives.md shows is right.
#include <gtest/gtest.h>

#include "tools/schedules/verify.h"

namespace tessera::coll {

namespace basic {
extern const Algorithm registered_barrier_halves;
}

namespace test {

TEST(Documented, AlgorithmIsRight) {
  schedules::Sweep sweep;
  for (int size = 1; size <= 17; ++size) sweep.ranks.push_back(size);
  const schedules::Verdict verdict = schedules::verify(basic::registered_barrier_halves, sweep);
  EXPECT_EQ(verdict.wrong, "");
  EXPECT_GT(verdict.checked, 0U);
}

}  // namespace test
}  // namespace tessera::coll
