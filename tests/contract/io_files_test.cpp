// SPDX-License-Identifier: BSD-3-Clause
// Contract of every io component: judging, opening, sizes, removing, locks, and what failures say.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <thread>

#include "io_world.h"

namespace tessera::contract::storage {

namespace {

using io::Mode;
using io::Offset;

class IoFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!files_.opened().ok()) GTEST_SKIP() << "it does not open: " << files_.opened().text();
  }
  bool exists(const std::string& name) {
    Mode mode;
    mode.read = true;
    auto driver = files_.open(name, mode);
    if (driver.ok()) delete *driver;
    return driver.ok();
  }
  // A failure of this code, whose text names the file.
  void expect_failure(const Status& status, Errc code, const std::string& name) {
    EXPECT_TRUE(status.code() == code)
        << "code " << std::hex << static_cast<unsigned>(status.code()) << " instead of "
        << static_cast<unsigned>(code) << ": " << status.text();
    EXPECT_NE(std::string_view(status.text()).find(name), std::string_view::npos)
        << "the text does not name the file: " << status.text();
  }
  Files files_;
};

TEST_F(IoFiles, JudgesByTheQuestionAlone) {
  Files other;
  const std::string path = files_.path("judged");
  const auto one = files_.component().judge(files_.question(path));
  const auto two = other.component().judge(other.question(path));
  ASSERT_TRUE(one.ok()) << one.status().text() << "; --at says where to make files of which prefix";
  EXPECT_GE(one.value(), 0);
  EXPECT_LE(one.value(), 100);
  ASSERT_TRUE(two.ok());
  EXPECT_EQ(one.value(), two.value());
  const auto again = files_.component().judge(files_.question(path));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(one.value(), again.value());
}

TEST_F(IoFiles, ServesNoFileOfAnotherPrefixOrSaysSo) {
  io::Question question = files_.question("/nowhere/file");
  question.prefix = "no_such_prefix";
  const auto fit = files_.component().judge(question);
  if (!fit.ok()) {
    EXPECT_GT(std::strlen(fit.status().text()), 0U);
  }
}

TEST_F(IoFiles, AMissingFileIsNamed) {
  Mode mode;
  mode.read = true;
  auto driver = files_.open("missing", mode);
  ASSERT_FALSE(driver.ok());
  expect_failure(driver.status(), io::kNoSuchFile, "missing");
  EXPECT_FALSE(exists("missing"));
}

TEST_F(IoFiles, CreatesAnEmptyFileAndLeavesAnExistingOneAsItIs) {
  auto driver = files_.create("created");
  EXPECT_EQ(driver->size().value(), 0);
  write_all(*driver, 0, pattern(100, 1));
  EXPECT_TRUE(driver->close().ok());
  driver.reset();
  Mode mode;
  mode.read = mode.write = mode.create = true;
  auto again = files_.open("created", mode);
  ASSERT_TRUE(again.ok()) << again.status().text();
  driver.reset(*again);
  EXPECT_EQ(content_of(*driver), pattern(100, 1));
}

TEST_F(IoFiles, ExclusiveCreationRefusesAnExistingFile) {
  files_.create("exclusive").reset();
  Mode mode;
  mode.write = mode.create = mode.exclusive = true;
  auto driver = files_.open("exclusive", mode);
  ASSERT_FALSE(driver.ok());
  expect_failure(driver.status(), io::kFileExists, "exclusive");
}

TEST_F(IoFiles, ForWritingOnly) {
  files_.create("write_only").reset();
  auto driver = files_.open_existing("write_only", false, true);
  write_all(*driver, 3, pattern(50, 2));
  EXPECT_EQ(driver->size().value(), 53);
}

TEST_F(IoFiles, AFileForReadingIsNotWritten) {
  auto writer = files_.create("read_only");
  write_all(*writer, 0, pattern(64, 3));
  auto reader = files_.open_existing("read_only", true, false);
  Bytes data = pattern(16, 4);
  const io::Outcome done = reader->write(List().add(8, data));
  EXPECT_FALSE(done.failure.ok());
  EXPECT_EQ(done.bytes, 0);
  EXPECT_NE(std::string_view(done.failure.text()).find("read_only"), std::string_view::npos)
      << "the text does not name the file: " << done.failure.text();
  EXPECT_EQ(content_of(*writer), pattern(64, 3));
}

TEST_F(IoFiles, FactsAreSane) {
  const auto driver = files_.create("facts");
  const io::Facts facts = driver->facts();
  EXPECT_TRUE(facts.positioned);
  EXPECT_GT(facts.block, 0);
}

TEST_F(IoFiles, ResizingCutsAndExtends) {
  auto driver = files_.create("resized");
  write_all(*driver, 0, pattern(1000, 5));
  ASSERT_TRUE(driver->resize(300).ok());
  EXPECT_EQ(driver->size().value(), 300);
  ASSERT_TRUE(driver->resize(5000).ok());
  Bytes all = content_of(*driver), before = pattern(1000, 5);
  ASSERT_EQ(all.size(), 5000U);
  EXPECT_TRUE(std::equal(all.begin(), all.begin() + 300, before.begin()));
  ASSERT_TRUE(driver->resize(0).ok());
  EXPECT_EQ(driver->size().value(), 0);
}

TEST_F(IoFiles, ReservingGrowsOnlyAndKeepsTheData) {
  auto driver = files_.create("reserved");
  write_all(*driver, 0, pattern(2000, 6));
  ASSERT_TRUE(driver->reserve(100).ok());
  EXPECT_EQ(driver->size().value(), 2000);
  ASSERT_TRUE(driver->reserve(100'000).ok());
  EXPECT_EQ(driver->size().value(), 100'000);
  Bytes all = content_of(*driver), before = pattern(2000, 6);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), all.begin()));
}

TEST_F(IoFiles, TwoOpensSeeEachOther) {
  auto one = files_.create("shared");
  auto two = files_.open_existing("shared", true, true);
  write_all(*one, 0, pattern(500, 7));
  ASSERT_TRUE(one->sync().ok());
  EXPECT_EQ(content_of(*two), pattern(500, 7));
  write_all(*two, 0, pattern(500, 8));
  ASSERT_TRUE(two->sync().ok());
  EXPECT_TRUE(two->close().ok());
  two.reset();
  EXPECT_EQ(content_of(*one), pattern(500, 8));
}

TEST_F(IoFiles, RemovesAFileOnce) {
  files_.create("removed").reset();
  EXPECT_TRUE(files_.component().remove(files_.question(files_.path("removed"))).ok());
  EXPECT_FALSE(exists("removed"));
  expect_failure(files_.component().remove(files_.question(files_.path("removed"))),
                 io::kNoSuchFile, "removed");
}

// With close() and without it, and after opens that failed.
TEST_F(IoFiles, NoDescriptorStaysOpen) {
  const auto open_now = [] {
    std::size_t n = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
      ++n;
    return n;
  };
  files_.create("counted").reset();  // what the component opens once for all
  const std::size_t before = open_now();
  for (int i = 0; i < 20; ++i) {
    auto driver = files_.open_existing("counted", true, true);
    if (i % 2 == 0) {
      EXPECT_TRUE(driver->close().ok());
    }
    driver.reset();
    EXPECT_FALSE(exists("missing"));
  }
  EXPECT_EQ(open_now(), before);
}

TEST_F(IoFiles, LocksThatDoNotMeetDoNotWait) {
  auto one = files_.create("locks");
  auto two = files_.open_existing("locks", true, true);
  if (!one->facts().locks) GTEST_SKIP() << "it has no locks";
  ASSERT_TRUE(one->lock({0, 100}, true).ok());
  ASSERT_TRUE(two->lock({100, 200}, true).ok());
  ASSERT_TRUE(one->lock({300, 400}, false).ok());
  ASSERT_TRUE(two->lock({300, 400}, false).ok());  // two that read
  one->unlock({0, 100});
  ASSERT_TRUE(two->lock({0, 100}, true).ok());
  two->unlock({0, 200});
}

// A counter in the file, read and written back under the lock by two opens: none is lost.
TEST_F(IoFiles, AnExclusiveLockExcludes) {
  constexpr int kTurns = 200;
  auto one = files_.create("excluded");
  auto two = files_.open_existing("excluded", true, true);
  if (!one->facts().locks) GTEST_SKIP() << "it has no locks";
  write_all(*one, 0, Bytes(sizeof(std::uint32_t)));
  std::atomic<int> failures{0};
  const auto count = [&](io::Driver& driver) {
    Bytes word(sizeof(std::uint32_t));
    for (int i = 0; i < kTurns; ++i) {
      if (!driver.lock({0, 4}, true).ok()) ++failures;
      if (driver.read(List().add(0, word)).bytes != 4) ++failures;
      std::uint32_t value;
      std::memcpy(&value, word.data(), sizeof value);
      ++value;
      std::this_thread::yield();
      std::memcpy(word.data(), &value, sizeof value);
      if (driver.write(List().add(0, word)).bytes != 4) ++failures;
      driver.unlock({0, 4});
    }
  };
  std::thread other(count, std::ref(*two));
  count(*one);
  other.join();
  EXPECT_EQ(failures.load(), 0);
  Bytes word = content_of(*one);
  std::uint32_t value;
  std::memcpy(&value, word.data(), sizeof value);
  EXPECT_EQ(value, 2U * kTurns);
}

}  // namespace

}  // namespace tessera::contract::storage
