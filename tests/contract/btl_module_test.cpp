// SPDX-License-Identifier: BSD-3-Clause
// Contract of every btl: attributes, reach, endpoints, and what happens when a job cannot offer
// what it needs.
#include <gtest/gtest.h>

#include <cstring>

#include "btl_world.h"

namespace tessera::contract {

namespace {

using btl::Channel;

const Plan kSmall = [](std::uint32_t, std::uint32_t, std::uint32_t) {
  return Shape{Channel::pml, kUsualHeader, 8};
};

Options small_packets(Memory memory = Memory::normal) {
  Options options;
  options.memory = memory;
  options.plan = kSmall;
  return options;
}

TEST(BtlModule, AttributesMakeSense) {
  World world(2, small_packets());
  world.run([](Rank& rank) {
    ASSERT_TRUE(rank.opened().ok()) << rank.opened().text();
    ASSERT_FALSE(rank.modules().empty());
    for (const btl::Module* module : rank.modules()) {
      const btl::Attributes& attributes = module->attributes();
      EXPECT_GT(attributes.bandwidth_mbs, 0u);
      EXPECT_GE(attributes.max_packet, 2 * btl::kMaxHeader);
      EXPECT_LE(attributes.eager_limit + btl::kMaxHeader, attributes.max_packet);
      EXPECT_EQ(attributes.capabilities & ~(btl::can_get | btl::can_put | btl::can_land), 0u);
      EXPECT_NE(module->describe(), nullptr);
    }
  });
}

TEST(BtlModule, ManifestSaysHowFarItReaches) {
  const std::string_view far = scope();
  EXPECT_TRUE(far == "self" || far == "node" || far == "network") << "reach = '" << far << "'";
}

TEST(BtlModule, ReachesItselfOrOthersButNotBoth) {
  World world(3, small_packets());
  world.run([](Rank& rank) {
    const std::vector<std::uint32_t> ids = rank.reachable();
    EXPECT_EQ(ids.size(), reaches_self() ? 1u : 2u);
    for (const std::uint32_t id : ids) EXPECT_EQ(id == rank.id(), reaches_self());
  });
}

TEST(BtlModule, ConnectGivesTheSameEndpointEachTime) {
  World world(3, small_packets());
  world.run([](Rank& rank) {
    for (const std::uint32_t id : rank.reachable()) {
      btl::Endpoint& endpoint = rank.to(id);
      EXPECT_EQ(&endpoint.peer(), &rank.peer(id));
      EXPECT_EQ(&rank.to(id), &endpoint);
    }
  });
}

// Packets come from the endpoint that connect() gives, so that a receiver may answer through it.
TEST(BtlModule, DeliveryNamesTheEndpointOfTheSender) {
  World world(3, small_packets());
  world.run([](Rank& rank) {
    rank.receiver().on_packet([&](btl::Endpoint& from, std::uint32_t) {
      const std::uint32_t id = from.peer().id;
      EXPECT_EQ(&from, &rank.to(id)) << "from rank " << id;
    });
    exchange(rank, kSmall, 10);
  });
}

TEST(BtlModule, AnEndpointNobodyUsesIsHarmless) {
  World world(3, small_packets());
  world.run([](Rank& rank) {
    for (const std::uint32_t id : rank.reachable()) rank.to(id);
  });
}

TEST(BtlModule, AProcessAloneIsNoError) {
  World world(1, small_packets());
  world.run([](Rank& rank) {
    if (!rank.opened().ok()) {
      EXPECT_TRUE(rank.opened() == Errc::unsupported) << rank.opened().text();
      EXPECT_GT(std::strlen(rank.opened().text()), 0u);
    }
    exchange(rank, kSmall, 5);
  });
}

TEST(BtlModule, WithoutSharedMemoryItRefusesOrWorks) {
  World world(2, small_packets(Memory::none));
  world.run([](Rank& rank) {
    EXPECT_TRUE(rank.opened().ok() || rank.opened() == Errc::refused ||
                rank.opened() == Errc::unsupported)
        << rank.opened().text();
    exchange(rank, kSmall, 5);
  });
}

// Whoever needs the memory says so with a status, at whichever step; nobody is killed.
TEST(BtlModule, ExhaustedMemoryIsAStatus) {
  World world(2, small_packets(Memory::exhausted));
  world.run([](Rank& rank) {
    if (!rank.opened().ok()) {
      EXPECT_GT(std::strlen(rank.opened().text()), 0u);
      return;
    }
    for (const std::uint32_t id : rank.reachable()) {
      const Result<btl::Endpoint*> endpoint = rank.module_to(id)->connect(rank.peer(id));
      Draft draft;
      draft.write(rank.id(), id, 0, kSmall(rank.id(), id, 0));
      const Status status = endpoint ? endpoint.value()->send(draft.packet()) : endpoint.status();
      EXPECT_TRUE(status.ok() || std::strlen(status.text()) > 0);
    }
  });
}

}  // namespace

}  // namespace tessera::contract
