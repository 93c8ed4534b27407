// SPDX-License-Identifier: BSD-3-Clause
// Copies of long data: what is copied in either way, when the caches have forgotten a destination,
// and how large they are.
#include "tessera/copy.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "core/job/copy_history.h"
#include "core/job/string_copy.h"
#include "core/machine/caches.h"

namespace tessera {
namespace {

using Copy = void (*)(void*, const void*, std::size_t) noexcept;

void expect_copies(Copy copy, std::initializer_list<std::size_t> lengths) {
  constexpr unsigned char kUntouched = 0xEE;
  constexpr std::size_t kRoom = 12 * 1024;
  std::vector<unsigned char> from(kRoom);
  std::iota(from.begin(), from.end(), static_cast<unsigned char>(1));
  for (const std::size_t bytes : lengths) {
    for (std::size_t shift = 0; shift < 70; shift += 3) {
      std::vector<unsigned char> to(kRoom, kUntouched);
      copy(to.data() + shift, from.data() + shift / 2, bytes);
      for (std::size_t i = 0; i < to.size(); ++i) {
        const bool inside = i >= shift && i < shift + bytes;
        ASSERT_EQ(to[i], inside ? from[i - shift + shift / 2] : kUntouched)
            << "byte " << i << " of " << bytes << " to " << shift;
      }
    }
  }
}

TEST(CopyPastCaches, CopiesTheBytesAndNoOthers) {
  expect_copies(copy_past_caches, {0, 1, 15, 63, 64, 65, 127, 128, 1000, 2048});
}

TEST(CopyByVectors, CopiesTheBytesAndNoOthers) {
  expect_copies(copy_by_vectors, {0, 1, 15, 63, 64, 65, 127, 128, 1000, 2048});
}

TEST(CopyWithoutStall, CopiesTheBytesAndNoOthersOnEitherProcessor) {
  for (const bool stalls : {false, true}) {
    assume_string_copies_stall(stalls);
    expect_copies(copy_without_stall, {2048, 2049, 8 * 1024});
  }
}

TEST(CopyNear, CopiesTheBytesAndNoOthers) {
  expect_copies(copy_near, {0, 1, 7, 8, 9, 15, 16, 17, 2047, 2048, 2049, 8 * 1024});
}

TEST(CopyNear, KnowsWhereTheStringInstructionStalls) {
  const auto stalls = [](std::uintptr_t to, std::uintptr_t from) {
    return string_copy_stalls(reinterpret_cast<const void*>(to),
                              reinterpret_cast<const void*>(from));
  };
  EXPECT_TRUE(stalls(0x10010, 0x20000));
  EXPECT_TRUE(stalls(0x20001, 0x10000));
  EXPECT_TRUE(stalls(0x2000f, 0x1fff0));
  EXPECT_FALSE(stalls(0x10000, 0x20000));
  EXPECT_FALSE(stalls(0x10040, 0x20000));
  EXPECT_FALSE(stalls(0x10000, 0x20010)) << "behind";
}

TEST(CopyHistory, KnowsWhatWasCopiedSinceTheLastTime) {
  CopyHistory history;
  std::vector<std::byte> memory(1 << 20);
  const std::byte* const first = memory.data();
  const std::byte* const second = memory.data() + 512 * 1024;
  EXPECT_EQ(history.since_last(first, 64 * 1024), 0u);
  EXPECT_EQ(history.since_last(second, 32 * 1024), 0u);
  EXPECT_EQ(history.since_last(first, 64 * 1024), 96u * 1024);
  EXPECT_EQ(history.since_last(first, 64 * 1024), 64u * 1024);
  EXPECT_EQ(history.since_last(second, 32 * 1024), 160u * 1024);
}

TEST(CopyHistory, AnAddressThatLostItsPlaceCountsAsNew) {
  CopyHistory history;
  constexpr std::uintptr_t kPages = 1 << 20, kPage = 4096;
  const auto at = [](std::uintptr_t page) { return reinterpret_cast<const void*>(page * kPage); };
  for (std::uintptr_t page = 1; page < kPages; ++page)
    ASSERT_EQ(history.since_last(at(page), kPage), 0u);
}

TEST(CachesFor, WhatTheCachesHaveForgottenPassesThemBy) {
  constexpr std::size_t kBlock = 256 * 1024;
  std::vector<std::byte> memory(8 * kBlock);
  share_cache(1, 1, 1 << 20);
  const auto to_block = [&](std::size_t i) {
    return caches_for(memory.data() + i * kBlock, kBlock);
  };
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(to_block(i), Caches::used) << "not known yet";
  EXPECT_EQ(to_block(0), Caches::passed) << "2 MiB were copied since";
  EXPECT_EQ(to_block(0), Caches::used) << "copied to just now";
  EXPECT_EQ(to_block(7), Caches::passed) << "768 KiB were copied since, from as many";
  EXPECT_EQ(to_block(7), Caches::used) << "copied to just now";
  EXPECT_EQ(caches_for(memory.data() + kBlock, kLongCopy - 1), Caches::used) << "short";
  share_cache(4, 2, 4 << 20);
  EXPECT_EQ(to_block(1), Caches::passed);
  share_cache(1, 1, 0);
}

TEST(ShareOfCache, IsThatOfTheProcessesOnItsProcessors) {
  constexpr std::uint64_t kBytes = 48 << 20;
  EXPECT_EQ(share_of_cache(kBytes, 2, 2, 2), kBytes / 2);
  EXPECT_EQ(share_of_cache(kBytes, 2, 8, 2), kBytes / 8) << "oversubscribed";
  EXPECT_EQ(share_of_cache(kBytes, 8, 16, 16), kBytes / 8) << "two caches";
  EXPECT_EQ(share_of_cache(kBytes, 8, 2, 96), kBytes) << "a cache each";
  EXPECT_EQ(share_of_cache(kBytes, 8, 3, 1), kBytes / 3) << "bound to one processor";
  EXPECT_EQ(share_of_cache(kBytes, 0, 0, 0), kBytes) << "nothing is known";
}

class CachesInFiles : public ::testing::Test {
 protected:
  CachesInFiles() {
    std::string path = (std::filesystem::temp_directory_path() / "caches-XXXXXX").string();
    folder_ = mkdtemp(path.data());
  }
  ~CachesInFiles() override { std::filesystem::remove_all(folder_); }

  void add(const std::string& index, const std::string& size, const std::string& processors) {
    const auto cache = folder_ / ("index" + index);
    std::filesystem::create_directories(cache);
    std::ofstream(cache / "size") << size << "\n";
    std::ofstream(cache / "shared_cpu_list") << processors << "\n";
  }
  machine::Cache found() const { return machine::last_level_cache(folder_.string()); }

 private:
  std::filesystem::path folder_;
};

TEST_F(CachesInFiles, TheLargestOneIsTheLastLevel) {
  add("0", "32K", "0");
  add("1", "64K", "0");
  add("2", "512K", "0,8");
  add("3", "8192K", "0-3,8-11");
  EXPECT_EQ(found().bytes, 8u << 20);
  EXPECT_EQ(found().processors, 8u);
}

TEST_F(CachesInFiles, TheOneOfASingleProcessorCounts) {
  add("0", "1M", "5");
  EXPECT_EQ(found().bytes, 1u << 20);
  EXPECT_EQ(found().processors, 1u);
}

TEST_F(CachesInFiles, WithoutFilesThereIsNone) {
  EXPECT_EQ(found().bytes, 0u);
  add("0", "unknown", "0-");
  EXPECT_EQ(found().bytes, 0u);
}

}  // namespace
}  // namespace tessera
