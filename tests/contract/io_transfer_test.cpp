// SPDX-License-Identifier: BSD-3-Clause
// Contract of every io component: lists of extents, in one thread and in several.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>

#include "io_world.h"

namespace tessera::contract::storage {

namespace {

using io::Offset;

class IoTransfer : public testing::Test {
 protected:
  void SetUp() override {
    if (!files_.opened().ok()) GTEST_SKIP() << "it does not open: " << files_.opened().text();
  }
  Files files_;
};

TEST_F(IoTransfer, AnEmptyListIsNothing) {
  auto driver = files_.create("empty");
  EXPECT_EQ(driver->write(List()).bytes, 0);
  const io::Outcome done = driver->read(List());
  EXPECT_EQ(done.bytes, 0);
  EXPECT_TRUE(done.failure.ok());
  EXPECT_EQ(driver->size().value(), 0);
}

TEST_F(IoTransfer, ExtentsInAnyOrderOfTheFile) {
  auto driver = files_.create("order");
  Bytes data = pattern(300, 1);
  const Bytes sent = data;
  const io::Outcome done =
      driver->write(List().add(200, data, 0, 100).add(0, data, 100, 50).add(50, data, 150, 150));
  ASSERT_TRUE(done.failure.ok()) << done.failure.text();
  EXPECT_EQ(done.bytes, 300);
  EXPECT_EQ(data, sent) << "writing has changed the memory";
  Bytes expected(300);
  std::copy_n(sent.begin(), 100, expected.begin() + 200);
  std::copy_n(sent.begin() + 100, 200, expected.begin());
  EXPECT_EQ(content_of(*driver), expected);
  Bytes back(300);
  EXPECT_EQ(
      driver->read(List().add(200, back, 0, 100).add(0, back, 100, 50).add(50, back, 150, 150))
          .bytes,
      300);
  EXPECT_EQ(back, sent);
}

// What is adjacent in the file is not so in memory, and the other way round.
TEST_F(IoTransfer, AdjacentExtents) {
  auto driver = files_.create("adjacent");
  Bytes data = pattern(400, 2);
  const Bytes sent = data;
  List list;
  list.add(0, data, 300, 100).add(100, data, 0, 100);      // in the file
  list.add(1000, data, 100, 100).add(2000, data, 200, 1);  // in memory
  ASSERT_EQ(driver->write(list).bytes, 301);
  const Bytes all = content_of(*driver);
  ASSERT_EQ(all.size(), 2001U);
  EXPECT_TRUE(std::equal(all.begin(), all.begin() + 100, sent.begin() + 300));
  EXPECT_TRUE(std::equal(all.begin() + 100, all.begin() + 200, sent.begin()));
  EXPECT_TRUE(std::equal(all.begin() + 1000, all.begin() + 1100, sent.begin() + 100));
  EXPECT_EQ(all[2000], sent[200]);
}

TEST_F(IoTransfer, WritesNoByteBesidesTheExtents) {
  constexpr std::size_t kBytes = 100'000;
  auto driver = files_.create("beside");
  Bytes expected = pattern(kBytes, 3);
  write_all(*driver, 0, expected);
  Bytes data = pattern(kBytes, 4);
  List list;
  for (std::size_t at = 1; at + 40 < kBytes; at += 37 + at % 997) {
    const std::size_t bytes = 1 + at % 29;
    list.add(static_cast<Offset>(at), data, at, bytes);
    std::copy_n(data.begin() + static_cast<Offset>(at), bytes,
                expected.begin() + static_cast<Offset>(at));
  }
  ASSERT_TRUE(driver->write(list).failure.ok());
  EXPECT_TRUE(content_of(*driver) == expected);
}

TEST_F(IoTransfer, ThousandsOfSmallExtents) {
  constexpr std::size_t kPieces = 5000, kBytes = 7, kStride = 11;
  auto driver = files_.create("small");
  Bytes data = pattern(kPieces * kBytes, 5);
  const Bytes sent = data;
  List list;
  for (std::size_t i = 0; i < kPieces; ++i)
    list.add(static_cast<Offset>(i * kStride), data, i * kBytes, kBytes);
  ASSERT_EQ(driver->write(list).bytes, static_cast<Offset>(kPieces * kBytes));
  std::fill(data.begin(), data.end(), std::byte{0});
  ASSERT_EQ(driver->read(list).bytes, static_cast<Offset>(kPieces * kBytes));
  EXPECT_TRUE(data == sent);
}

// Pieces in turn of two opens of a file, by two threads at once, also of opens that cannot read.
TEST_F(IoTransfer, SmallExtentsBesideThoseOfOthers) {
  constexpr std::size_t kPieces = 3000, kBytes = 24;
  for (const bool reads : {true, false}) {
    auto driver = files_.create("turns");
    std::vector<Bytes> data;
    std::vector<std::thread> threads;
    for (unsigned me = 0; me < 2; ++me) data.push_back(pattern(kPieces * kBytes, 40 + me));
    for (unsigned me = 0; me < 2; ++me) {
      threads.emplace_back([&, me] {
        auto mine = files_.open_existing("turns", reads, true);
        List list;
        for (std::size_t i = 0; i < kPieces; ++i)
          list.add(static_cast<Offset>((2 * i + me) * kBytes), data[me], i * kBytes, kBytes);
        for (int round = 0; round < 10; ++round) EXPECT_TRUE(mine->write(list).failure.ok());
      });
    }
    for (std::thread& thread : threads) thread.join();
    const Bytes all = content_of(*driver);
    ASSERT_EQ(all.size(), 2 * kPieces * kBytes);
    for (std::size_t i = 0; i < 2 * kPieces; ++i) {
      const auto from = data[i % 2].begin() + static_cast<Offset>(i / 2 * kBytes);
      ASSERT_TRUE(std::equal(from, from + kBytes, all.begin() + static_cast<Offset>(i * kBytes)))
          << "piece " << i;
    }
  }
}

// A file that was cut between two lists grows again, and what was cut is gone.
TEST_F(IoTransfer, SmallExtentsAfterTheFileWasCut) {
  constexpr std::size_t kPieces = 1000, kBytes = 16;
  auto driver = files_.create("cut");
  Bytes data = pattern(kPieces * kBytes, 50);
  List upper;
  for (std::size_t i = kPieces / 2; i < kPieces; ++i)
    upper.add(static_cast<Offset>(2 * i * kBytes), data, i * kBytes, kBytes);
  write_all(*driver, 0, pattern(2 * kPieces * kBytes, 51));
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(driver->write(upper).failure.ok());
    ASSERT_TRUE(driver->resize(0).ok());
  }
  ASSERT_TRUE(driver->write(upper).failure.ok());
  const Bytes all = content_of(*driver);
  ASSERT_EQ(all.size(), (2 * kPieces - 1) * kBytes);
  EXPECT_EQ(
      std::count(all.begin(), all.begin() + static_cast<Offset>(kPieces * kBytes), std::byte{0}),
      static_cast<Offset>(kPieces * kBytes));
  EXPECT_TRUE(std::equal(data.end() - kBytes, data.end(), all.end() - kBytes));
}

TEST_F(IoTransfer, ReadingEndsAtTheEndOfTheFile) {
  auto driver = files_.create("end");
  const Bytes content = pattern(1000, 6);
  write_all(*driver, 0, content);
  Bytes data(3000, std::byte{0xee});
  const io::Outcome done =
      driver->read(List().add(100, data, 0, 400).add(900, data, 400, 600).add(0, data, 1000, 2000));
  EXPECT_TRUE(done.failure.ok()) << done.failure.text();
  EXPECT_EQ(done.bytes, 500) << "it goes on in the list behind the end of the file";
  EXPECT_TRUE(std::equal(data.begin(), data.begin() + 400, content.begin() + 100));
  EXPECT_TRUE(std::equal(data.begin() + 400, data.begin() + 500, content.begin() + 900));
  EXPECT_EQ(std::count(data.begin() + 500, data.end(), std::byte{0xee}), 2500)
      << "it has written into memory that got no data";
  EXPECT_EQ(driver->read(List().add(1000, data, 0, 10)).bytes, 0);
  EXPECT_EQ(driver->read(List().add(5'000'000, data, 0, 10)).bytes, 0);
}

TEST_F(IoTransfer, WritingBeyondTheEndExtends) {
  auto driver = files_.create("beyond");
  write_all(*driver, 0, pattern(10, 7));
  write_all(*driver, 70'000, pattern(10, 8));
  EXPECT_EQ(driver->size().value(), 70'010);
  Bytes tail(10);
  EXPECT_EQ(driver->read(List().add(70'000, tail)).bytes, 10);
  EXPECT_EQ(tail, pattern(10, 8));
}

TEST_F(IoTransfer, OffsetsOfMoreThan32Bits) {
  constexpr Offset kFar = (Offset{1} << 32) + 12'345;
  auto driver = files_.create("far");
  Bytes data = pattern(5000, 9);
  const io::Outcome done = driver->write(List().add(kFar, data));
  if (done.failure.code() == io::kNoSpace) GTEST_SKIP() << done.failure.text();
  ASSERT_TRUE(done.failure.ok()) << done.failure.text();
  EXPECT_EQ(driver->size().value(), kFar + 5000);
  Bytes back(5000);
  EXPECT_EQ(driver->read(List().add(kFar, back)).bytes, 5000);
  EXPECT_EQ(back, data);
}

// Transfers of several threads at once, and size() beside them.
TEST_F(IoTransfer, SeveralThreads) {
  constexpr int kThreads = 4, kRounds = 50;
  constexpr std::size_t kBytes = 4096;
  auto driver = files_.create("threads");
  std::atomic<int> wrong{0};
  const auto work = [&](unsigned me) {
    for (unsigned round = 0; round < kRounds; ++round) {
      const auto at = static_cast<Offset>((round * kThreads + me) * kBytes);
      Bytes data = pattern(kBytes, me * 1000 + round), back(kBytes);
      List pieces;
      for (std::size_t i = 0; i < 8; ++i)
        pieces.add(at + static_cast<Offset>(i * kBytes / 8), data, i * kBytes / 8, kBytes / 8);
      if (driver->write(pieces).bytes != static_cast<Offset>(kBytes)) ++wrong;
      if (!driver->size().ok()) ++wrong;
      if (driver->read(List().add(at, back)).bytes != static_cast<Offset>(kBytes)) ++wrong;
      if (back != data) ++wrong;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(driver->size().value(), static_cast<Offset>(kThreads * kRounds * kBytes));
}

// Random lists that do not overlap, against a file in memory.
TEST_F(IoTransfer, RandomListsAgreeWithAModel) {
  std::mt19937 random(20);
  const auto below = [&](std::size_t n) { return random() % n; };
  auto driver = files_.create("random");
  Bytes model;
  std::vector<bool> written;
  for (unsigned round = 0; round < 150; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Bytes data = pattern(20'000, round);
    std::vector<std::array<std::size_t, 3>> pieces;  // place in the file, in memory, bytes
    std::size_t at = below(5000), from = 0;
    for (std::size_t n = below(60); n > 0; --n) {
      const std::size_t bytes = 1 + below(below(4) == 0 ? 300 : 20);
      pieces.push_back({at, from, bytes});
      at += bytes + (below(3) == 0 ? 0 : below(200));
      from += bytes + below(3);
    }
    std::shuffle(pieces.begin(), pieces.end(), random);
    List list;
    for (const auto& [place, memory, bytes] : pieces) {
      list.add(static_cast<Offset>(place), data, memory, bytes);
      if (model.size() < place + bytes) model.resize(place + bytes);
      written.resize(model.size());
      std::fill_n(written.begin() + static_cast<Offset>(place), bytes, true);
      std::copy_n(data.begin() + static_cast<Offset>(memory), bytes,
                  model.begin() + static_cast<Offset>(place));
    }
    ASSERT_TRUE(driver->write(list).failure.ok());
    for (const auto& [place, memory, bytes] : pieces) {
      Bytes one(bytes);
      ASSERT_EQ(driver->read(List().add(static_cast<Offset>(place), one)).bytes,
                static_cast<Offset>(bytes));
      EXPECT_TRUE(std::equal(one.begin(), one.end(), data.begin() + static_cast<Offset>(memory)));
    }
  }
  const Bytes all = content_of(*driver);
  ASSERT_EQ(all.size(), model.size());
  // Bytes that nobody wrote have no value.
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (written[i]) {
      ASSERT_EQ(all[i], model[i]) << "byte " << i;
    }
  }
}

// What a driver lends, if it does, is the file, as long as that is as long as it says.
TEST_F(IoTransfer, LendsWhatTheFileHolds) {
  constexpr Offset kBytes = 1 << 16;
  auto driver = files_.create("lent");
  Bytes data = pattern(kBytes + 200, 5), seen(kBytes);
  write_all(*driver, 0, data);
  const io::Pieces pieces{{100, 100 + kBytes}, kBytes / 2, 512};
  const auto look = [](const std::byte* first, void* to) { std::memcpy(to, first, kBytes); };
  for (int time = 0; time < 4; ++time) {
    data[200] = static_cast<std::byte>(time);
    ASSERT_EQ(driver->write(List().add(200, data, 200, 1)).bytes, 1);
    if (driver->lend(pieces, look, seen.data())) {
      EXPECT_TRUE(std::equal(seen.begin(), seen.end(), data.begin() + 100));
    }
  }
  ASSERT_TRUE(driver->resize(100 + kBytes - 1).ok());
  EXPECT_FALSE(driver->lend(pieces, look, seen.data()));
  EXPECT_FALSE(driver->copies(false, pieces));
  ASSERT_TRUE(driver->resize(0).ok());
  EXPECT_FALSE(driver->lend(pieces, look, seen.data()));
}

}  // namespace

}  // namespace tessera::contract::storage
