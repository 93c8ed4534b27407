// SPDX-License-Identifier: BSD-3-Clause
// Contract of btls that declare get or put: bytes move between address spaces, whole and nowhere
// else.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "btl_world.h"

namespace tessera::contract {

namespace {

constexpr std::size_t kArena = (std::size_t{3} << 20) + 4096;
constexpr std::byte kUntouched{0x5a};

// The memory that each rank shows to the other one; addresses pass from thread to thread.
struct Arenas {
  std::vector<std::byte> bytes[2] = {std::vector<std::byte>(kArena, kUntouched),
                                     std::vector<std::byte>(kArena, kUntouched)};
  std::uint64_t address(std::uint32_t rank, std::size_t offset) const {
    return reinterpret_cast<std::uintptr_t>(bytes[rank].data() + offset);
  }
};

std::uint32_t partner(const Rank& rank) {
  return reaches_self() ? rank.id() : 1 - rank.id();
}

// Runs `body` on rank 0 when the btl can do `capability` towards its partner; else checks that it
// says so.
void with_capability(btl::Capability capability, const std::function<void(btl::Endpoint&)>& body) {
  World world(2);
  world.run([&](Rank& rank) {
    rank.meet();  // all have opened
    if (rank.id() == 0) {
      btl::Endpoint& endpoint = rank.to(partner(rank));
      const bool declared =
          (rank.module_to(partner(rank))->attributes().capabilities & capability) != 0;
      const bool direct = endpoint.direct();
      EXPECT_EQ(endpoint.direct(), direct) << "the answer changed";
      if (!declared || !direct) {
        std::byte byte{};
        EXPECT_TRUE(endpoint.get(&byte, reinterpret_cast<std::uintptr_t>(&byte), 1) ==
                    Errc::unsupported);
        EXPECT_TRUE(endpoint.put(&byte, reinterpret_cast<std::uintptr_t>(&byte), 1) ==
                    Errc::unsupported);
      } else {
        body(endpoint);
      }
    }
    rank.meet();
  });
}

bool all_untouched(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == kUntouched; });
}

const std::vector<std::size_t> kSizes = {0,     1,     2,     3,        7,      8,    9,
                                         63,    64,    65,    1000,     4095,   4096, 4097,
                                         16383, 65536, 70001, 1u << 20, 3000001};

TEST(BtlDirect, GetReadsExactlyWhatWasAsked) {
  with_capability(btl::can_get, [](btl::Endpoint& endpoint) {
    Arenas arenas;
    fill(arenas.bytes[1].data(), kArena, 77);
    for (const std::size_t size : kSizes) {
      const std::size_t skew = 8 * (size % 64);  // `filled` checks from multiples of 8
      std::vector<std::byte> target(size + 32, kUntouched);
      const Status status = endpoint.get(target.data() + 16, arenas.address(1, skew), size);
      ASSERT_TRUE(status.ok()) << status.text();
      EXPECT_TRUE(filled({target.data() + 16, size}, 77 + skew)) << size << " bytes";
      EXPECT_TRUE(all_untouched({target.data(), 16}) &&
                  all_untouched({target.data() + 16 + size, 16}))
          << size;
    }
  });
}

TEST(BtlDirect, PutWritesExactlyWhatWasAsked) {
  with_capability(btl::can_put, [](btl::Endpoint& endpoint) {
    for (const std::size_t size : kSizes) {
      Arenas arenas;
      const std::size_t skew = 17 + size % 64;
      std::vector<std::byte> source(size);
      fill(source.data(), size, size);
      const Status status = endpoint.put(source.data(), arenas.address(1, skew), size);
      ASSERT_TRUE(status.ok()) << status.text();
      const std::byte* there = arenas.bytes[1].data();
      EXPECT_TRUE(filled({there + skew, size}, size)) << size << " bytes";
      EXPECT_TRUE(all_untouched({there, skew}) &&
                  all_untouched({there + skew + size, kArena - skew - size}))
          << size;
    }
  });
}

TEST(BtlDirect, GetAndPutOverlapWithPackets) {
  const Plan plan = [](std::uint32_t, std::uint32_t, std::uint32_t index) {
    return Shape{btl::Channel::pml, kUsualHeader, index % 100};
  };
  Options options;
  options.plan = plan;
  Arenas arenas;
  World world(2, options);
  world.run([&](Rank& rank) {
    rank.meet();
    btl::Endpoint& endpoint = rank.to(partner(rank));
    std::vector<std::byte> local(5000);
    int done = 0;
    rank.receiver().on_packet([&](btl::Endpoint&, std::uint32_t index) {
      if (index % 10 != 0 || !endpoint.direct()) return;
      fill(local.data(), local.size(), index);
      const std::uint64_t remote =
          arenas.address(rank.id(), 8);  // ranks are threads: only this rank uses its arena
      EXPECT_TRUE(endpoint.put(local.data(), remote, local.size()).ok());
      std::fill(local.begin(), local.end(), kUntouched);
      EXPECT_TRUE(endpoint.get(local.data(), remote, local.size()).ok());
      EXPECT_TRUE(filled(local, index));
      ++done;
    });
    exchange(rank, plan, 500);
    EXPECT_TRUE(done == 50 || !endpoint.direct());
  });
}

}  // namespace

}  // namespace tessera::contract
