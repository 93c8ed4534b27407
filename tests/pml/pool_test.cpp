// SPDX-License-Identifier: BSD-3-Clause
// What the pools of ob1 keep for the next taker, and what they give up.
#include "components/pml/ob1/pool.h"

#include <gtest/gtest.h>

#include <vector>

namespace tessera::ob1 {
namespace {

TEST(BufferPool, TakesAgainWhatWasGivenBack) {
  BufferPool pool;
  void* first = pool.take(1000);
  pool.give(first, 1000);
  EXPECT_EQ(pool.kept(), 1024U);
  void* again = pool.take(970);
  EXPECT_EQ(again, first);
  EXPECT_EQ(pool.kept(), 0U);
  pool.give(again, 970);
}

TEST(BufferPool, KeepsLittleOfManySizesTakenOneAfterAnother) {
  BufferPool pool;
  for (std::size_t bytes = 64; bytes <= 48 * 1024; bytes += 64) {
    pool.give(pool.take(bytes), bytes);
    ASSERT_LE(pool.kept(), BufferPool::kKeepAlways);
  }
}

TEST(BufferPool, KeepsAsMuchAsWasInUseAtOnce) {
  BufferPool pool;
  const std::size_t bytes = 4096, blocks = 64;
  std::vector<void*> taken(blocks);
  for (void*& block : taken) block = pool.take(bytes);
  for (void* block : taken) pool.give(block, bytes);
  EXPECT_EQ(pool.peak(), blocks * bytes);
  EXPECT_EQ(pool.kept(), blocks * bytes);
}

TEST(BufferPool, AFloodReturnsToTheHeap) {
  BufferPool pool;
  const std::size_t bytes = 32 * 1024, blocks = 2 * BufferPool::kKeep / bytes;
  std::vector<void*> taken(blocks);
  for (void*& block : taken) block = pool.take(bytes);
  for (void* block : taken) pool.give(block, bytes);
  EXPECT_LE(pool.kept(), BufferPool::kKeep);
  EXPECT_EQ(pool.in_use(), 0U);
}

}  // namespace
}  // namespace tessera::ob1
