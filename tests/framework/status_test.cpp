// SPDX-License-Identifier: BSD-3-Clause
// Status: texts are kept for the last failures of the thread, and only there.
#include "tessera/status.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tessera/kept_status.h"

namespace tessera {
namespace {

TEST(Status, SuccessIsSilent) {
  EXPECT_TRUE(Status().ok());
  EXPECT_STREQ(Status().text(), "success");
}

TEST(Status, KeepsItsText) {
  const Status status = Status::failure(Errc::argument, "the count is -1; it must not be negative");
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.code(), Errc::argument);
  EXPECT_STREQ(status.text(), "the count is -1; it must not be negative");
}

TEST(KeptStatus, IsReportedByAnotherThread) {
  KeptStatus kept;
  EXPECT_TRUE(kept.ok());
  std::thread([&kept] { kept = Status::failure(Errc::truncated, "16 bytes, room for 8"); }).join();
  EXPECT_TRUE(kept == Errc::truncated);
  KeptStatus moved = std::move(kept);
  EXPECT_STREQ(moved.get().text(), "16 bytes, room for 8");
  moved = Status();
  EXPECT_TRUE(moved.get().ok());
}

TEST(Status, BareCodesHaveAPhrase) {
  for (unsigned code = 0; code <= static_cast<unsigned>(Errc::internal); ++code)
    EXPECT_STRNE(Status(static_cast<Errc>(code)).text(), "unknown error code");
}

TEST(Status, TextsAreKeptForThirtyTwoFailures) {
  const Status first = Status::failure(Errc::system, "first");
  for (int i = 1; i < 32; ++i) static_cast<void>(Status::failure(Errc::system, "another"));
  EXPECT_STREQ(first.text(), "first");
  static_cast<void>(Status::failure(Errc::system, "one too many"));
  EXPECT_STREQ(first.text(), "a system call failed");
}

TEST(Status, LongTextsAreCut) {
  const Status status = Status::failure(Errc::system, std::string(5000, 'x'));
  EXPECT_EQ(std::string(status.text()).size(), 1000u);
}

TEST(Status, AnotherThreadNeverShowsATextOfItsOwn) {
  const Status mine = Status::failure(Errc::refused, "mine");
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([mine] {
      for (int j = 0; j < 64; ++j) {
        const Status theirs = Status::failure(Errc::system, "theirs");
        EXPECT_STREQ(mine.text(), "refused");
        EXPECT_STREQ(theirs.text(), "theirs");
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_STREQ(mine.text(), "mine");
}

TEST(Result, HoldsAValueOrAFailure) {
  Result<std::string> good = std::string("value");
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(good->size(), 5u);
  Result<std::string> bad = Status::failure(Errc::not_found, "nowhere");
  EXPECT_FALSE(bad.ok());
  EXPECT_STREQ(bad.status().text(), "nowhere");
}

}  // namespace
}  // namespace tessera
