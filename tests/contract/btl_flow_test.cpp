// SPDX-License-Identifier: BSD-3-Clause
// Contract of every btl: sending from within a sink, flow control, progress from within a sink,
// flushing.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "btl_world.h"

namespace tessera::contract {

namespace {

using btl::Channel;

// Packets of one size, or of the longest there is.
Plan small_packets(std::size_t wanted) {
  const std::size_t payload = std::min(wanted, packet_limit(2) - kUsualHeader);
  return [payload](std::uint32_t, std::uint32_t, std::uint32_t) {
    return Shape{Channel::pml, kUsualHeader, payload};
  };
}

Options with(Plan plan) {
  Options options;
  options.plan = std::move(plan);
  return options;
}

// The peer of a rank in a job of two; itself where the btl reaches nobody else.
std::uint32_t partner(const Rank& rank) {
  return reaches_self() ? rank.id() : 1 - rank.id();
}

// Each packet is answered from within deliver(): a chain of 2 * `links` packets, or of `links` to
// oneself.
void answer_from_sink(std::size_t payload, std::uint32_t links, Waiting waiting) {
  const Plan plan = small_packets(payload);
  Options options = with(plan);
  options.waiting = waiting;
  World world(2, options);
  world.run([&](Rank& rank) {
    Replier replier(rank.progress(), rank.id(), plan);
    rank.receiver().on_packet([&](btl::Endpoint& from, std::uint32_t index) {
      if (index + 1 < links || (rank.id() == 1 && !reaches_self())) replier.send(from);
    });
    if (rank.id() == 0 || reaches_self()) replier.send(rank.to(partner(rank)));
    rank.wait_until([&] {
      return (rank.receiver().from(partner(rank)) == links && replier.idle()) ||
             !replier.error().empty();
    });
    EXPECT_EQ(replier.error(), "");
  });
}

TEST(BtlFlow, SinkMaySend) {
  answer_from_sink(8, 6000, Waiting::yield);
}
TEST(BtlFlow, SinkMaySendLongPackets) {
  answer_from_sink(700, 2000, Waiting::yield);
}
TEST(BtlFlow, SinkMaySendAndSleep) {
  answer_from_sink(8, 2000, Waiting::sleep);
}

// Each packet of the first `roots` is answered by two from within the sink: more than any queue
// without a bound.
TEST(BtlFlow, SinkMaySendMoreThanItReceives) {
  const std::uint32_t roots = 1500;
  const Plan plan = small_packets(100);
  World world(2, with(plan));
  world.run([&](Rank& rank) {
    Replier replier(rank.progress(), rank.id(), plan);
    rank.receiver().on_packet([&](btl::Endpoint& from, std::uint32_t index) {
      if (index >= roots) return;
      replier.send(from);
      replier.send(from);
    });
    replier.send(rank.to(partner(rank)));
    rank.wait_until(
        [&] { return rank.receiver().from(partner(rank)) == 2 * roots + 1 && replier.idle(); });
    EXPECT_EQ(replier.error(), "");
  });
}

// poll() is entered again from a sink; the packets that follow the one in delivery come in order,
// too.
TEST(BtlFlow, SinkMayMakeProgress) {
  const Plan plan = [](std::uint32_t, std::uint32_t, std::uint32_t index) {
    return Shape{static_cast<Channel>(index & 3), kUsualHeader, index % 150};
  };
  World world(2, with(plan));
  world.run([&](Rank& rank) {
    int depth = 0;
    rank.receiver().on_packet([&](btl::Endpoint&, std::uint32_t index) {
      if (index % 5 != 0 || depth > 3) return;
      ++depth;
      rank.progress().poll();
      --depth;
    });
    exchange(rank, plan, 3000);
  });
}

// Sends until `again` while the peer does not look; how many packets were taken. At most `limit`
// bytes.
std::uint32_t send_until_full(Rank& rank, const Plan& plan, std::size_t payload,
                              std::size_t limit) {
  btl::Endpoint& endpoint = rank.to(partner(rank));
  const auto most = static_cast<std::uint32_t>(limit / (payload + kUsualHeader));
  Draft draft;
  for (std::uint32_t index = 0; index < most; ++index) {
    draft.write(rank.id(), partner(rank), index, plan(rank.id(), partner(rank), index));
    const Status status = endpoint.send(draft.packet());
    if (status == Errc::again) return index;
    EXPECT_TRUE(status.ok()) << status.text();
  }
  return most;
}

void fill_and_recover(std::size_t payload) {
  constexpr std::size_t kLimit = std::size_t{64} << 20;
  const Plan plan = small_packets(payload);
  World world(2, with(plan));
  std::atomic<std::uint32_t> taken{0};
  world.run([&](Rank& rank) {
    const bool sends = rank.id() == 0;
    if (sends) taken = send_until_full(rank, plan, payload, kLimit);
    if (sends && !reaches_self()) {
      EXPECT_LT(taken * (payload + kUsualHeader), kLimit - 1000) << "no bound found";
    }
    rank.hold();  // until here the receiver has not looked
    const bool receives = sends == reaches_self();
    if (receives) rank.wait_until([&] { return rank.receiver().from(0) == taken; });
    rank.meet();
    EXPECT_EQ(rank.receiver().from(0), receives ? taken.load() : 0);
  });
}

TEST(BtlFlow, FullWithSmallPacketsThenRecovers) {
  fill_and_recover(8);
}
TEST(BtlFlow, FullWithLongPacketsThenRecovers) {
  fill_and_recover(350);
}

// Many more packets than fit, in both directions, with a receiver that is always behind.
TEST(BtlFlow, RoomComesBackAgainAndAgain) {
  const Plan plan = [](std::uint32_t, std::uint32_t, std::uint32_t index) {
    return Shape{Channel::coll, kUsualHeader, index % 3 == 0 ? std::size_t{40} : std::size_t{384}};
  };
  World world(2, with(plan));
  world.run([&](Rank& rank) { exchange(rank, plan, 20000); });
}

TEST(BtlFlow, FlushedComesTrueWhileThePeerLooks) {
  const Plan plan = small_packets(300);
  World world(2, with(plan));
  world.run([&](Rank& rank) {
    const bool receives = (rank.id() == 0) == reaches_self();
    Pump pump(rank.progress(), rank.id(), plan);
    if (rank.id() == 0) {
      pump.add(rank.to(partner(rank)), 500);
      rank.wait_until([&] { return pump.idle() && rank.module_to(partner(rank))->flushed(); });
    }
    if (receives) rank.wait_until([&] { return rank.receiver().from(0) == 500; });
    rank.meet();
  });
}

}  // namespace

}  // namespace tessera::contract
