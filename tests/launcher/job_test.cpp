// SPDX-License-Identifier: BSD-3-Clause
// Job, Bootstrap and Doorbell, with ranks as threads and as processes.
#include "core/job/job.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "core/progress/progress.h"

namespace tessera {
namespace {

std::span<const std::byte> bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

std::string text(std::span<const std::byte> value) {
  return {reinterpret_cast<const char*>(value.data()), value.size()};
}

std::shared_ptr<JobSegment> make(std::uint32_t ranks) {
  auto segment = JobSegment::create(ranks);
  EXPECT_TRUE(segment.ok()) << segment.status().text();
  return segment.value();
}

TEST(SegmentJob, KnowsItsPeers) {
  const auto segment = make(3);
  auto job = SegmentJob::join(JobView(segment, 1));
  ASSERT_TRUE(job.ok()) << job.status().text();
  const Job& mine = **job;
  EXPECT_EQ(mine.my_id(), 1u);
  EXPECT_EQ(mine.size(), 3u);
  EXPECT_EQ(mine.local_size(), 3u);
  EXPECT_GE(mine.usable_cpus(), 1u);
  for (std::uint32_t id = 0; id < 3; ++id) {
    EXPECT_EQ(mine.peer(id).id, id);
    EXPECT_EQ(mine.find({segment->job_id(), id}), &mine.peer(id));
    EXPECT_EQ(mine.peer(id).locality, id == 1 ? Locality::self : Locality::node);
    EXPECT_EQ(mine.peer(id).bell, &segment->page(id).bell);
  }
  EXPECT_EQ(mine.peer(1).pid, getpid());
  EXPECT_EQ(mine.peer(0).pid, 0);
  auto other = SegmentJob::join(JobView(segment, 0));
  EXPECT_EQ(mine.peer(0).pid, getpid());
  auto region = mine.shared("r", 100);
  auto same = (*other)->shared("r", 100);
  ASSERT_TRUE(region.ok() && same.ok());
  EXPECT_EQ(region->base(), same->base());
  EXPECT_TRUE(mine.release("r").ok());
  EXPECT_EQ(mine.release("other").code(), Errc::not_found);
  EXPECT_EQ(mine.find({segment->job_id() + 1, 0}), nullptr);
}

TEST(SegmentBootstrap, LookupWaitsForThePeerToFinish) {
  const auto segment = make(4);
  std::vector<std::thread> ranks;
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    ranks.emplace_back([&, rank] {
      auto job = SegmentJob::join(JobView(segment, rank));
      AdaptiveProgress progress(WaitPolicy::sleep_at_once(), (*job)->peer(rank).bell);
      SegmentBootstrap bootstrap((*job)->view(), progress);
      EXPECT_TRUE(bootstrap.publish("address", bytes("of " + std::to_string(rank))).ok());
      EXPECT_TRUE(bootstrap.publish("nothing", {}).ok());
      bootstrap.publishing_done();
      for (std::uint32_t id = 0; id < 4; ++id) {
        auto card = bootstrap.lookup((*job)->peer(id), "address");
        ASSERT_TRUE(card.ok());
        EXPECT_EQ(text(*card), "of " + std::to_string(id));
        auto empty = bootstrap.lookup((*job)->peer(id), "nothing");
        EXPECT_TRUE(empty.ok() && empty->empty());
        EXPECT_EQ(bootstrap.lookup((*job)->peer(id), "other").status().code(), Errc::not_found);
      }
    });
  }
  for (auto& rank : ranks) rank.join();
}

template <class Cards>
void check_limits(Cards& bootstrap, const Peer& self) {
  const std::string long_key(kCardKeyBytes + 1, 'k');
  EXPECT_EQ(bootstrap.publish("", {}).code(), Errc::argument);
  EXPECT_EQ(bootstrap.publish(long_key, {}).code(), Errc::argument);
  EXPECT_TRUE(bootstrap.publish("a", bytes(std::string(2000, 'a'))).ok());
  EXPECT_EQ(bootstrap.publish("a", bytes("x")).code(), Errc::argument);
  EXPECT_EQ(bootstrap.publish("b", bytes(std::string(49, 'b'))).code(), Errc::no_space);
  EXPECT_TRUE(bootstrap.publish("b", bytes(std::string(48, 'b'))).ok());
  bootstrap.publishing_done();
  auto b = bootstrap.lookup(self, "b");
  ASSERT_TRUE(b.ok());
  EXPECT_EQ(text(*b), std::string(48, 'b'));
}

TEST(SegmentBootstrap, KeepsItsLimits) {
  auto job = SegmentJob::join(JobView(make(1), 0));
  AdaptiveProgress progress(WaitPolicy::sleep_at_once(), (*job)->peer(0).bell);
  SegmentBootstrap bootstrap((*job)->view(), progress);
  check_limits(bootstrap, (*job)->peer(0));
  EXPECT_EQ(bootstrap.publish("late", bytes("x")).code(), Errc::argument);
}

TEST(SingletonBootstrap, KeepsTheSameLimits) {
  const SingletonJob job;
  SingletonBootstrap bootstrap;
  check_limits(bootstrap, job.peer(0));
}

TEST(SingletonJob, IsAlone) {
  const SingletonJob job;
  EXPECT_EQ(job.size(), 1u);
  EXPECT_EQ(job.my_id(), 0u);
  EXPECT_GE(job.usable_cpus(), 1u);
  EXPECT_EQ(job.peer(0).locality, Locality::self);
  EXPECT_EQ(job.peer(0).pid, getpid());
  EXPECT_EQ(job.shared("r", 10).status().code(), Errc::unsupported);
}

TEST(ForeignLauncher, IsNamed) {
  for (const char* name :
       {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK", "PMI_ID", "SLURM_STEP_ID"})
    unsetenv(name);
  EXPECT_EQ(foreign_launcher(), "");
  setenv("PMI_RANK", "0", 1);
  EXPECT_EQ(foreign_launcher(), "");  // the only one: alone is right
  setenv("PMI_SIZE", "4", 1);
  EXPECT_NE(foreign_launcher().find("PMI"), std::string_view::npos);
  unsetenv("PMI_RANK");
  unsetenv("PMI_SIZE");
}

enum class SleepOn { bell, descriptor };

// Announced and looked once more.
void sleep_on(Doorbell& mine, int descriptor) {
  if (descriptor < 0) return mine.sleep(-1);
  pollfd readable{descriptor, POLLIN, 0};
  poll(&readable, 1, -1);
  Doorbell::drain(descriptor);
  mine.call_off();
}

// Two sides take turns by a counter and always sleep: a lost wake-up would hang the test.
void take_turns(std::atomic<std::uint32_t>& turn, Doorbell& mine, Doorbell& other,
                std::uint32_t parity, std::uint32_t rounds, SleepOn where) {
  mine.install();
  const int descriptor = where == SleepOn::descriptor ? mine.listen() : -1;
  for (std::uint32_t next = parity; next < rounds; next += 2) {
    while (turn.load(std::memory_order_acquire) != next) {
      mine.announce(descriptor >= 0);
      if (turn.load(std::memory_order_acquire) == next) {
        mine.call_off();
      } else {
        sleep_on(mine, descriptor);
      }
    }
    turn.store(next + 1, std::memory_order_release);
    other.ring();
  }
  EXPECT_EQ(mine.heard_by_descriptor(), where == SleepOn::descriptor);
  if (descriptor >= 0) close(descriptor);
}

std::atomic<std::uint32_t>& turn_of(JobSegment& segment) {
  auto region = segment.region("turn", sizeof(std::atomic<std::uint32_t>));
  return *reinterpret_cast<std::atomic<std::uint32_t>*>(region->base());
}

void take_turns_between_threads(SleepOn one, SleepOn two) {
  const auto segment = make(2);
  std::atomic<std::uint32_t>& turn = turn_of(*segment);
  std::thread second(
      [&] { take_turns(turn, segment->page(1).bell, segment->page(0).bell, 1, 10'000, two); });
  take_turns(turn, segment->page(0).bell, segment->page(1).bell, 0, 10'000, one);
  second.join();
  EXPECT_EQ(turn.load(), 10'000u);
}

TEST(Doorbell, WakesThreads) {
  take_turns_between_threads(SleepOn::bell, SleepOn::bell);
}

TEST(Doorbell, WakesThreadsThatWaitForDescriptors) {
  take_turns_between_threads(SleepOn::descriptor, SleepOn::descriptor);
  take_turns_between_threads(SleepOn::bell, SleepOn::descriptor);
}

int take_turns_with_child(JobSegment& segment, SleepOn where = SleepOn::bell) {
  std::atomic<std::uint32_t>& turn = turn_of(segment);
  const pid_t child = fork();
  if (child == 0) {
    auto own = JobSegment::attach(segment.descriptor());
    take_turns(turn_of(*own.value()), own.value()->page(1).bell, own.value()->page(0).bell, 1,
               10'000, where);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  take_turns(turn, segment.page(0).bell, segment.page(1).bell, 0, 10'000, where);
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(Doorbell, WakesProcesses) {
  const auto segment = make(2);
  EXPECT_EQ(take_turns_with_child(*segment), 0);
}

TEST(Doorbell, WakesProcessesThatWaitForDescriptors) {
  const auto segment = make(2);
  EXPECT_EQ(take_turns_with_child(*segment, SleepOn::descriptor), 0);
}

// Nobody rings, and nobody says how long.
TEST(Doorbell, LetsNobodySleepForEver) {
  const auto segment = make(1);
  Doorbell& bell = segment->page(0).bell;
  bell.install();
  bell.announce();
  bell.sleep(-1);
}

// As from another network namespace: the owner must not rely on the descriptor any more.
TEST(Doorbell, KnowsThatItsDescriptorCannotBeReached) {
  const auto segment = make(1);
  Doorbell& bell = segment->page(0).bell;
  bell.install();
  close(bell.listen());
  EXPECT_TRUE(bell.heard_by_descriptor());
  bell.announce(true);
  bell.ring();
  EXPECT_FALSE(bell.heard_by_descriptor());
}

bool rings(Doorbell& bell, int descriptor) {
  bell.announce(true);
  bell.ring();
  pollfd readable{descriptor, POLLIN, 0};
  return bell.heard_by_descriptor() && poll(&readable, 1, 0) == 1;
}

// Two bells, since one that could not be rung is not rung by descriptor again.
[[noreturn]] void ring_with_and_without_descriptors() {
  const auto segment = make(2);
  int descriptors[2];
  for (std::uint32_t i = 0; i < 2; ++i) {
    segment->page(i).bell.install();
    descriptors[i] = segment->page(i).bell.listen();
  }
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlimit none{0, limit.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  const bool before = rings(segment->page(0).bell, descriptors[0]);
  setrlimit(RLIMIT_NOFILE, &limit);
  _exit(!before && rings(segment->page(1).bell, descriptors[1]) ? 0 : 1);
}

// In a process of its own, which has rung no other bell.
TEST(Doorbell, RingsByDescriptorOnceThereIsOneToSendFrom) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(ring_with_and_without_descriptors(), testing::ExitedWithCode(0), "");
}

bool forbid_membarrier() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{4, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(Doorbell, WakesProcessesWithoutMembarrier) {
  const pid_t child = fork();
  if (child == 0) {
    if (!forbid_membarrier()) _exit(77);
    _exit(take_turns_with_child(*make(2)) == 0 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "seccomp filters are not available";
  EXPECT_EQ(status, 0);
}

TEST(Doorbell, SleepEndsInTime) {
  const auto segment = make(1);
  Doorbell& bell = segment->page(0).bell;
  bell.install();
  bell.announce();
  bell.sleep(1'000);
  bell.announce();
  bell.ring();
  bell.sleep(-1);
}

}  // namespace
}  // namespace tessera
