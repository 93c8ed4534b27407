// SPDX-License-Identifier: BSD-3-Clause
// When a message is split: buffers that nobody has touched, senders that wait, collective
// operations.
#include "components/pml/ob1/new_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "fake_network.h"

namespace tessera::ob1 {
namespace {

constexpr std::size_t kBytes = 1 << 20;
constexpr std::uint64_t kInterval = 100;

class Region {
 public:
  Region()
      : memory_(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    madvise(memory_, kBytes, MADV_NOHUGEPAGE);
  }
  ~Region() { munmap(memory_, kBytes); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  std::byte* begin() const noexcept { return static_cast<std::byte*>(memory_); }
  void touch(std::size_t from, std::size_t to) const { std::memset(begin() + from, 1, to - from); }

 private:
  void* memory_;
};

TEST(NewPages, AreSeenInTheSecondHalf) {
  const Region region;
  EXPECT_TRUE(NewPages(kInterval).expected(region.begin() + 5, kBytes - 5));
  region.touch(0, kBytes / 2);
  EXPECT_TRUE(NewPages(kInterval).expected(region.begin() + 5, kBytes - 5));
  region.touch(kBytes / 2, kBytes);
  EXPECT_FALSE(NewPages(kInterval).expected(region.begin() + 5, kBytes - 5));
  EXPECT_FALSE(NewPages(kInterval).expected(region.begin() + kBytes - 1, 1));
}

TEST(NewPages, AreLookedForOncePerInterval) {
  const Region old, fresh;
  old.touch(0, kBytes);
  NewPages pages(kInterval);
  EXPECT_FALSE(pages.expected(old.begin(), 1));
  EXPECT_FALSE(pages.expected(fresh.begin(), 60));
  EXPECT_TRUE(pages.expected(fresh.begin(), 60)) << "120 bytes since the last look";
  EXPECT_TRUE(pages.expected(old.begin(), 60));
  EXPECT_FALSE(pages.expected(old.begin(), 60));
}

TEST(NewPages, AreNotWhereNothingIsMapped) {
  const auto* const nowhere = reinterpret_cast<const std::byte*>(std::uintptr_t{1} << 20);
  EXPECT_FALSE(NewPages(kInterval).expected(nowhere, 4));
}

class Halves : public testing::Test {
 protected:
  static test::Traits traits() {
    test::Traits traits;
    traits.get = traits.put = true;
    traits.settings.trial_interval = 1;
    return traits;
  }
  // An announcement comes alone, or with one packet for each piece that is written, or with one for
  // each 4 KiB.
  static bool is_split(std::size_t packets) { return packets > 1 && packets < 10; }
  bool split(const Region& into, bool blocking) { return is_split(packets(into, blocking)); }
  std::size_t packets(const Region& into, bool blocking, std::size_t bytes = kBytes) {
    const std::size_t before = world_.wire(0, 1).sent();
    Request* receive = world_[1].irecv(world_[1].from(0, 1, into.begin(), bytes));
    const pml::SendArgs args = world_[0].to(1, 1, data_.data(), bytes);
    if (blocking)
      EXPECT_TRUE(world_[0].module->send(args).ok());
    else
      EXPECT_TRUE(world_[0].wait(world_[0].isend(args)).error.ok());
    EXPECT_TRUE(world_[1].wait(receive).error.ok());
    EXPECT_TRUE(std::equal(into.begin(), into.begin() + bytes, data_.begin()));
    return world_.wire(0, 1).sent() - before;
  }

  test::World world_{2, traits()};
  const std::vector<std::byte> data_ = test::pattern(kBytes, 1);
};

TEST_F(Halves, AreForSendersThatWaitWherePagesAreNew) {
  EXPECT_FALSE(split(Region(), false));
  EXPECT_TRUE(split(Region(), true));
}

TEST_F(Halves, AreForAllWherePagesAreThere) {
  const Region old;
  old.touch(0, kBytes);
  EXPECT_TRUE(split(old, false));
  EXPECT_TRUE(split(old, true));
}

// All ways are tried for messages of the program, and all but halves in collective operations.
TEST_F(Halves, AreNotForCollectiveOperations) {
  constexpr int kTrials = 40;
  constexpr std::size_t kMiddling = 256 * 1024;  // longer ones are split there as well
  const Region old;
  old.touch(0, kBytes);
  for (const ContextId context : {42, 43}) {
    world_[0].context = world_[1].context = context;
    int read = 0, halves = 0, streamed = 0;
    for (int i = 0; i < kTrials; ++i) {
      const std::size_t count = packets(old, false, kMiddling);
      ++(count == 1 ? read : is_split(count) ? halves : streamed);
    }
    EXPECT_GT(streamed, 0);
    if (context == 42)
      EXPECT_GT(halves, 0);
    else
      EXPECT_EQ(halves, 0);
    EXPECT_EQ(read + halves + streamed, kTrials);
  }
}

}  // namespace
}  // namespace tessera::ob1
