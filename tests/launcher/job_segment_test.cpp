// SPDX-License-Identifier: BSD-3-Clause
// The job segment: creation, attachment, shared regions, records of a rank; with threads and with
// forked processes.
#include "core/job/segment.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <set>
#include <thread>

#include "core/machine/usable_cpus.h"

namespace tessera {
namespace {

std::shared_ptr<JobSegment> make(std::uint32_t ranks, JobSegment::Options options = {}) {
  auto segment = JobSegment::create(ranks, options);
  EXPECT_TRUE(segment.ok()) << segment.status().text();
  return segment.ok() ? segment.value() : nullptr;
}

// The exit status of a forked process that runs `body`; 99 when it died otherwise.
int in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

TEST(JobSegment, KnowsWhatItWasMadeWith) {
  const auto segment = make(5, {3, "parameters and catalog", "two cores"});
  EXPECT_EQ(segment->ranks(), 5u);
  EXPECT_EQ(segment->job_size(), 5u);
  EXPECT_EQ(segment->usable_cpus(), 3u);
  EXPECT_EQ(segment->text(JobText::snapshot), "parameters and catalog");
  EXPECT_EQ(segment->text(JobText::topology), "two cores");
  EXPECT_EQ(segment->launcher_pid(), getpid());
  EXPECT_NE(segment->job_id(), make(1)->job_id());
}

TEST(JobSegment, BeginsEmpty) {
  const auto segment = make(2);
  const RankPage& page = segment->page(1);
  EXPECT_EQ(page.pid.load(), 0);
  EXPECT_EQ(page.state.load(), RankState::unstarted);
  EXPECT_EQ(page.published.load(), 0u);
  EXPECT_EQ(page.blocked.read().function[0], 0);
  EXPECT_TRUE(segment->text(JobText::snapshot).empty());
  EXPECT_GE(segment->usable_cpus(), 1u);
}

TEST(JobSegment, RefusesAJobOfNobody) {
  const auto segment = JobSegment::create(0);
  EXPECT_EQ(segment.status().code(), Errc::argument);
}

TEST(JobSegment, RefusesADescriptorOfSomethingElse) {
  const int file = open("/dev/null", O_RDWR);
  EXPECT_EQ(JobSegment::attach(file).status().code(), Errc::refused);
  close(file);
  EXPECT_EQ(JobSegment::attach(file).status().code(), Errc::refused);
}

TEST(JobSegment, RegionIsOneMappingPerNameAndZero) {
  const auto segment = make(2);
  auto a = segment->region("a", 100'000);
  auto b = segment->region("b", 50);
  auto again = segment->region("a", 100'000);
  ASSERT_TRUE(a.ok() && b.ok() && again.ok());
  EXPECT_EQ(a->base(), again->base());
  EXPECT_NE(a->base(), b->base());
  EXPECT_EQ(a->size(), 100'000u);
  for (std::size_t i = 0; i < a->size(); ++i) ASSERT_EQ(a->base()[i], std::byte{0});
  std::memset(a->base(), 1, a->size());
  EXPECT_EQ(b->base()[0], std::byte{0});
  EXPECT_TRUE(a->commit(0, 100'000).ok());
}

TEST(JobSegment, RegionOfAnotherSizeIsAnError) {
  const auto segment = make(1);
  ASSERT_TRUE(segment->region("ring", 4096).ok());
  const auto other = segment->region("ring", 8192);
  EXPECT_EQ(other.status().code(), Errc::argument);
  EXPECT_NE(std::strstr(other.status().text(), "4096"), nullptr) << other.status().text();
}

TEST(JobSegment, RegionNamesAreChecked) {
  const auto segment = make(1);
  EXPECT_EQ(segment->region("", 1).status().code(), Errc::argument);
  EXPECT_EQ(segment->region(std::string(32, 'x'), 1).status().code(), Errc::argument);
  EXPECT_EQ(segment->region("empty", 0).status().code(), Errc::argument);
  EXPECT_TRUE(segment->region(std::string(31, 'x'), 1).ok());
}

TEST(JobSegment, DirectoryIsFinite) {
  const auto segment = make(1);
  for (std::size_t i = 0; i < kRegions; ++i)
    ASSERT_TRUE(segment->region("r" + std::to_string(i), 1).ok());
  EXPECT_EQ(segment->region("one more", 1).status().code(), Errc::no_space);
  EXPECT_TRUE(segment->region("r7", 1).ok());
}

std::uint64_t file_blocks(const JobSegment& segment) {
  struct stat facts {};
  EXPECT_EQ(fstat(segment.descriptor(), &facts), 0);
  return static_cast<std::uint64_t>(facts.st_blocks);
}

TEST(JobSegment, RegionsComeAndGo) {
  const auto segment = make(2);
  const auto other = JobSegment::attach(segment->descriptor()).value();
  ASSERT_TRUE(segment->region("warm", 1 << 16).ok() && segment->release("warm").ok());
  const std::uint64_t before = file_blocks(*segment);
  for (std::size_t i = 0; i < 3 * kRegions; ++i) {
    const std::string name = "window " + std::to_string(i);
    auto mine = segment->region(name, 1 << 16);
    auto theirs = other->region(name, 1 << 16);
    ASSERT_TRUE(mine.ok() && theirs.ok()) << mine.status().text() << theirs.status().text();
    ASSERT_EQ(mine->base()[4096 * i % (1 << 16)], std::byte{0}) << "bytes of an earlier region";
    std::memset(mine->base(), 1, 1 << 16);
    EXPECT_EQ(theirs->base()[1000], std::byte{1});
    ASSERT_TRUE(segment->release(name).ok());
    EXPECT_EQ(theirs->base()[1000], std::byte{1}) << "another process still holds it";
    ASSERT_TRUE(other->release(name).ok());
  }
  EXPECT_EQ(file_blocks(*segment), before);
}

TEST(JobSegment, AReleasedNameMayGetAnotherSize) {
  const auto segment = make(1);
  ASSERT_TRUE(segment->region("r", 100).ok() && segment->region("r", 100).ok());
  ASSERT_TRUE(segment->release("r").ok());
  EXPECT_EQ(segment->region("r", 200).status().code(), Errc::argument) << "still held once";
  ASSERT_TRUE(segment->release("r").ok());
  EXPECT_TRUE(segment->region("r", 200).ok());
  EXPECT_EQ(segment->release("q").code(), Errc::not_found);
}

// The child dies with the directory's lock, in the middle of a change.
TEST(JobSegment, TheDeathOfAProcessLeavesTheDirectoryUsable) {
  const auto segment = make(2);
  ASSERT_TRUE(segment->region("kept", 4096).ok());
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0;; ++i) {
      const std::string name = "r" + std::to_string(i % 7);
      if (!segment->region(name, 1 << 16).ok() || !segment->release(name).ok()) _exit(1);
    }
  }
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(segment->region("mine", 1 << 16).ok());
    ASSERT_TRUE(segment->release("mine").ok());
  }
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(segment->region("mine", 1 << 16).ok());
  EXPECT_TRUE(segment->region("kept", 4096).ok());
}

// All ask for all names in another order; each marks its own byte of each region and must find all
// marks in the end.
void mark_all(JobSegment& segment, int who, int names) {
  for (int i = 0; i < names; ++i) {
    const int name = (i * 7 + who * 3) % names;
    auto region =
        segment.region("region " + std::to_string(name), 70'000 + static_cast<std::size_t>(name));
    ASSERT_TRUE(region.ok()) << region.status().text();
    region->base()[who] = static_cast<std::byte>(name + 1);
  }
}

void expect_marks(JobSegment& segment, int who, int names) {
  for (int name = 0; name < names; ++name) {
    auto region =
        segment.region("region " + std::to_string(name), 70'000 + static_cast<std::size_t>(name));
    ASSERT_TRUE(region.ok());
    EXPECT_EQ(region->base()[who], static_cast<std::byte>(name + 1))
        << "name " << name << " by " << who;
  }
}

TEST(JobSegment, ThreadsClaimRegionsAtTheSameTime) {
  const auto segment = make(8);
  std::vector<std::thread> threads;
  for (int who = 0; who < 8; ++who) threads.emplace_back([&, who] { mark_all(*segment, who, 20); });
  for (auto& thread : threads) thread.join();
  for (int who = 0; who < 8; ++who) expect_marks(*segment, who, 20);
}

TEST(JobSegment, ProcessesClaimRegionsAtTheSameTime) {
  const auto segment = make(6);
  std::vector<pid_t> children;
  for (int who = 0; who < 6; ++who) {
    const pid_t child = fork();
    if (child == 0) {
      auto own = JobSegment::attach(segment->descriptor());
      if (own.ok()) mark_all(*own.value(), who, 20);
      _exit(own.ok() && !testing::Test::HasFailure() ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  for (int who = 0; who < 6; ++who) expect_marks(*segment, who, 20);
}

TEST(SharedRegion, CommitStaysInside) {
  const auto segment = make(1);
  auto region = segment->region("r", 10'000);
  ASSERT_TRUE(region.ok());
  EXPECT_TRUE(region->commit(9'999, 1).ok());
  EXPECT_TRUE(region->commit(10'000, 0).ok());
  EXPECT_EQ(region->commit(9'999, 2).code(), Errc::argument);
  EXPECT_EQ(region->commit(1, ~std::size_t{0}).code(), Errc::argument);
}

// A full device: the file size limit of the process stands in for it.
TEST(SharedRegion, ExhaustionIsAStatus) {
  const int file = open("/dev/full", O_RDWR);
  ASSERT_GE(file, 0);
  std::byte memory[64];
  const SharedRegion region(memory, sizeof memory, file, 0);
  EXPECT_FALSE(region.commit(0, sizeof memory).ok());
  close(file);
  EXPECT_EQ(in_child([] {
              signal(SIGXFSZ, SIG_IGN);
              const auto segment = make(1);
              const rlimit limit{1 << 20, 1 << 20};
              setrlimit(RLIMIT_FSIZE, &limit);
              const auto big = segment->region("big", 1 << 24);
              const auto small = segment->region("small", 100);
              return big.status() == Errc::no_space && !small.ok() ? 0 : 1;
            }),
            0);
}

TEST(JobSegment, IsInheritedThroughTheEnvironment) {
  const auto segment = make(3, {1, "text", {}});
  const std::string variable = segment->environment(2, segment->descriptor());
  EXPECT_EQ(
      in_child([&] {
        putenv(const_cast<char*>(variable.c_str()));
        auto view = JobSegment::attach_inherited();
        if (!view.ok() || view->rank() != 2 || view->segment().text(JobText::snapshot) != "text")
          return 1;
        view->page().app_number = 7;
        return 0;
      }),
      0);
  EXPECT_EQ(segment->page(2).app_number, 7u);
}

TEST(JobSegment, IsFoundThroughTheLauncherWhenTheDescriptorWasClosed) {
  const auto segment = make(1);
  const std::string variable = segment->environment(0, segment->descriptor());
  const auto attach = [&](bool replace) {
    close(segment->descriptor());
    if (replace) dup2(STDERR_FILENO, segment->descriptor());
    putenv(const_cast<char*>(variable.c_str()));
    return JobSegment::attach_inherited().ok() ? 0 : 1;
  };
  EXPECT_EQ(in_child([&] { return attach(false); }), 0);
  EXPECT_EQ(in_child([&] { return attach(true); }), 0);
}

TEST(JobSegment, SaysWhyItCannotBeReached) {
  unsetenv("TESSERA_JOB");
  EXPECT_EQ(JobSegment::attach_inherited().status().code(), Errc::not_found);
  for (const char* bad : {"nonsense", "fd=3", "fd=x,rank=0,launcher=1,id=1",
                          "fd=900,rank=0,launcher=999999999,id=1"}) {
    setenv("TESSERA_JOB", bad, 1);
    const auto view = JobSegment::attach_inherited();
    EXPECT_EQ(view.status().code(), Errc::refused) << bad;
    EXPECT_NE(std::strstr(view.status().text(), "TESSERA_JOB"), nullptr) << view.status().text();
  }
  const auto segment = make(2);
  setenv("TESSERA_JOB",
         segment->environment(2, segment->descriptor()).substr(sizeof "TESSERA_JOB").c_str(), 1);
  EXPECT_EQ(JobSegment::attach_inherited().status().code(), Errc::refused);
  unsetenv("TESSERA_JOB");
}

TEST(JobView, IsClaimedByOneProcess) {
  const auto segment = make(2);
  const JobView view(segment, 1);
  EXPECT_TRUE(view.claim().ok());
  EXPECT_TRUE(view.claim().ok());
  EXPECT_EQ(in_child([&] {
              const Status status = view.claim();
              return status == Errc::refused && std::strstr(status.text(), "rank 1") != nullptr ? 0
                                                                                                : 1;
            }),
            0);
  EXPECT_EQ(in_child([&] { return JobView(segment, 0).claim().ok() ? 0 : 1; }), 0);
}

TEST(JobView, TheFirstAbortCounts) {
  const auto segment = make(3);
  std::uint32_t rank = 0;
  std::int32_t code = 0;
  EXPECT_FALSE(segment->aborted(rank, code));
  JobView(segment, 2).record_abort(7);
  JobView(segment, 1).record_abort(8);
  ASSERT_TRUE(segment->aborted(rank, code));
  EXPECT_EQ(rank, 2u);
  EXPECT_EQ(code, 7);
}

Blocked record(std::int64_t number) {
  Blocked blocked;
  std::strcpy(blocked.function, number % 2 == 0 ? "MPI_Recv" : "MPI_Barrier");
  blocked.since_ns = blocked.peer = blocked.tag = number;
  blocked.bytes = blocked.requests = static_cast<std::uint64_t>(number);
  return blocked;
}

TEST(BlockedSlot, IsReadWholeWhileItIsWritten) {
  const auto segment = make(1);
  BlockedSlot& slot = segment->page(0).blocked;
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (std::int64_t number = 1; !stop.load(); ++number) slot.write(record(number));
  });
  int complete = 0;
  while (complete < 1000) {
    const Blocked seen = slot.read();
    if (seen.function[0] == 0) continue;
    const Blocked expected = record(seen.tag);
    ASSERT_EQ(std::memcmp(&seen, &expected, sizeof seen), 0);
    ++complete;
  }
  stop.store(true);
  writer.join();
  slot.clear();
  EXPECT_EQ(slot.read().function[0], 0);
}

TEST(UsableCpus, FollowsTheAffinityMask) {
  EXPECT_GE(usable_cpus(), 1u);
  EXPECT_EQ(in_child([] {
              cpu_set_t mine;
              sched_getaffinity(0, sizeof mine, &mine);
              int first = 0;
              while (!CPU_ISSET(first, &mine)) ++first;
              cpu_set_t one;
              CPU_ZERO(&one);
              CPU_SET(first, &one);
              sched_setaffinity(0, sizeof one, &one);
              return usable_cpus() == 1 ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace tessera
