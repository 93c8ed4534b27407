// SPDX-License-Identifier: BSD-3-Clause
// What strangers at the port cost a job: messages to and fro, with and without them.
//
// The figures are for people: TESSERA_STRANGERS_ROUNDS sets the number of messages, of which the
// default is small. What is asserted is that all of them arrive, and nothing else.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>

#include "harness.h"

namespace tessera::btl::tcp {
namespace {

constexpr std::uint32_t kRounds = 2'000;
constexpr std::size_t kAtOnce = 64;  // connections that one stranger holds

enum class Habit { none, silence, half_a_greeting, garbage };

const char* name_of(Habit habit) {
  constexpr const char* names[] = {"nobody", "say nothing", "half a greeting", "garbage"};
  return names[static_cast<std::size_t>(habit)];
}

std::uint32_t rounds() {
  const char* const wanted = std::getenv("TESSERA_STRANGERS_ROUNDS");
  return wanted != nullptr ? static_cast<std::uint32_t>(std::atoi(wanted)) : kRounds;
}

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Calls as fast as it can until it is told to stop. Its connections end by a reset, so that none
// keeps a port busy afterwards.
class Stranger {
 public:
  Stranger(std::uint16_t port, Habit habit)
      : port_(port), habit_(habit), thread_([this] { run(); }) {}
  ~Stranger() { thread_.join(); }
  void stop() { over_ = true; }
  std::uint64_t attempts() const { return attempts_; }

 private:
  void run() {
    while (!over_ && habit_ != Habit::none) call();
  }
  void call() {
    Socket socket = call_port(port_);
    const linger reset{1, 0};
    (void)setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    static constexpr std::byte words[200] = {std::byte{'T'}, std::byte{'S'}, std::byte{'S'}};
    const std::size_t said = habit_ == Habit::garbage ? sizeof words : Hello::kBytes / 2;
    if (habit_ != Habit::silence) (void)send_some(socket.get(), words, said);
    ++attempts_;
    open_.push_back(std::move(socket));
    if (open_.size() > kAtOnce) open_.pop_front();
  }

  std::uint16_t port_;
  Habit habit_;
  std::atomic<bool> over_{false};
  std::atomic<std::uint64_t> attempts_{0};
  std::deque<Socket> open_;
  std::thread thread_;
};

struct Cost {
  double wall_us = 0;       // of a message to and fro
  double processor_us = 0;  // likewise, without what others took of the processor
  double median_us = 0;
  std::uint64_t attempts = 0;
};

Cost ping_pong(Habit habit) {
  JobOf job(2);
  const std::uint32_t count = rounds();
  std::vector<double> each;
  Cost cost;
  job.send(0, 1, 8);
  EXPECT_TRUE(job.run_until([&] { return job[1].sink.from(0) == 1; }));
  Stranger stranger(job[0].card(0).port, habit);
  const double wall = seconds(CLOCK_MONOTONIC), processor = seconds(CLOCK_THREAD_CPUTIME_ID);
  for (std::uint32_t i = 1; i <= count; ++i) {
    const double begin = seconds(CLOCK_MONOTONIC);
    job.send(1, 0, 8);
    EXPECT_TRUE(job.run_until([&] { return job[0].sink.from(1) == i; }));
    job.send(0, 1, 8);
    EXPECT_TRUE(job.run_until([&] { return job[1].sink.from(0) == i + 1; }));
    each.push_back(seconds(CLOCK_MONOTONIC) - begin);
  }
  cost.wall_us = 1e6 * (seconds(CLOCK_MONOTONIC) - wall) / count;
  cost.processor_us = 1e6 * (seconds(CLOCK_THREAD_CPUTIME_ID) - processor) / count;
  cost.attempts = stranger.attempts();
  stranger.stop();
  std::nth_element(each.begin(), each.begin() + count / 2, each.end());
  cost.median_us = 1e6 * each[count / 2];
  EXPECT_EQ(job[0].sink.error + job[1].sink.error, "");
  EXPECT_TRUE(job[0].sink.losses.empty() && job[1].sink.losses.empty());
  return cost;
}

TEST(TcpStranger, WhatTheyCost) {
  const Cost alone = ping_pong(Habit::none);
  for (const Habit habit : {Habit::none, Habit::silence, Habit::half_a_greeting, Habit::garbage}) {
    const Cost cost = ping_pong(habit);
    const double per_attempt = rounds() / std::max(1.0, static_cast<double>(cost.attempts));
    std::printf("%-16s %8llu attempts, %7.2f us to and fro (median %.2f, processor %.2f)",
                name_of(habit), static_cast<unsigned long long>(cost.attempts), cost.wall_us,
                cost.median_us, cost.processor_us);
    if (cost.attempts > 0)
      std::printf(", %.1f us later per attempt (processor %.1f)",
                  (cost.wall_us - alone.wall_us) * per_attempt,
                  (cost.processor_us - alone.processor_us) * per_attempt);
    std::printf("\n");
  }
}

}  // namespace
}  // namespace tessera::btl::tcp
