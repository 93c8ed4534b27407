// SPDX-License-Identifier: BSD-3-Clause
// Communicators agreed on by ranks as threads, over the real pml and transports.
#include "core/comm/communicator.h"

#include <atomic>
#include <numeric>

#include "core/comm/agreement.h"
#include "core/datatype/predefined.h"
#include "core/request/buffered_sends.h"
#include "tests/support/thread_world.h"

namespace tessera::test {
namespace {

// Each rank sends its number to the next one and gets that of the one before.
void expect_ring(Comm& comm) {
  const int n = comm.size();
  const int me = comm.rank();
  int out = me;
  int in = -1;
  const int to = (me + 1) % n;
  const int from = (me + n - 1) % n;
  auto sent = comm.pml().isend(
      {&out, sizeof out, &byte_type(), &comm.peer(to), me, 1, comm.context(), pml::Mode::standard});
  ASSERT_TRUE(sent.ok()) << sent.status().text();
  MessageStatus status;
  ASSERT_TRUE(
      comm.pml()
          .recv({&in, sizeof in, &byte_type(), &comm.peer(from), from, 1, comm.context()}, status)
          .ok());
  EXPECT_EQ(in, from);
  EXPECT_EQ(status.source, from);
  EXPECT_EQ(status.bytes, sizeof in);
  comm.progress().wait_until([&] { return (*sent)->complete(); });
  (*sent)->free();
}

class Worlds : public testing::TestWithParam<std::tuple<std::uint32_t, const char*>> {
 protected:
  void run(const std::function<void(Instance&)>& body) {
    const auto& [ranks, transports] = GetParam();
    run_ranks(ranks, body, {{"btl", transports}});
  }
};

TEST_P(Worlds, RingOnWorldAndSelf) {
  run([](Instance& instance) {
    expect_ring(instance.world());
    expect_ring(instance.self());
  });
}

TEST_P(Worlds, DuplicateKeepsMessagesApart) {
  run([](Instance& instance) {
    auto copy = duplicate(instance.world());
    ASSERT_TRUE(copy.ok()) << copy.status().text();
    EXPECT_NE((*copy)->context(), instance.world().context());
    expect_ring(**copy);
    (*copy)->release();
  });
}

TEST_P(Worlds, SplitByParityInReverseOrder) {
  run([](Instance& instance) {
    Comm& world = instance.world();
    auto half = split(world, world.rank() % 2, -world.rank());
    ASSERT_TRUE(half.ok()) << half.status().text();
    const int members = (world.size() + 1 - world.rank() % 2) / 2;
    EXPECT_EQ((*half)->size(), members);
    EXPECT_EQ((*half)->rank(), members - 1 - world.rank() / 2);
    expect_ring(**half);
    (*half)->release();
  });
}

TEST_P(Worlds, UndefinedColorGivesNone) {
  run([](Instance& instance) {
    auto none = split(instance.world(), -1, 0);
    ASSERT_TRUE(none.ok());
    EXPECT_EQ(*none, nullptr);
  });
}

TEST_P(Worlds, IntercommunicatorAndMerge) {
  run([](Instance& instance) {
    Comm& world = instance.world();
    if (world.size() < 2) return;
    const bool odd = world.rank() % 2 == 1;
    auto half = split(world, odd ? 1 : 0, world.rank());
    ASSERT_TRUE(half.ok());
    auto inter = create_inter(**half, 0, LeadersMeet::over(&world, odd ? 0 : 1, 7));
    ASSERT_TRUE(inter.ok()) << inter.status().text();
    EXPECT_EQ((*inter)->remote_size(), world.size() - (*half)->size());
    auto merged = merge(**inter, odd);
    ASSERT_TRUE(merged.ok()) << merged.status().text();
    EXPECT_EQ((*merged)->rank(),
              odd ? (world.size() + 1) / 2 + world.rank() / 2 : world.rank() / 2);
    expect_ring(**merged);
    auto copy = duplicate(**inter);
    ASSERT_TRUE(copy.ok()) << copy.status().text();
    EXPECT_TRUE((*copy)->inter());
    for (Comm* comm : {*copy, *merged, *inter, *half}) comm->release();
  });
}

// As if ranks 0, 3, 6 and so on were on one node, and each other one on a node of its own.
TEST_P(Worlds, NobodyLeavesAMeetingBeforeAllHaveCome) {
  std::atomic<int> came{0};
  run([&came](Instance& instance) {
    Comm& world = instance.world();
    std::vector<Peer*> peers;
    std::vector<int> near, firsts{0};
    for (int rank = 0; rank < world.size(); ++rank) {
      peers.push_back(&world.peer(rank));
      if (rank % 3 != 0) firsts.push_back(rank);
      if (rank == world.rank() || (rank % 3 == 0 && world.rank() % 3 == 0)) near.push_back(rank);
    }
    const PeerGroup all{world.pml(), instance.progress(), peers, world.rank(), world.context(), 7,
                        {}};
    for (int meeting = 1; meeting <= 3; ++meeting) {
      ++came;
      ASSERT_TRUE(meet(all, near, firsts).ok());
      EXPECT_GE(came, meeting * world.size());
    }
  });
}

TEST_P(Worlds, BufferedMessagesLeaveByThemselves) {
  run([](Instance& instance) {
    Comm& self = instance.self();
    std::vector<std::byte> space(2 * (BufferedSends::kOverhead + 64));
    ASSERT_TRUE(instance.buffered().attach(space.data(), space.size()).ok());
    EXPECT_FALSE(instance.buffered().attach(space.data(), space.size()).ok());
    int value = 42;
    const pml::SendArgs args{&value, sizeof value,   &byte_type(),       &self.peer(0), 0,
                             5,      self.context(), pml::Mode::standard};
    ASSERT_TRUE(instance.buffered().send(self.pml(), args, PackedForm::native).ok());
    value = 0;
    int got = 0;
    MessageStatus status;
    ASSERT_TRUE(
        self.pml()
            .recv({&got, sizeof got, &byte_type(), &self.peer(0), 0, 5, self.context()}, status)
            .ok());
    EXPECT_EQ(got, 42);
    EXPECT_EQ(instance.buffered().detach().first, space.data());
  });
}

std::string name_of(const testing::TestParamInfo<Worlds::ParamType>& info) {
  std::string transports = std::get<1>(info.param);
  for (char& c : transports) {
    if (c == ',') c = '_';
  }
  return transports + "_" + std::to_string(std::get<0>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Transports, Worlds,
                         testing::Combine(testing::Values(1u, 2u, 3u, 5u, 8u),
                                          testing::Values("self,sm", "self,tcp")),
                         name_of);

}  // namespace
}  // namespace tessera::test
