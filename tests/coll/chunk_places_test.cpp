// SPDX-License-Identifier: BSD-3-Clause
// Where chunks lie in the buffer of a process.
#include "components/coll/sm/chunk_places.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "tessera/cpu.h"

namespace tessera::coll::sm {
namespace {

struct Span {
  std::size_t begin, end;
  bool meets(const Span& other) const { return begin < other.end && other.begin < end; }
};

void expect_apart(std::uint32_t slot) {
  const ChunkPlaces places(slot);
  std::mt19937 random(1);
  std::vector<Span> spans;
  for (Round round = 1; round < 10'000; ++round) {
    const std::size_t bytes = 1 + random() % (random() % 2 == 0 ? ChunkPlaces::kShort : slot);
    const std::size_t at = places.place(round, bytes);
    spans.push_back({at, at + bytes});
    ASSERT_LE(spans.back().end, places.buffer_bytes());
    const std::size_t first =
        spans.size() - std::min<std::size_t>(spans.size(), ChunkPlaces::kSlots);
    for (std::size_t i = first; i + 1 < spans.size(); ++i)
      ASSERT_FALSE(spans[i].meets(spans.back())) << "round " << round << ", " << bytes << " bytes";
  }
}

TEST(ChunkPlaces, ChunksOfSixteenRoundsInARowAreApart) {
  for (const std::uint32_t slot : {4096, 16 * 1024, 20 * 1024, 32 * 1024, 1024 * 1024})
    expect_apart(slot);
}

TEST(ChunkPlaces, ShortChunksAreThereForManyRoundsAndTouchFewPages) {
  const ChunkPlaces places(32 * 1024);
  std::set<std::size_t> at, pages;
  for (Round round = 1; round <= ChunkPlaces::kShorts; ++round) {
    at.insert(places.place(round, 1024));
    pages.insert(places.place(round, 1024) / kPage);
    EXPECT_NE(places.place(round + 1, 1024), places.place(round, 1024) + 1024);
  }
  EXPECT_EQ(at.size(), ChunkPlaces::kShorts);
  EXPECT_EQ(pages.size(), ChunkPlaces::kShorts * 1024 / kPage);
}

}  // namespace
}  // namespace tessera::coll::sm
