// SPDX-License-Identifier: BSD-3-Clause
// Contract of every osc component: windows, their memory, how they come and go.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "osc_world.h"

namespace tessera::contract::rma {

namespace {

using osc::Flavor;

class OscWindows : public testing::TestWithParam<int> {
 protected:
  int ranks() const { return GetParam(); }
  void only_if_served(Flavor flavor) const {
    if (!serves(flavor, ranks())) GTEST_SKIP() << "it serves no such window here";
  }
};
INSTANTIATE_TEST_SUITE_P(Ranks, OscWindows, testing::Range(1, 10));

TEST_P(OscWindows, MemoryIsAllocatedAndAligned) {
  only_if_served(Flavor::allocate);
  if (IsSkipped()) return;
  World(ranks()).run([](Rank& rank) {
    osc::Hints hints;
    hints.alignment = 256;
    const auto bytes = static_cast<std::size_t>(rank.id()) * 1000;  // rank 0: none
    Opened window(rank, Flavor::allocate, bytes, hints);
    if (bytes > 0 && window.base() == nullptr)
      need(Status::failure(Errc::argument, "make() has set no base"), "make()");
    if (bytes > 0) {
      EXPECT_EQ(window->address(rank.id()), window.base());
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(window.base()) % 256, 0U);
      std::memset(window.base(), rank.id(), bytes);
    }
    rank.meet();
    EXPECT_EQ(std::count(window.base(), window.base() + bytes, static_cast<std::byte>(rank.id())),
              static_cast<std::ptrdiff_t>(bytes))
        << "the memory of two processes is the same";
  });
}

// The engine copies by itself where a module says that it may.
TEST_P(OscWindows, DirectMemoryIsThatOfEachRank) {
  only_if_served(Flavor::allocate);
  if (IsSkipped()) return;
  World(ranks()).run([](Rank& rank) {
    Opened window(rank, Flavor::allocate, 64);
    const auto direct = window->direct();
    if (direct.empty()) return rank.meet();
    ASSERT_EQ(direct.size(), static_cast<std::size_t>(rank.ranks()));
    for (int i = 0; i < rank.ranks(); ++i)
      EXPECT_EQ(direct[static_cast<std::size_t>(i)], window->address(i)) << "of rank " << i;
    rank.meet();
  });
}

TEST_P(OscWindows, SharedMemoryIsSeenByAll) {
  only_if_served(Flavor::shared);
  if (IsSkipped()) return;
  World(ranks()).run([](Rank& rank) {
    Opened window(rank, Flavor::shared, 96);
    for (int i = 0; i < rank.ranks(); ++i) {
      auto* theirs = static_cast<std::byte*>(window->address(i));
      ASSERT_NE(theirs, nullptr);
      EXPECT_EQ(theirs, static_cast<std::byte*>(window->address(0)) + 96 * i)
          << "the parts do not follow each other";
    }
    std::memset(window.base(), rank.id() + 1, 96);
    need(window->sync(), "sync");
    rank.meet();
    need(window->sync(), "sync");
    const auto* theirs = static_cast<std::byte*>(window->address(rank.next()));
    EXPECT_EQ(theirs[95], static_cast<std::byte>(rank.next() + 1));
    rank.meet();
  });
}

// Freed memory of the component is gone; that of the user stays as it is.
TEST_P(OscWindows, ComeAndGo) {
  only_if_served(Flavor::create);
  if (IsSkipped()) return;
  World(ranks()).run([](Rank& rank) {
    const std::size_t pollers = rank.progress().pollers();
    for (int round = 0; round < 10; ++round) {
      Opened mine(rank, Flavor::create, 64);
      Opened theirs(rank, Flavor::allocate, 64);
      const std::int64_t value = round * 100 + rank.id();
      need(mine->fence(0), "fence");
      need(mine->put(local(&value, 1, int64()), {rank.next(), 8, 1, &int64()}, nullptr), "put");
      need(mine->fence(0), "fence");
      EXPECT_EQ(mine.as<std::int64_t>()[1], round * 100 + rank.previous());
    }
    rank.progress().wait_until([&] { return rank.instances().drained(); });
    rank.progress().poll();
    rank.meet();
    EXPECT_EQ(rank.progress().pollers(), pollers) << "a freed window left a poller registered";
  });
}

TEST_P(OscWindows, DoNotMix) {
  only_if_served(Flavor::create);
  if (IsSkipped()) return;
  World(ranks()).run([](Rank& rank) {
    Opened first(rank, Flavor::create, 64), second(rank, Flavor::create, 64);
    const std::int64_t one = 1, two = 2;
    need(first->lock_all(0), "lock_all");
    need(second->lock_all(0), "lock_all");
    need(second->put(local(&two, 1, int64()), {rank.next(), 0, 1, &int64()}, nullptr), "put");
    need(first->put(local(&one, 1, int64()), {rank.next(), 0, 1, &int64()}, nullptr), "put");
    need(first->unlock_all(), "unlock_all");
    rank.meet();
    EXPECT_EQ(first.as<std::int64_t>()[0], 1);
    need(second->unlock_all(), "unlock_all");
    rank.meet();
    EXPECT_EQ(second.as<std::int64_t>()[0], 2);
  });
}

void put_into_region(Rank& rank, Opened& window, std::int64_t* mine) {
  std::vector<std::uint64_t> addresses(static_cast<std::size_t>(rank.ranks()));
  const auto address = reinterpret_cast<std::uintptr_t>(mine);
  rank.gather(&address, sizeof address, addresses.data());
  const auto place = static_cast<Aint>(addresses[static_cast<std::size_t>(rank.next())]);
  const std::int64_t value = 1000 + rank.id();
  need(window->lock(osc::Lock::exclusive, rank.next(), 0), "lock");
  need(window->put(local(&value, 1, int64()), {rank.next(), place + 24, 1, &int64()}, nullptr),
       "put into a region that is attached");
  need(window->unlock(rank.next()), "unlock");
  rank.meet();
  EXPECT_EQ(mine[3], 1000 + rank.previous());
}

TEST_P(OscWindows, DynamicRegionsComeAndGo) {
  only_if_served(Flavor::dynamic);
  if (IsSkipped()) return;
  World(ranks()).run([](Rank& rank) {
    Opened window(rank, Flavor::dynamic, 0);
    std::vector<std::int64_t> first(10), second(1000);
    need(window->attach(first.data(), 80), "attach");
    need(window->attach(second.data(), 8000), "attach");
    put_into_region(rank, window, first.data());
    put_into_region(rank, window, second.data());
    need(window->detach(first.data()), "detach");
    second[3] = 0;
    put_into_region(rank, window, second.data());
    need(window->detach(second.data()), "detach");
  });
}

// Only the target knows what is attached: the origin hears of it by the end of the epoch.
TEST_P(OscWindows, AccessOfNoRegionIsAnError) {
  only_if_served(Flavor::dynamic);
  if (IsSkipped()) return;
  World(ranks()).run([](Rank& rank) {
    Opened window(rank, Flavor::dynamic, 0);
    std::vector<std::int64_t> region(10);
    need(window->attach(region.data(), 40), "attach");  // the first half
    std::vector<std::uint64_t> addresses(static_cast<std::size_t>(rank.ranks()));
    const auto address = reinterpret_cast<std::uintptr_t>(region.data());
    rank.gather(&address, sizeof address, addresses.data());
    const auto place = static_cast<Aint>(addresses[static_cast<std::size_t>(rank.next())]);
    const std::int64_t value = 1;
    need(window->lock(osc::Lock::shared, rank.next(), 0), "lock");
    Status told =
        window->put(local(&value, 1, int64()), {rank.next(), place + 40, 1, &int64()}, nullptr);
    const Status ended = window->unlock(rank.next());
    if (told.ok()) told = ended;
    EXPECT_EQ(told.code(), Errc::argument) << "nobody was told";
    rank.meet();
    EXPECT_EQ(region[5], 0) << "memory beside the region was written";
    need(window->detach(region.data()), "detach");
  });
}

}  // namespace

}  // namespace tessera::contract::rma
