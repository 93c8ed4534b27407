// SPDX-License-Identifier: BSD-3-Clause
// Threads that wait in one engine: each is woken when its condition holds, whoever finds it out,
// and whatever the polling thread sleeps on. Meant for the thread sanitizer as well.
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "core/progress/progress.h"

namespace tessera {
namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 300;

// Gives each thread what came for it from outside.
class Mail final : public Poller {
 public:
  int poll() noexcept override {
    int events = 0;
    for (int i = 0; i < kThreads; ++i) {
      const int sent = sent_[i].load(std::memory_order_acquire);
      events += sent - seen[i];
      seen[i] = sent;
    }
    return events;
  }
  void send(int to) noexcept { sent_[to].fetch_add(1, std::memory_order_release); }

  int seen[kThreads] = {};  // under the engine's lock

 private:
  std::atomic<int> sent_[kThreads] = {};
};

enum class Sleep { bell, descriptors, both, nothing };

struct Engine {
  Engine(WaitPolicy policy, Sleep how)
      : sleep(how), progress(policy, how == Sleep::bell || how == Sleep::both ? &bell : nullptr) {
    bell.install();
    progress.add(mail);
    progress.enable_lock();
    if (sleep == Sleep::descriptors || sleep == Sleep::both) {
      event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
      EXPECT_TRUE(progress.watch(event, EPOLLIN).ok());
    }
  }
  ~Engine() {
    progress.remove(mail);
    if (event >= 0) close(event);
  }
  void ring() {
    if (sleep == Sleep::bell || sleep == Sleep::both) return bell.ring();
    const std::uint64_t one = 1;
    if (event >= 0) {
      EXPECT_EQ(write(event, &one, sizeof one), static_cast<ssize_t>(sizeof one));
    }
  }

  Doorbell bell{};
  Sleep sleep;
  AdaptiveProgress progress;
  Mail mail;
  int event = -1;
};

class Waiting : public testing::TestWithParam<std::tuple<Sleep, bool>> {
 protected:
  Sleep sleep() const { return std::get<0>(GetParam()); }
  WaitPolicy policy() const {
    return std::get<1>(GetParam()) ? WaitPolicy::sleep_at_once() : WaitPolicy::adaptive(4, 1);
  }
};

// A ring of threads, each of which tells the next one under the lock.
TEST_P(Waiting, ForEachOther) {
  Engine engine(policy(), sleep());
  int turn = 0;  // under the lock
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < kRounds; ++round) {
        const EngineGuard guard(engine.progress);
        engine.progress.wait_until([&] { return turn == round * kThreads + i; });
        ++turn;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(turn, kThreads * kRounds);
}

// What comes from outside, for one thread at a time, is found by whoever polls.
TEST_P(Waiting, ForSomethingFromOutside) {
  Engine engine(policy(), sleep());
  std::atomic<int> had[kThreads] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 1; round <= kRounds; ++round) {
        {
          const EngineGuard guard(engine.progress);
          engine.progress.wait_until([&] { return engine.mail.seen[i] >= round; });
        }
        had[i] = round;
      }
    });
  }
  for (int round = 1; round <= kRounds; ++round) {
    for (int i = 0; i < kThreads; ++i) {
      const int to = (i * 3 + round) % kThreads;
      engine.mail.send(to);
      engine.ring();
      while (had[to] < round) std::this_thread::yield();
    }
  }
  for (std::thread& thread : threads) thread.join();
}

// A condition that only the waiting thread may ask.
TEST_P(Waiting, ByTrying) {
  Engine engine(policy(), sleep());
  bool said = false;
  std::thread waiting([&] {
    const EngineGuard guard(engine.progress);
    engine.progress.wait_trying([&] { return said; });
  });
  std::thread saying([&] {
    const EngineGuard guard(engine.progress);
    said = true;
  });
  waiting.join();
  saying.join();
}

INSTANTIATE_TEST_SUITE_P(All, Waiting,
                         testing::Combine(testing::Values(Sleep::bell, Sleep::descriptors,
                                                          Sleep::both, Sleep::nothing),
                                          testing::Bool()));

}  // namespace
}  // namespace tessera
