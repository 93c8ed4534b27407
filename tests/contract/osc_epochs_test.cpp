// SPDX-License-Identifier: BSD-3-Clause
// Contract of every osc component: what synchronisation promises (MPI-5.0 §12.5).
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "osc_world.h"

namespace tessera::contract::rma {

namespace {

using osc::Flavor;
using osc::Lock;

class OscEpochs : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!serves(Flavor::create, GetParam())) GTEST_SKIP() << "it serves no such window here";
  }
};
INSTANTIATE_TEST_SUITE_P(Ranks, OscEpochs, testing::Range(1, 10));

void put(Opened& window, int rank, Aint at, const std::int64_t& value) {
  need(window->put(local(&value, 1, int64()), {rank, at, 1, &int64()}, nullptr), "put");
}

void get(Opened& window, int rank, Aint at, std::int64_t& value) {
  need(window->get(local(&value, 1, int64()), {rank, at, 1, &int64()}, nullptr), "get");
}

TEST_P(OscEpochs, FenceSeparates) {
  World(GetParam()).run([](Rank& rank) {
    Opened window(rank, Flavor::create, 8);
    auto& mine = window.as<std::int64_t>()[0];
    need(window->fence(osc::no_precede), "fence");
    for (int round = 0; round < 20; ++round) {
      const std::int64_t value = round * 100 + rank.id();
      put(window, rank.next(), 0, value);
      need(window->fence(0), "fence");
      EXPECT_EQ(mine, round * 100 + rank.previous());
      std::int64_t seen = 0;
      get(window, rank.next(), 0, seen);
      need(window->fence(osc::no_store | osc::no_put), "fence");
      EXPECT_EQ(seen, value);
    }
    need(window->fence(osc::no_succeed), "fence");
  });
}

// Each process is the target of its neighbour; every other time it asks instead of waiting.
TEST_P(OscEpochs, PostStartCompleteWait) {
  World(GetParam()).run([](Rank& rank) {
    Opened window(rank, Flavor::create, 16);
    const int origins[] = {rank.previous()}, targets[] = {rank.next()};
    for (int round = 0; round < 20; ++round) {
      const std::int64_t value = round * 100 + rank.id();
      need(window->post(origins, 0), "post");
      need(window->start(targets, 0), "start");
      put(window, rank.next(), 8, value);
      need(window->complete(targets), "complete");
      if (round % 2 == 0) {
        need(window->wait(origins), "wait");
      } else {
        rank.progress().wait_trying([&] {
          const Result<bool> over = window->test(origins);
          need(over.status(), "test");
          return over.value();
        });
      }
      EXPECT_EQ(window.as<std::int64_t>()[1], round * 100 + rank.previous());
    }
  });
}

// A lock may be taken no earlier than the first access needs it.
TEST_P(OscEpochs, ExclusiveLocksExclude) {
  constexpr int kRounds = 10;
  World world(GetParam());
  world.run([&](Rank& rank) {
    Opened window(rank, Flavor::create, 8);
    for (int round = 0; round < kRounds; ++round) {
      need(window->lock(Lock::exclusive, 0, 0), "lock");
      std::int64_t value = -1;
      get(window, 0, 0, value);
      need(window->flush(0), "flush");
      EXPECT_EQ(++world.shared, 1) << "two processes hold an exclusive lock";
      for (int i = 0; i < 20; ++i) rank.progress().poll(), std::this_thread::yield();
      ++value;
      put(window, 0, 0, value);
      need(window->flush(0), "flush");
      --world.shared;
      need(window->unlock(0), "unlock");
    }
    rank.meet();
    if (rank.id() == 0) {
      EXPECT_EQ(window.as<std::int64_t>()[0], kRounds * rank.ranks());
    }
  });
}

// That of the own memory is there at once: loads and stores need no call.
TEST_P(OscEpochs, LocksOfOnesOwnExclude) {
  World(GetParam()).run([](Rank& rank) {
    Opened window(rank, Flavor::create, 8);
    auto& mine = window.as<volatile std::int64_t>()[0];
    for (int round = 0; round < 20; ++round) {
      if (rank.id() == 0) {
        need(window->lock(Lock::exclusive, 0, 0), "lock");
        const std::int64_t before = mine;
        for (int i = 0; i < 20; ++i) rank.progress().poll(), std::this_thread::yield();
        EXPECT_EQ(mine, before) << "a put came in while the owner held the lock";
        mine = before + 1;
        need(window->unlock(0), "unlock");
      } else {
        const std::int64_t value = 1'000 * rank.id() + round;
        need(window->lock(Lock::exclusive, 0, 0), "lock");
        put(window, 0, 0, value);
        need(window->unlock(0), "unlock");
      }
    }
    rank.meet();
  });
}

// Short epochs that wait for each other: what they did is there when they end, in full.
TEST_P(OscEpochs, ShortEpochsTakeTurns) {
  constexpr int kRounds = 30, kWords = 40;
  World(GetParam()).run([](Rank& rank) {
    Opened window(rank, Flavor::create, (kWords + 9) * 8);
    for (int round = 0; round < kRounds; ++round) {
      const std::int64_t value = 1'000 * rank.id() + round;
      need(window->lock(Lock::exclusive, 0, 0), "lock");
      for (int i = 0; i < kWords; ++i) put(window, 0, 8 * i, value);
      put(window, 0, 8 * (kWords + rank.id()), value);
      need(window->unlock(0), "unlock");
      need(window->lock(Lock::exclusive, 0, 0), "lock");
      need(window->unlock(0), "unlock");
      std::vector<std::int64_t> seen(kWords);
      std::int64_t own = -1;
      need(window->lock(Lock::shared, 0, 0), "lock");
      need(window->get(local(seen.data(), kWords, int64()), {0, 0, kWords, &int64()}, nullptr),
           "get");
      get(window, 0, 8 * (kWords + rank.id()), own);
      need(window->unlock(0), "unlock");
      EXPECT_EQ(seen, std::vector<std::int64_t>(kWords, seen[0]));
      EXPECT_EQ(own, value) << "an epoch that has ended is not in the window";
    }
    rank.meet();
  });
}

// All of them hold the lock when they meet: none may wait for another one's unlock.
TEST_P(OscEpochs, SharedLocksAdmitEachOther) {
  World(GetParam()).run([](Rank& rank) {
    Opened window(rank, Flavor::create, 8);
    need(window->lock(Lock::shared, 0, 0), "lock");
    std::int64_t value = -1;
    get(window, 0, 0, value);
    need(window->flush(0), "flush");
    EXPECT_EQ(value, 0);
    rank.meet();
    need(window->unlock(0), "unlock");
    need(window->lock_all(0), "lock_all");
    rank.meet();
    need(window->unlock_all(), "unlock_all");
  });
}

// Writers exclude readers that hold all locks: nobody sees one word without the other.
TEST_P(OscEpochs, LockAllExcludesWriters) {
  World(GetParam()).run([](Rank& rank) {
    Opened window(rank, Flavor::create, 16);
    for (std::int64_t round = 1; round <= 10; ++round) {
      if (rank.id() % 2 == 0) {
        need(window->lock(Lock::exclusive, 0, 0), "lock");
        put(window, 0, 0, round);
        need(window->flush(0), "flush");
        rank.progress().poll();
        put(window, 0, 8, round);
        need(window->unlock(0), "unlock");
      } else {
        std::int64_t first = -1, second = -2;
        need(window->lock_all(0), "lock_all");
        get(window, 0, 0, first);
        get(window, 0, 8, second);
        need(window->unlock_all(), "unlock_all");
        EXPECT_EQ(first, second);
      }
    }
  });
}

TEST_P(OscEpochs, FlushCompletesAtTheTarget) {
  World(GetParam()).run([](Rank& rank) {
    Opened window(rank, Flavor::create, 16);
    need(window->lock_all(0), "lock_all");
    for (std::int64_t round = 1; round <= 20; ++round) {
      put(window, rank.next(), 8, round);
      need(window->flush(round % 2 == 0 ? osc::kAll : rank.next()), "flush");
      rank.meet();
      need(window->sync(), "sync");
      EXPECT_EQ(window.as<std::int64_t>()[1], round) << "flush has returned too early";
      rank.meet();
    }
    need(window->unlock_all(), "unlock_all");
  });
}

TEST_P(OscEpochs, LocalFlushFreesTheBuffer) {
  World(GetParam()).run([](Rank& rank) {
    constexpr std::size_t kBytes = 50'000;
    Opened window(rank, Flavor::create, kBytes);
    const Bytes sent = pattern(kBytes, 9);
    Bytes buffer = sent, back(kBytes);
    const osc::Remote there{rank.next(), 0, kBytes, &byte()};
    need(window->lock(Lock::exclusive, rank.next(), 0), "lock");
    need(window->put(bytes_of(buffer), there, nullptr), "put");
    need(window->flush_local(rank.next()), "flush_local");
    std::fill(buffer.begin(), buffer.end(), std::byte{0});
    need(window->flush(rank.next()), "flush");
    need(window->get(bytes_of(back), there, nullptr), "get");
    need(window->flush_local(osc::kAll), "flush_local");
    EXPECT_EQ(back, sent);
    need(window->unlock(rank.next()), "unlock");
  });
}

// Exclusive locks of several targets at once, taken in an order that cannot deadlock.
TEST_P(OscEpochs, LocksOfSeveralTargets) {
  World(GetParam()).run([](Rank& rank) {
    Opened window(rank, Flavor::create, 8);
    for (int round = 0; round < 3; ++round) {
      for (int target = 0; target < rank.ranks(); ++target)
        need(window->lock(Lock::exclusive, target, 0), "lock");
      std::vector<std::int64_t> values(static_cast<std::size_t>(rank.ranks()));
      for (int target = 0; target < rank.ranks(); ++target)
        get(window, target, 0, values[static_cast<std::size_t>(target)]);
      need(window->flush(osc::kAll), "flush");
      const std::vector<std::int64_t> all_alike(values.size(), values[0]);
      EXPECT_EQ(values, all_alike);
      for (int target = 0; target < rank.ranks(); ++target)
        put(window, target, 0, ++values[static_cast<std::size_t>(target)]);
      for (int target = rank.ranks() - 1; target >= 0; --target)
        need(window->unlock(target), "unlock");
    }
    rank.meet();
    EXPECT_EQ(window.as<std::int64_t>()[0], 3 * rank.ranks());
  });
}

}  // namespace

}  // namespace tessera::contract::rma
