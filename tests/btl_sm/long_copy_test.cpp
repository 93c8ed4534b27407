// SPDX-License-Identifier: BSD-3-Clause
// What trials between the two ways to copy a long payload lead to, and that both copy.
#include "components/btl/sm/long_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::btl::sm {
namespace {

// One trial in which the ways take so many nanoseconds per 1,000 bytes; payloads differ in length.
void run_trial(LongCopy& copy, std::uint64_t lines, std::uint64_t string, std::uint64_t once = 0) {
  for (std::uint32_t turn = 0; turn < 2 * LongCopy::kTurns; ++turn) {
    const std::size_t bytes = 1000 * (1 + turn / 2);
    const bool by_lines = copy.next() == LongCopy::Way::lines;
    const std::uint64_t disturbed = turn == 5 || turn == 6 ? once : 0;
    copy.took(bytes, (by_lines ? lines : string) * (1 + turn / 2) + disturbed);
  }
}

TEST(LongCopy, TakesTheOtherWayWhereItIsFasterByATenth) {
  LongCopy copy;
  EXPECT_EQ(copy.way(), LongCopy::Way::lines);
  run_trial(copy, 100, 92);
  EXPECT_EQ(copy.way(), LongCopy::Way::lines);
  run_trial(copy, 100, 88);
  EXPECT_EQ(copy.way(), LongCopy::Way::string);
  run_trial(copy, 92, 100);
  EXPECT_EQ(copy.way(), LongCopy::Way::string);
  run_trial(copy, 88, 100);
  EXPECT_EQ(copy.way(), LongCopy::Way::lines);
}

TEST(LongCopy, IsNotMisledByOneSlowPayload) {
  LongCopy copy;
  run_trial(copy, 100, 60, 50'000);
  EXPECT_EQ(copy.way(), LongCopy::Way::string);
}

TEST(LongCopy, CopiesEverythingAtAllTimes) {
  LongCopy copy;
  constexpr std::size_t kMost = 3000;
  std::vector<std::byte> from(kMost + 64), room(kMost + 128);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 7 + i / 256);
  const std::uint64_t rounds = (LongCopy::kFirst + 2 * LongCopy::kPause) / LongCopy::kLeast;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const std::size_t bytes = LongCopy::kLeast + round * 13 % (kMost - LongCopy::kLeast);
    const std::size_t offset = round % 64;
    std::byte* const to = room.data();
    to[bytes] = std::byte{0xee};
    copy.copy(to, from.data() + offset, bytes);
    ASSERT_TRUE(std::equal(to, to + bytes, from.data() + offset)) << round;
    ASSERT_EQ(to[bytes], std::byte{0xee}) << round;
  }
}

}  // namespace
}  // namespace tessera::btl::sm
