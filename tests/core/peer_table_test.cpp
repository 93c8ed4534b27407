// SPDX-License-Identifier: BSD-3-Clause
// The table of processes, and context ids of several jobs.
#include "core/job/peer_table.h"

#include <gtest/gtest.h>

#include <set>

#include "core/comm/context_ids.h"

namespace tessera {
namespace {

constexpr std::uint64_t kOurs = 0x1234'5678'9abc'def1;
constexpr std::uint64_t kTheirs = 0x1234'5678'9abc'0001;

TEST(PeerTable, BeginsWithTheProcessesOfTheJob) {
  PeerTable table(kOurs, 3);
  EXPECT_EQ(table.end_id(), 3u);
  for (std::uint32_t id = 0; id < 3; ++id) {
    EXPECT_EQ(table[id].id, id);
    EXPECT_EQ(table.find({kOurs, id}), &table[id]);
  }
  EXPECT_EQ(table.find({kOurs, 3}), nullptr);
  EXPECT_EQ(table.admit({kOurs, 3}).status().code(), Errc::argument);
  EXPECT_EQ(table.admit({kOurs, 2}).value(), &table[2]);
}

TEST(PeerTable, AddressesStayWhileOthersComeAndGo) {
  PeerTable table(kOurs, 2);
  std::vector<Peer*> peers;
  for (std::uint32_t i = 0; i < 1000; ++i) peers.push_back(table.admit({kTheirs, i}).value());
  for (std::uint32_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(peers[i]->id, 2 + i);
    EXPECT_EQ(table.find({kTheirs, i}), peers[i]);
    EXPECT_EQ(table.admit({kTheirs, i}).value(), peers[i]) << "known already";
  }
}

TEST(PeerTable, AForgottenPlaceIsUsedAgainAsNew) {
  PeerTable table(kOurs, 1);
  Peer& first = *table.admit({kTheirs, 0}).value();
  Peer& second = *table.admit({kTheirs, 1}).value();
  first.failed = true;
  first.route = &first;
  ASSERT_TRUE(table.forget(first).ok());
  ASSERT_TRUE(table.forget(second).ok());
  EXPECT_EQ(table.find({kTheirs, 0}), nullptr);
  EXPECT_EQ(table.forget(first).code(), Errc::argument) << "it is forgotten already";
  Peer& third = *table.admit({kTheirs + 1, 0}).value();
  EXPECT_EQ(third.id, 1u);
  EXPECT_FALSE(third.failed);
  EXPECT_EQ(third.route, nullptr);
  EXPECT_EQ(third.name, (ProcessName{kTheirs + 1, 0}));
}

TEST(PeerTable, TheOwnJobStays) {
  PeerTable table(kOurs, 2);
  EXPECT_EQ(table.forget(table[1]).code(), Errc::argument);
}

TEST(ContextIds, ProcessesAndJobsNeverDrawTheSame) {
  std::set<ContextId> drawn{ContextIds::world, ContextIds::self, ContextIds::control};
  std::size_t draws = drawn.size();
  for (const std::uint64_t job : {kOurs, kTheirs}) {
    for (const std::uint32_t index : {0u, 1u, 65'535u}) {
      JobContextIds ids(job, index, 65'536);
      for (int i = 0; i < 1000; ++i, ++draws) {
        const ContextId id = ids.draw();
        EXPECT_EQ(id % 4, 0u);
        drawn.insert(id);
      }
    }
  }
  EXPECT_EQ(drawn.size(), draws);
}

}  // namespace
}  // namespace tessera
