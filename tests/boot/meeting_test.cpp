// SPDX-License-Identifier: BSD-3-Clause
// The meeting of one host's processes, here as threads of one process.
#include "core/boot/node_meeting.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>

namespace tessera {
namespace {

NodePosition position_of(const std::string& key, std::uint32_t local, std::uint32_t count) {
  NodePosition position;
  position.key = key + std::to_string(getpid());
  position.local = local;
  for (std::uint32_t i = 0; i < count; ++i) position.ids.push_back(10 + i);
  position.layout = 1;
  position.patience_ms = 20'000;
  return position;
}

ino_t inode_of(int descriptor) {
  struct stat facts {};
  return fstat(descriptor, &facts) == 0 ? facts.st_ino : 0;
}

// Meets, and returns the inode of the memory; 0 after a failure.
ino_t meet(NodeMeeting& meeting, int memory, Status& status) {
  status = meeting.call();
  if (!status) return 0;
  if (meeting.is_maker()) {
    status = meeting.admit_all(memory);
    return status ? inode_of(memory) : 0;
  }
  auto got = meeting.join();
  status = got.status();
  if (!status) return 0;
  const ino_t inode = inode_of(*got);
  close(*got);
  return inode;
}

TEST(NodeMeeting, AllGetTheMemoryOfTheMaker) {
  constexpr std::uint32_t kCount = 16;
  std::vector<std::unique_ptr<NodeMeeting>> meetings;
  std::vector<ino_t> inodes(kCount);
  std::vector<std::thread> threads;
  std::atomic<int> makers{0};
  for (std::uint32_t i = 0; i < kCount; ++i)
    meetings.push_back(std::make_unique<NodeMeeting>(position_of("all", i, kCount)));
  for (std::uint32_t i = 0; i < kCount; ++i) {
    threads.emplace_back([&, i] {
      const int memory = memfd_create("test", MFD_CLOEXEC);
      Status status;
      inodes[i] = meet(*meetings[i], memory, status);
      EXPECT_TRUE(status.ok()) << status.text();
      close(memory);
    });
  }
  for (auto& thread : threads) thread.join();
  for (const ino_t inode : inodes) EXPECT_EQ(inode, inodes[0]);
  EXPECT_NE(inodes[0], 0u);
}

TEST(NodeMeeting, TheEndOfAMemberIsSeenByTheMakerAndTheOtherWayRound) {
  auto one = std::make_unique<NodeMeeting>(position_of("ends", 0, 2));
  auto two = std::make_unique<NodeMeeting>(position_of("ends", 1, 2));
  const int memory = memfd_create("test", MFD_CLOEXEC);
  ASSERT_TRUE(one->call().ok());
  ASSERT_TRUE(one->is_maker());
  std::thread member([&] {
    Status status;
    EXPECT_NE(meet(*two, -1, status), 0u);
  });
  ASSERT_TRUE(one->admit_all(memory).ok());
  member.join();
  EXPECT_TRUE(one->ended().empty());
  EXPECT_TRUE(two->ended().empty());
  two.reset();
  EXPECT_EQ(one->ended(), std::vector<std::uint32_t>{11});
  EXPECT_TRUE(one->ended().empty());
  close(memory);
}

TEST(NodeMeeting, ThoseWhoDoNotComeAreNamed) {
  NodePosition position = position_of("missing", 1, 3);
  position.patience_ms = 50;
  NodeMeeting meeting(position);
  ASSERT_TRUE(meeting.call().ok());
  testing::internal::CaptureStderr();
  const Status status = meeting.admit_all(0);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_EQ(status.code(), Errc::peer_failed);
  EXPECT_NE(std::string(status.text()).find("rank 10, 12 of this host"), std::string::npos)
      << status.text();
  EXPECT_NE(std::string(status.text()).find("boot_share=no"), std::string::npos);
}

TEST(NodeMeeting, AnotherBuildIsRefused) {
  NodePosition other = position_of("build", 1, 2);
  other.layout = 2;
  NodeMeeting maker(position_of("build", 0, 2)), member(other);
  ASSERT_TRUE(maker.call().ok());
  std::thread thread([&] {
    Status status;
    EXPECT_EQ(meet(member, -1, status), 0u);
    EXPECT_EQ(status.code(), Errc::refused);
    EXPECT_NE(std::string(status.text()).find("different builds"), std::string::npos);
  });
  EXPECT_EQ(maker.admit_all(0).code(), Errc::refused);
  thread.join();
}

TEST(NodeMeeting, AMemberWhoseMakerEndsIsToldSo) {
  auto maker = std::make_unique<NodeMeeting>(position_of("gone", 0, 2));
  NodeMeeting member(position_of("gone", 1, 2));
  ASSERT_TRUE(maker->call().ok());
  ASSERT_TRUE(member.call().ok());
  maker.reset();
  EXPECT_EQ(member.join().status().code(), Errc::peer_failed);
}

// A stranger of the same user that connects and says nothing sensible disturbs nobody.
TEST(NodeMeeting, StrangersAreHungUpOn) {
  auto maker = std::make_unique<NodeMeeting>(position_of("stranger", 0, 2));
  NodeMeeting stranger(position_of("stranger", 1, 2));
  NodeMeeting member(position_of("stranger", 1, 2));
  const int memory = memfd_create("test", MFD_CLOEXEC);
  ASSERT_TRUE(maker->call().ok());
  ASSERT_TRUE(stranger.call().ok());  // connects, and keeps silent
  std::thread thread([&] {
    Status status;
    EXPECT_NE(meet(member, -1, status), 0u) << status.text();
  });
  EXPECT_TRUE(maker->admit_all(memory).ok());
  thread.join();
  close(memory);
}

}  // namespace
}  // namespace tessera
