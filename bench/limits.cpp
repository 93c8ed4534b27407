// SPDX-License-Identifier: BSD-3-Clause
// What the machine itself allows, without MPI: a cache line from core to core, copies, a yield, a
// wake-up.
//
// Every comparison of libraries stands beside these figures: a virtual machine's cores move about,
// and the same code takes 50 ns or 250 ns for one line depending on where they are.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <thread>

#include "limit_message.hpp"
#include "options.hpp"

namespace {

using namespace tessera::bench;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

constexpr int kRepetitions = 25;

/// Least seconds per iteration over short repetitions that fill the budget: a limit is what the
/// machine can do when nothing disturbs it. `time(iterations)` returns the seconds they took.
double least_seconds(const Options& options, const std::function<double(long)>& time) {
  const double share = options.budget / kRepetitions;
  long iterations = 1;
  double least = 1e9;
  for (int i = 0; i < kRepetitions; ++i) {
    least = std::min(least, time(iterations) / static_cast<double>(iterations));
    iterations = std::max(iterations, std::min(static_cast<long>(share / least), 10 * iterations));
  }
  return least;
}

struct alignas(128) Line {
  std::atomic<std::uint64_t> turn{0};
};

/// Two threads hand a counter to and fro; `wait` is what a thread does while it is not its turn.
/// Returns the seconds it took, counted from when both are there.
template <class Wait>
double hand_over(int first_processor, int second_processor, long iterations, Wait wait) {
  Line line;
  double start = 0;
  const std::uint64_t end = 2 * static_cast<std::uint64_t>(iterations) + 2;
  const auto play = [&](int processor, std::uint64_t first_turn) {
    pin_to(processor);
    for (std::uint64_t turn = first_turn; turn < end; turn += 2) {
      while (line.turn.load(std::memory_order_acquire) != turn) wait();
      if (turn == 2) start = now();  // the first exchange has brought both threads together
      line.turn.store(turn + 1, std::memory_order_release);
    }
  };
  std::thread other(play, second_processor, 1);
  std::thread one(play, first_processor, 0);
  one.join();
  other.join();
  return now() - start;
}

void measure_line(const Options& options, const std::vector<int>& processors) {
  if (processors.size() < 2) return;
  const double seconds = least_seconds(options, [&](long iterations) {
    return hand_over(processors[0], processors[1], iterations, [] {});
  });
  print_figure("limit_line", 8, 1e9 / 2 * seconds, "ns");
}

/// Two threads on one processor: what an oversubscribed hand-over costs at least when it goes
/// through sched_yield.
void measure_yield(const Options& options, const std::vector<int>& processors) {
  const double seconds = least_seconds(options, [&](long iterations) {
    return hand_over(processors[0], processors[0], iterations, [] { sched_yield(); });
  });
  print_figure("limit_yield", 8, 1e6 / 2 * seconds, "us");
}

/// Seconds from just before the kernel is asked to wake a thread that has slept on another
/// processor to when it runs.
double wake_once(const std::vector<int>& processors, long milliseconds) {
  std::atomic<std::uint32_t> word{0};
  double woken = 0;
  std::thread sleeper([&] {
    pin_to(processors[1]);
    while (word.load() == 0) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
    woken = now();
  });
  pin_to(processors[0]);
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  const double start = now();
  word.store(1);
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  sleeper.join();
  return woken - start;
}

/// The size printed is the length of the sleep in milliseconds. A median: the least is a processor
/// that was not idle.
void measure_wake(const std::vector<int>& processors) {
  if (processors.size() < 2) return;
  for (long milliseconds : {1L, 100L, 1000L}) {
    std::vector<double> times;
    for (int i = 0; i < (milliseconds < 1000 ? 9 : 3); ++i)
      times.push_back(1e6 * wake_once(processors, milliseconds));
    print_figure("limit_wake", milliseconds, median(times), "us");
  }
}

std::size_t cache_bytes(int name, std::size_t otherwise) {
  const long bytes = sysconf(name);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : otherwise;
}

/// From the start of a page to the start of a page: where the destination lies a few bytes further
/// on in its page, some processors take twenty times as long.
void measure_copy(const Options& options, const std::string& figure, std::size_t bytes) {
  constexpr std::size_t page = 4096;
  const std::size_t room = (bytes + page - 1) / page * page;
  std::vector<char> memory(2 * room + page, 'x');
  char* const from = memory.data() + -reinterpret_cast<std::uintptr_t>(memory.data()) % page;
  char* const to = from + room;
  const double seconds = least_seconds(options, [&](long iterations) {
    const double start = now();
    for (long i = 0; i < iterations; ++i) {
      std::memcpy(to, from, bytes);
      asm volatile("" : : "r"(to) : "memory");  // the copy has an observer, it cannot be left out
    }
    return now() - start;
  });
  print_figure(figure, bytes, 1e-9 * static_cast<double>(bytes) / seconds, "GB/s");
}

/// Source and destination together fill a quarter of the level-2 cache, 16 MiB or less of level 3,
/// and more than level 3 (or 1 GiB, where a virtual machine shows a level 3 that it shares).
void measure_copies(const Options& options) {
  const std::size_t second = cache_bytes(_SC_LEVEL2_CACHE_SIZE, 1 << 20);
  const std::size_t third = cache_bytes(_SC_LEVEL3_CACHE_SIZE, 8 << 20);
  const std::size_t mebibyte = 1 << 20;
  measure_copy(options, "limit_copy_l2", second / 8);
  measure_copy(options, "limit_copy_l3", std::min(8 * mebibyte, std::max(second, third / 8)));
  measure_copy(options, "limit_copy_memory", std::min(512 * mebibyte, 2 * third));
}

void measure_messages(const Options& options, const std::vector<int>& processors) {
  if (processors.size() < 2) return;
  MessageLimit limit(processors);
  for (const std::size_t bytes : options.sizes_or({1 << 10, 4 << 10, 16 << 10, 64 << 10})) {
    const double us = limit.one_way_us(bytes, 5);
    if (us > 0) print_figure("limit_message", bytes, us, "us");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const std::vector<int> processors = usable_processors();
  if (options.wants("limit_line")) measure_line(options, processors);
  if (options.wants("limit_yield")) measure_yield(options, processors);
  if (options.wants("limit_wake")) measure_wake(processors);
  if (options.wants("limit_copy")) measure_copies(options);
  if (options.wants("limit_message")) measure_messages(options, processors);
  return 0;
}
