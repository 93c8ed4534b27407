// SPDX-License-Identifier: BSD-3-Clause
// Contract of every btl: packets arrive whole, once, in order, on their channel.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "btl_world.h"

namespace tessera::contract {

namespace {

using btl::Channel;

Options with(Plan plan) {
  Options options;
  options.plan = std::move(plan);
  return options;
}

void run_exchange(std::uint32_t ranks, Options options, std::uint32_t count) {
  const Plan plan = options.plan;
  World world(ranks, std::move(options));
  world.run([&](Rank& rank) { exchange(rank, plan, count); });
}

void around(std::vector<std::size_t>& sizes, std::size_t centre, std::size_t limit) {
  for (std::size_t size = centre - 2; size <= centre + 2; ++size) {
    if (size <= limit) sizes.push_back(size);
  }
}

// Every size up to 300, and those around each line up to 2 KiB, each power of two, and the limit
// itself.
std::vector<std::size_t> interesting_sizes(std::size_t limit) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 0; size <= std::min<std::size_t>(300, limit); ++size)
    sizes.push_back(size);
  for (std::size_t line = 320; line <= 2048; line += 64) around(sizes, line, limit);
  for (std::size_t power = 4096; power <= limit; power *= 2) around(sizes, power, limit);
  for (std::size_t back = 0; back < 70 && back <= limit; ++back) sizes.push_back(limit - back);
  return sizes;
}

TEST(BtlPackets, EverySizeArrivesWhole) {
  const std::size_t limit = packet_limit(2);
  for (const std::size_t header :
       {std::size_t{0}, std::size_t{16}, kUsualHeader, btl::kMaxHeader}) {
    const std::vector<std::size_t> sizes = interesting_sizes(limit - header);
    const Plan plan = [&](std::uint32_t, std::uint32_t, std::uint32_t index) {
      return Shape{Channel::pml, header, sizes[index]};
    };
    run_exchange(2, with(plan), static_cast<std::uint32_t>(sizes.size()));
  }
}

TEST(BtlPackets, EveryHeaderLengthArrivesWhole) {
  const Plan plan = [](std::uint32_t, std::uint32_t, std::uint32_t index) {
    return Shape{Channel::pml, index % (btl::kMaxHeader + 1), index / (btl::kMaxHeader + 1)};
  };
  run_exchange(2, with(plan), (btl::kMaxHeader + 1) * 70);
}

TEST(BtlPackets, OrderHoldsAcrossChannelsAndSizes) {
  const std::size_t limit = packet_limit(2);
  const Plan plan = [&](std::uint32_t from, std::uint32_t to, std::uint32_t index) {
    const std::uint64_t dice = packet_seed(to, from, index);
    const std::size_t payload = dice % 8 == 0 ? (dice >> 16) % (limit - 23) : (dice >> 16) % 90;
    return Shape{static_cast<Channel>((dice >> 8) % btl::kChannels), kUsualHeader - 1, payload};
  };
  run_exchange(2, with(plan), 4000);
}

TEST(BtlPackets, PacketsForNobodyAreDropped) {
  const Plan plan = [](std::uint32_t, std::uint32_t, std::uint32_t index) {
    return Shape{static_cast<Channel>(index % btl::kChannels), kUsualHeader, index % 200};
  };
  Options options = with(plan);
  options.muted = {Channel::osc};
  run_exchange(2, options, 1000);  // the last one is for another channel
}

TEST(BtlPackets, ALayerMayRegisterLate) {
  const Plan plan = [](std::uint32_t, std::uint32_t, std::uint32_t index) {
    return Shape{Channel::osc, kUsualHeader, index % 200};
  };
  Options options = with(plan);
  options.muted = {Channel::osc};
  World world(2, std::move(options));
  world.run([&](Rank& rank) {
    rank.receiver().unmute(Channel::osc);
    rank.meet();
    exchange(rank, plan, 500);
  });
}

TEST(BtlPackets, ManyPeersAtOnce) {
  const std::size_t limit = packet_limit(8);
  const Plan plan = [&](std::uint32_t from, std::uint32_t to, std::uint32_t index) {
    const std::uint64_t dice = packet_seed(to, from, index);
    return Shape{static_cast<Channel>((dice >> 8) % btl::kChannels), (dice >> 20) % 65,
                 (dice >> 32) % std::min<std::size_t>(limit - 64, 3000)};
  };
  run_exchange(8, with(plan), 300);
}

TEST(BtlPackets, SoakWithRandomSizes) {
  const std::size_t limit = packet_limit(3);
  const Plan plan = [&](std::uint32_t from, std::uint32_t to, std::uint32_t index) {
    const std::uint64_t dice = packet_seed(to, from, index);
    const std::size_t span = std::size_t{1} << (dice % 17);
    return Shape{static_cast<Channel>((dice >> 8) % btl::kChannels), (dice >> 20) % 65,
                 (dice >> 32) % std::min(limit - 64, span)};
  };
  run_exchange(3, with(plan), 6000);
}

// Whoever waits sleeps on its bell: each arrival, and each return of room, must ring it.
TEST(BtlPackets, SleepersAreWoken) {
  const std::size_t limit = packet_limit(2);
  const Plan plan = [&](std::uint32_t from, std::uint32_t to, std::uint32_t index) {
    const std::uint64_t dice = packet_seed(to, from, index);
    return Shape{Channel::pml, kUsualHeader,
                 dice % std::min<std::size_t>(limit - kUsualHeader, 2000)};
  };
  Options options = with(plan);
  options.waiting = Waiting::sleep;
  run_exchange(2, options, 3000);
}

}  // namespace

}  // namespace tessera::contract
