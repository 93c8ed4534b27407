// SPDX-License-Identifier: BSD-3-Clause
// Contract of every osc component: what operations do to memory, and when they say that they are
// done.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "core/comm/group.h"
#include "core/datatype/make.h"
#include "core/datatype/predefined.h"
#include "osc_world.h"

namespace tessera::contract::rma {

namespace {

using osc::Flavor;

std::uintptr_t number(MPI_Op op) {
  return reinterpret_cast<std::uintptr_t>(op);
}

class OscOperations : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!serves(Flavor::create, GetParam())) GTEST_SKIP() << "it serves no such window here";
  }
  static void run(const std::function<void(Rank&)>& body) { World(GetParam()).run(body); }
};
INSTANTIATE_TEST_SUITE_P(Ranks, OscOperations, testing::Range(1, 10));

// Every size, at an odd place: all bytes arrive, and none beside them.
TEST_P(OscOperations, PutAndGetMoveTheirBytesOnly) {
  run([](Rank& rank) {
    constexpr std::size_t kAll = 120'000, kAt = 13;
    Opened window(rank, Flavor::create, kAll);
    for (const std::size_t bytes : {1, 7, 8, 64, 1000, 5000, 100'001}) {
      std::fill(window.base(), window.base() + kAll, std::byte{0xee});
      Bytes sent = pattern(bytes, static_cast<unsigned>(rank.id()));
      Bytes back(bytes);
      const osc::Remote there{rank.next(), kAt, static_cast<Count>(bytes), &byte()};
      need(window->fence(0), "fence");
      need(window->put(bytes_of(sent), there, nullptr), "put");
      need(window->fence(0), "fence");
      const Bytes expected = pattern(bytes, static_cast<unsigned>(rank.previous()));
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), window.base() + kAt))
          << "a put of " << bytes << " bytes";
      EXPECT_EQ(std::count(window.base(), window.base() + kAt, std::byte{0xee}),
                static_cast<std::ptrdiff_t>(kAt));
      EXPECT_EQ(window.base()[kAt + bytes], std::byte{0xee}) << "a byte beside was written";
      need(window->get(bytes_of(back), there, nullptr), "get");
      need(window->fence(0), "fence");
      EXPECT_EQ(back, sent) << "a get of " << bytes << " bytes";
    }
  });
}

Ref<TypeObject> strided(Count count, Count length, Count stride) {
  auto type = make_vector(count, length, stride,
                          *predefined_type(reinterpret_cast<std::uintptr_t>(MPI_INT64_T)), {});
  need(type.status(), "make_vector");
  (*type)->commit();
  return Ref<TypeObject>(*type);
}

// Blocks of 3 at the origin, of 2 at the target, 1,200 elements.
TEST_P(OscOperations, TypesOfBothSidesCount) {
  run([](Rank& rank) {
    constexpr int kElements = 1200;
    const auto from = strided(kElements / 3, 3, 5), to = strided(kElements / 2, 2, 3);
    std::vector<std::int64_t> sent(kElements / 3 * 5), back(sent.size(), -7);
    std::iota(sent.begin(), sent.end(), rank.id() * 10'000);
    Opened window(rank, Flavor::create, kElements / 2 * 3 * 8);
    auto* mine = window.as<std::int64_t>();
    std::fill(mine, mine + kElements / 2 * 3, -1);
    const osc::Remote there{rank.next(), 0, 1, to.get()};
    need(window->fence(0), "fence");
    need(window->put(local(sent.data(), 1, *from), there, nullptr), "put");
    need(window->fence(0), "fence");
    for (int i = 0; i < kElements; ++i) {
      ASSERT_EQ(mine[i / 2 * 3 + i % 2], rank.previous() * 10'000 + i / 3 * 5 + i % 3);
      if (i / 2 < kElements / 2 - 1) {
        ASSERT_EQ(mine[i / 2 * 3 + 2], -1);
      }
    }
    need(window->get(local(back.data(), 1, *from), there, nullptr), "get");
    need(window->fence(0), "fence");
    for (std::size_t i = 0; i + 2 < back.size(); ++i) ASSERT_EQ(back[i], i % 5 < 3 ? sent[i] : -7);
  });
}

// Of a byte on each side of the longest packet and of several, at an odd place, to all processes
// before one flush of all.
TEST_P(OscOperations, LongPutsAndGetsReachAllTargets) {
  if (GetParam() > 4) GTEST_SKIP() << "more than four processes only take longer";
  run([](Rank& rank) {
    constexpr std::size_t kPacket = std::size_t{1} << 20, kAt = 3;
    const auto ranks = static_cast<std::size_t>(rank.ranks());
    const std::size_t most = 2 * kPacket + 1;
    const auto slot = [most](int who) { return static_cast<std::size_t>(who) * most + kAt; };
    Opened window(rank, Flavor::create, ranks * most + 2 * kAt);
    need(window->lock_all(0), "lock_all");
    for (const std::size_t bytes : {kPacket - 1, kPacket, kPacket + 1, most}) {
      Bytes sent = pattern(bytes, static_cast<unsigned>(rank.id()));
      std::vector<Bytes> back(ranks, Bytes(bytes));
      const auto there = [&](int who) {
        return osc::Remote{who, static_cast<Aint>(slot(rank.id())), static_cast<Count>(bytes),
                           &byte()};
      };
      for (int who = 0; who < rank.ranks(); ++who)
        need(window->put(bytes_of(sent), there(who), nullptr), "put");
      need(window->flush(osc::kAll), "flush of all");
      rank.meet();
      for (int who = 0; who < rank.ranks(); ++who) {
        const Bytes expected = pattern(bytes, static_cast<unsigned>(who));
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), window.base() + slot(who)))
            << "a put of " << bytes << " bytes by rank " << who;
        need(window->get(bytes_of(back[static_cast<std::size_t>(who)]), there(who), nullptr),
             "get");
      }
      need(window->flush(osc::kAll), "flush of all");
      for (const Bytes& each : back) EXPECT_TRUE(each == sent) << "a get of " << bytes << " bytes";
      rank.meet();
    }
    need(window->unlock_all(), "unlock_all");
  });
}

// Of 1.3 million bytes, contiguous on one side, and on the other in blocks: what lies between
// them stays.
TEST_P(OscOperations, LongDataMayBeInBlocksOnOneSide) {
  run([](Rank& rank) {
    constexpr Count kBlocks = 1500, kLength = 110, kStride = 111, kElements = kBlocks * kLength;
    const auto blocks = strided(kBlocks, kLength, kStride);
    std::vector<std::int64_t> plain(kElements), back(kElements), torn(kBlocks * kStride, -7);
    std::iota(plain.begin(), plain.end(), rank.id());
    Opened window(rank, Flavor::create, kBlocks * kStride * 8);
    auto* mine = window.as<std::int64_t>();
    std::fill(mine, mine + kBlocks * kStride, -1);
    const auto wrong = [](const std::int64_t* at, std::int64_t first, std::int64_t between) {
      int count = 0;
      for (Count i = 0; i < kBlocks * kStride - 1; ++i) {
        const Count in = i % kStride;
        count += at[i] != (in < kLength ? first + i / kStride * kLength + in : between);
      }
      return count;
    };
    const osc::Remote in_blocks{rank.next(), 0, 1, blocks.get()};
    const osc::Remote in_a_row{rank.next(), 0, kElements, &int64()};
    need(window->fence(0), "fence");
    need(window->put(local(plain.data(), kElements, int64()), in_blocks, nullptr), "put");
    need(window->fence(0), "fence");
    EXPECT_EQ(wrong(mine, rank.previous(), -1), 0) << "contiguous at the origin";
    need(window->get(local(back.data(), kElements, int64()), in_blocks, nullptr), "get");
    need(window->fence(0), "fence");
    EXPECT_TRUE(back == plain);
    need(window->put(local(plain.data(), kElements, int64()), in_a_row, nullptr), "put");
    need(window->fence(0), "fence");
    need(window->get(local(torn.data(), 1, *blocks), in_a_row, nullptr), "get");
    need(window->fence(0), "fence");
    EXPECT_EQ(wrong(torn.data(), rank.id(), -7), 0) << "contiguous at the target";
    need(window->put(local(torn.data(), 1, *blocks), in_a_row, nullptr), "put");
    need(window->fence(0), "fence");
    for (Count i = 0; i < kElements; ++i) ASSERT_EQ(mine[i], rank.previous() + i);
  });
}

TEST_P(OscOperations, AccumulatesAreAtomic) {
  run([](Rank& rank) {
    constexpr int kRounds = 100;
    Opened window(rank, Flavor::create, 64);
    const std::int64_t add[] = {1, rank.id(), 1000};
    need(window->lock_all(0), "lock_all");
    for (int i = 0; i < kRounds; ++i) {
      need(window->accumulate(local(add, 3, int64()), {0, 8, 3, &int64()},
                              on_int64(number(MPI_SUM)), nullptr),
           "accumulate");
    }
    need(window->unlock_all(), "unlock_all");
    rank.meet();
    if (rank.id() != 0) return;
    const std::int64_t n = rank.ranks();
    const auto* sums = window.as<std::int64_t>();
    EXPECT_EQ(sums[0], 0);
    EXPECT_EQ(sums[1], n * kRounds);
    EXPECT_EQ(sums[2], n * (n - 1) / 2 * kRounds);
    EXPECT_EQ(sums[3], n * 1000 * kRounds);
  });
}

// More than a packet from all at once: none is mixed up with another one's.
TEST_P(OscOperations, LongAccumulatesOfAllAddUp) {
  run([](Rank& rank) {
    constexpr int kElements = 60'000, kRounds = 3;
    Opened window(rank, Flavor::create, kElements * 8);
    std::vector<std::int64_t> values(kElements), before(kElements, -1);
    for (int i = 0; i < kElements; ++i) values[static_cast<std::size_t>(i)] = i + rank.id();
    const osc::Remote there{0, 0, kElements, &int64()};
    const auto sum = on_int64(number(MPI_SUM));
    need(window->fence(0), "fence");
    for (int round = 0; round < kRounds; ++round) {
      need(window->accumulate(local(values.data(), kElements, int64()), there, sum, nullptr),
           "accumulate");
      need(window->get_accumulate(local(values.data(), kElements, int64()),
                                  local(before.data(), kElements, int64()), there, sum, nullptr),
           "get_accumulate");
      need(window->fence(0), "fence");
      const std::int64_t n = rank.ranks(), times = 2 * (round + 1);
      for (std::int64_t i = 0; i < kElements; ++i) {
        ASSERT_GE(before[static_cast<std::size_t>(i)], i + rank.id());
        const std::int64_t all = times * (n * i + n * (n - 1) / 2);
        ASSERT_TRUE(rank.id() != 0 || window.as<std::int64_t>()[i] == all) << "element " << i;
      }
      need(window->fence(0), "fence");
    }
  });
}

TEST_P(OscOperations, FetchGivesEachValueOnce) {
  World world(GetParam());
  constexpr int kRounds = 50;
  std::vector<std::atomic<int>> seen(static_cast<std::size_t>(GetParam() * kRounds));
  world.run([&](Rank& rank) {
    Opened window(rank, Flavor::create, 8);
    const std::int64_t one = 1;
    need(window->lock_all(0), "lock_all");
    for (int i = 0; i < kRounds; ++i) {
      std::int64_t before = -1;
      need(window->fetch(&one, &before, 0, 0, on_int64(number(MPI_SUM))), "fetch");
      need(window->flush(0), "flush");
      if (before >= 0 && before < static_cast<std::int64_t>(seen.size()))
        ++seen[static_cast<std::size_t>(before)];
    }
    need(window->unlock_all(), "unlock_all");
  });
  for (const auto& count : seen) ASSERT_EQ(count, 1) << "a value was fetched twice, or never";
}

// A lock of the program's own, around an update that is not atomic.
TEST_P(OscOperations, CompareAndSwapExcludes) {
  run([](Rank& rank) {
    constexpr int kRounds = 5;
    Opened window(rank, Flavor::create, 16);
    const std::int64_t free = 0, taken = rank.id() + 1;
    need(window->lock_all(0), "lock_all");
    for (int i = 0; i < kRounds; ++i) {
      for (std::int64_t found = -1; found != 0;) {
        need(window->compare_and_swap(&taken, &free, &found, int64(), 0, 0), "compare_and_swap");
        need(window->flush(0), "flush");
      }
      std::int64_t count = 0;
      need(window->get(local(&count, 1, int64()), {0, 8, 1, &int64()}, nullptr), "get");
      need(window->flush(0), "flush");
      ++count;
      need(window->put(local(&count, 1, int64()), {0, 8, 1, &int64()}, nullptr), "put");
      need(window->flush(0), "flush");
      std::int64_t ignored = 0;
      need(window->fetch(&free, &ignored, 0, 0, on_int64(number(MPI_REPLACE))), "fetch");
      need(window->flush(0), "flush");
      EXPECT_EQ(ignored, taken) << "somebody else has the lock, too";
    }
    need(window->unlock_all(), "unlock_all");
    rank.meet();
    if (rank.id() == 0) {
      EXPECT_EQ(window.as<std::int64_t>()[1], kRounds * rank.ranks());
    }
  });
}

TEST_P(OscOperations, AccumulatesOfOneOriginKeepTheirOrder) {
  run([](Rank& rank) {
    Opened window(rank, Flavor::create, 800);
    const auto replace = on_int64(number(MPI_REPLACE)), sum = on_int64(number(MPI_SUM));
    const osc::Remote there{rank.next(), 0, 100, &int64()};
    need(window->lock(osc::Lock::shared, rank.next(), 0), "lock");
    std::vector<std::vector<std::int64_t>> values(20, std::vector<std::int64_t>(100));
    std::vector<std::int64_t> before(100);
    for (int i = 0; i < 20; ++i) {
      auto& value = values[static_cast<std::size_t>(i)];
      std::fill(value.begin(), value.end(), 3 * i + 1);
      need(window->accumulate(local(value.data(), 100, int64()), there, i % 2 == 0 ? replace : sum,
                              nullptr),
           "accumulate");
    }
    need(window->get_accumulate(local(values[0].data(), 100, int64()),
                                local(before.data(), 100, int64()), there, replace, nullptr),
         "get_accumulate");
    need(window->unlock(rank.next()), "unlock");
    for (const std::int64_t value : before) ASSERT_EQ(value, 3 * 18 + 1 + 3 * 19 + 1);
    rank.meet();
    EXPECT_EQ(window.as<std::int64_t>()[99], 1) << "the last one came earlier";
  });
}

class Counted final : public osc::Ticket {
 public:
  void hold() noexcept override { ++held; }
  void done(Status outcome) noexcept override {
    need(outcome, "done()");
    ++ended;
  }
  int held = 0, ended = 0;
};

// Thousands of small operations between two flushes, of all sizes: each is done once, in its place.
TEST_P(OscOperations, ManySmallOperationsKeepTheirOrder) {
  run([](Rank& rank) {
    constexpr int kOperations = 3000, kWords = 150;
    Opened window(rank, Flavor::create, (kWords + 1) * sizeof(std::int64_t));
    const osc::Combination replace = on_int64(number(MPI_REPLACE)), sum = on_int64(number(MPI_SUM));
    std::vector<std::int64_t> expected(kWords + 1), value(kWords);
    need(window->lock_all(0), "lock_all");
    for (int i = 0; i < kOperations; ++i) {
      const int count = i % kWords + 1, at = i % (kWords + 1 - count + 1);
      std::fill(value.begin(), value.end(), i);
      const auto mine = local(value.data(), count, int64());
      const osc::Remote there{rank.next(), at * 8, count, &int64()};
      const bool adds = i % 3 != 0;
      need(window->accumulate(mine, there, adds ? sum : replace, nullptr), "accumulate");
      for (int k = at; k < at + count; ++k) {
        auto& word = expected[static_cast<std::size_t>(k)];
        word = adds ? word + i : i;
      }
    }
    need(window->flush(rank.next()), "flush");
    std::vector<std::int64_t> there(expected.size());
    need(window->get(local(there.data(), kWords + 1, int64()),
                     {rank.next(), 0, kWords + 1, &int64()}, nullptr),
         "get");
    need(window->unlock_all(), "unlock_all");
    EXPECT_EQ(there, expected);
  });
}

// A held ticket is done once, by the time of the flush; nothing else is ever done.
TEST_P(OscOperations, TicketsAreDoneOnce) {
  run([](Rank& rank) {
    constexpr std::size_t kBytes = 24'000;
    Opened window(rank, Flavor::create, kBytes);
    Bytes data = pattern(kBytes, 3), back(kBytes), before(kBytes);
    const Count elements = kBytes / 8;
    const osc::Remote bytes{rank.next(), 0, kBytes, &byte()};
    const osc::Remote numbers{rank.next(), 0, elements, &int64()};
    const osc::Local mine = local(data.data(), elements, int64());
    Counted put, get, sum, fetch;
    need(window->lock(osc::Lock::exclusive, rank.next(), 0), "lock");
    need(window->put(bytes_of(data), bytes, &put), "put");
    need(window->flush(rank.next()), "flush");
    need(window->get(bytes_of(back), bytes, &get), "get");
    need(window->flush(rank.next()), "flush");
    need(window->accumulate(mine, numbers, on_int64(number(MPI_BXOR)), &sum), "accumulate");
    need(window->get_accumulate(mine, local(before.data(), elements, int64()), numbers,
                                on_int64(number(MPI_REPLACE)), &fetch),
         "get_accumulate");
    need(window->unlock(rank.next()), "unlock");
    for (const Counted* ticket : {&put, &get, &sum, &fetch})
      EXPECT_EQ(ticket->held, ticket->ended) << "a ticket was not done once for each hold()";
    EXPECT_EQ(back, data);
    EXPECT_EQ(before, Bytes(kBytes)) << "x xor x";
  });
}

// Every process adds to random places everywhere; all know what all have added.
TEST_P(OscOperations, RandomSumsAgreeWithAModel) {
  run([](Rank& rank) {
    constexpr int kElements = 300, kRounds = 40;
    Opened window(rank, Flavor::create, kElements * 8);
    std::vector<std::int64_t> expected(kElements);
    std::vector<std::vector<std::int64_t>> kept;
    need(window->fence(0), "fence");
    for (int who = 0; who < rank.ranks(); ++who) {
      std::mt19937 random(static_cast<unsigned>(who) + 5);
      for (int i = 0; i < kRounds; ++i) {
        const int target = static_cast<int>(random() % static_cast<unsigned>(rank.ranks()));
        const int first = static_cast<int>(random() % kElements);
        const int count = 1 + static_cast<int>(random() % static_cast<unsigned>(kElements - first));
        std::vector<std::int64_t> values(static_cast<std::size_t>(count));
        for (std::int64_t& value : values) value = static_cast<std::int64_t>(random());
        for (int at = 0; target == rank.id() && at < count; ++at)
          expected[static_cast<std::size_t>(first + at)] += values[static_cast<std::size_t>(at)];
        if (who != rank.id()) continue;
        kept.push_back(std::move(values));
        need(window->accumulate(local(kept.back().data(), count, int64()),
                                {target, first * 8, count, &int64()}, on_int64(number(MPI_SUM)),
                                nullptr),
             "accumulate");
      }
    }
    need(window->fence(0), "fence");
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), window.as<std::int64_t>()));
  });
}

}  // namespace

}  // namespace tessera::contract::rma
