// SPDX-License-Identifier: BSD-3-Clause
// Measuring the machine with two threads on two processors. The least of a few short repetitions
// counts: a figure is what the machine can do when nothing disturbs it.
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>

#include "core/machine/caches.h"
#include "core/machine/figures.h"
#include "core/machine/names.h"
#include "tessera/clock.h"
#include "tessera/cpu.h"

namespace tessera::machine {

namespace {

constexpr int kRepetitions = 5;
constexpr std::uint64_t kEnoughNs = 5'000'000;  // then others use the processors: no repetition
// All of it takes a few milliseconds. A program that waits for it would see more on processors that
// are taken; the figures that are missing then keep their defaults.
constexpr std::uint64_t kMostNs = 200'000'000;
constexpr std::size_t kFew = 64;
constexpr std::size_t kLong = 256 * 1024;
constexpr std::size_t kChunk = 8 * 1024;  // of the stream, through kSlots of them
constexpr std::uint32_t kSlots = 4;
constexpr std::size_t kReachOfPageTable =
    2 * 1024 * 1024;  // with pages of 4 KiB; larger ones: more

template <class Body>
std::uint64_t least_ns(Body body) noexcept {
  std::uint64_t least = ~std::uint64_t{0};
  const std::uint64_t end = now_ns() + kEnoughNs;
  for (int i = 0; i < kRepetitions && now_ns() < end; ++i) {
    const std::uint64_t start = now_ns();
    if (!body()) return 0;
    least = std::min(least, now_ns() - start);
  }
  return std::max<std::uint64_t>(least, 1);
}

void set(std::uint32_t& figure, std::uint64_t value) noexcept {
  if (value != 0) figure = static_cast<std::uint32_t>(std::min<std::uint64_t>(value, ~0u));
}

// Bytes in nanoseconds, as bytes per microsecond.
std::uint64_t rate(std::uint64_t bytes, std::uint64_t ns) noexcept {
  return ns == 0 ? 0 : bytes * 1000 / ns;
}

// What the two threads share. The helper carries out `task` number `number`; -1 ends it.
struct Stage {
  alignas(128) std::atomic<int> wanted{0};
  alignas(128) std::atomic<int> done{0};
  alignas(128) std::atomic<std::uint32_t> line{0};
  alignas(128) std::atomic<std::uint32_t> read{0};
  alignas(128) std::atomic<std::uint32_t> sleeper{0};
  alignas(128) std::atomic<int> arrived{0};
  enum class Task : std::uint8_t { come, turns, yields, stream, write, sleep } task = Task::come;
  int processor = 0;
  std::uint32_t rounds = 0;
  std::size_t bytes = 0;
  std::uint64_t end_ns = 0;  // of the whole measurement
  bool failed = false;
  std::uint64_t woken = 0;
  // Each buffer begins at another offset in its page: a load whose offset is that of a store under
  // way waits for it, although the pages differ (4 KiB aliasing). With equal offsets the rate of
  // the stream fell by a third in every other job.
  alignas(kPage) std::byte ring[kSlots * kChunk];
  std::byte third_of_a_page[kPage / 3];
  std::byte from[kLong];
  // The kernel locks a table of pages for each page that it pins. Two processes have tables of
  // their own; here both threads would wait for one lock. These bytes are never touched.
  std::byte apart[kReachOfPageTable + kPage / 3];
  std::byte to[kLong];

  bool is_over() const noexcept { return now_ns() > end_ns; }
  // Spins until `there` holds. False: the time is over first.
  template <class Condition>
  bool wait(Condition there, bool yields = false) const noexcept {
    for (std::uint32_t spins = 1; !there(); ++spins) {
      yields ? static_cast<void>(sched_yield()) : cpu_relax();
      if (spins % 256 == 0 && is_over()) return false;
    }
    return true;
  }
};

bool stay_on(int processor) noexcept {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  return sched_setaffinity(0, sizeof one, &one) == 0;
}

bool hand_over(Stage& stage, std::uint32_t first, bool yields) noexcept {
  for (std::uint32_t turn = first; turn < 2 * stage.rounds; turn += 2) {
    const auto mine = [&] { return stage.line.load(std::memory_order_acquire) == turn; };
    if (!stage.wait(mine, yields)) return false;
    stage.line.store(turn + 1, std::memory_order_release);
  }
  return true;
}

bool stream_out(Stage& stage) noexcept {
  for (std::uint32_t i = 0; i * kChunk < kLong; ++i) {
    const auto room = [&] { return stage.read.load(std::memory_order_acquire) + kSlots > i; };
    if (!stage.wait(room)) return false;
    std::memcpy(stage.ring + i % kSlots * kChunk, stage.from + i * kChunk, kChunk);
    stage.line.store(i + 1, std::memory_order_release);
  }
  return true;
}

bool stream_in(Stage& stage) noexcept {
  for (std::uint32_t i = 0; i * kChunk < kLong; ++i) {
    if (!stage.wait([&] { return stage.line.load(std::memory_order_acquire) > i; })) return false;
    std::memcpy(stage.to + i * kChunk, stage.ring + i % kSlots * kChunk, kChunk);
    stage.read.store(i + 1, std::memory_order_release);
  }
  return true;
}

// CMA within this process costs what it costs between two.
bool copy(Stage& stage, std::size_t from, std::size_t bytes, bool reads) noexcept {
  const iovec here{reads ? stage.to + from : stage.from + from, bytes};
  const iovec there{reads ? stage.from + from : stage.to + from, bytes};
  const ssize_t moved = reads ? process_vm_readv(getpid(), &here, 1, &there, 1, 0)
                              : process_vm_writev(getpid(), &here, 1, &there, 1, 0);
  return moved == static_cast<ssize_t>(bytes);
}

void sleep_once(Stage& stage) noexcept {
  while (stage.sleeper.load(std::memory_order_acquire) == 0)
    syscall(SYS_futex, &stage.sleeper, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
  stage.woken = now_ns();
}

void carry_out(Stage& stage) noexcept {
  switch (stage.task) {
    case Stage::Task::come:
      return;
    case Stage::Task::turns:
    case Stage::Task::yields:
      stage.failed |= !hand_over(stage, 1, stage.task == Stage::Task::yields);
      return;
    case Stage::Task::stream:
      stage.failed |= !stream_out(stage);
      return;
    case Stage::Task::write:
      stage.failed |= !copy(stage, stage.bytes / 2, stage.bytes - stage.bytes / 2, false);
      return;
    case Stage::Task::sleep:
      return sleep_once(stage);
  }
}

void* help(void* argument) noexcept {
  Stage& stage = *static_cast<Stage*>(argument);
  for (int number = 1;; ++number) {
    int wanted = 0;
    for (int spins = 0; (wanted = stage.wanted.load(std::memory_order_acquire)) < number; ++spins) {
      if (wanted < 0) return nullptr;
      spins < 10'000 ? cpu_relax() : static_cast<void>(sched_yield());
    }
    stage.failed = !stay_on(stage.processor);
    stage.arrived.store(number, std::memory_order_release);
    carry_out(stage);
    stage.done.store(number, std::memory_order_release);
  }
}

class Measurement {
 public:
  Measurement(Stage& stage, int here, int there) noexcept
      : stage_(stage), here_(here), there_(there) {}

  // Two threads that spin on one processor would wait for one another's time slices.
  void run(MachineFigures& figures) noexcept {
    if (!stay_on(here_) || together(Stage::Task::come, there_, [] { return true; }) == 0) return;
    using Step = void (Measurement::*)(MachineFigures&) noexcept;
    for (const Step step :
         {&Measurement::measure_turns, &Measurement::measure_stream, &Measurement::measure_single,
          &Measurement::measure_split, &Measurement::measure_wake}) {
      if (!stage_.is_over()) (this->*step)(figures);
    }
  }

 private:
  // `body` here, `task` on the helper's processor, at the same time: both begin when the helper is
  // there. It may come from this processor, which it then needs; a time slice would pass before it
  // got it. The nanoseconds until both have ended; 0: it did not work.
  template <class Body>
  std::uint64_t together(Stage::Task task, int processor, Body body) noexcept {
    stage_.task = task;
    stage_.processor = processor;
    stage_.line.store(0, std::memory_order_relaxed);
    stage_.read.store(0, std::memory_order_relaxed);
    stage_.failed = false;
    stage_.wanted.store(++number_, std::memory_order_release);
    while (stage_.arrived.load(std::memory_order_acquire) < number_) sched_yield();
    const std::uint64_t start = now_ns();
    const bool worked = body();
    while (stage_.done.load(std::memory_order_acquire) < number_) sched_yield();
    const std::uint64_t taken = std::max<std::uint64_t>(now_ns() - start, 1);
    return worked && !stage_.failed ? taken : 0;
  }

  // The least of a few times; 0: it does not work.
  template <class Body>
  std::uint64_t least_together_ns(Stage::Task task, Body body) noexcept {
    std::uint64_t least = ~std::uint64_t{0};
    const std::uint64_t end = now_ns() + kEnoughNs;
    for (int i = 0; i < kRepetitions && now_ns() < end; ++i) {
      const std::uint64_t taken = together(task, there_, body);
      if (taken == 0) return 0;
      least = std::min(least, taken);
    }
    return least;
  }

  // Nanoseconds from one to the other, without the beginning, when the helper comes.
  std::uint64_t turn_ns(Stage::Task task, int processor, std::uint32_t rounds) noexcept {
    std::uint64_t least = ~std::uint64_t{0};
    stage_.rounds = rounds;
    const bool yields = task == Stage::Task::yields;
    const std::uint64_t end = now_ns() + kEnoughNs;
    for (int i = 0; i < kRepetitions && now_ns() < end; ++i) {
      static_cast<void>(together(task, processor, [&] {
        stage_.line.store(1, std::memory_order_release);
        const auto has_come = [&] { return stage_.line.load(std::memory_order_acquire) == 2; };
        if (!stage_.wait(has_come, yields)) return false;
        const std::uint64_t start = now_ns();
        if (!hand_over(stage_, 2, yields)) return false;
        least = std::min(least, (now_ns() - start) / (2 * rounds));
        return true;
      }));
    }
    return least == ~std::uint64_t{0} ? 0 : least;  // 0: not known
  }

  void measure_turns(MachineFigures& figures) noexcept {
    set(figures.line_ns, turn_ns(Stage::Task::turns, there_, 200));
    set(figures.yield_ns, turn_ns(Stage::Task::yields, here_, 20));
  }

  void measure_stream(MachineFigures& figures) noexcept {
    set(figures.stream,
        rate(kLong, least_together_ns(Stage::Task::stream, [&] { return stream_in(stage_); })));
  }

  // A copy of few bytes has the call alone: its part of a long copy is too small to be fitted.
  static void set_copy(std::uint64_t call, std::uint64_t many, std::uint32_t& call_ns,
                       std::uint32_t& per_us) noexcept {
    if (call == 0 || many <= call) return;
    set(call_ns, call);
    set(per_us, rate(kLong, many - call));
  }

  void measure_single(MachineFigures& figures) noexcept {
    const auto one = [&](std::size_t bytes) {
      return least_ns([&] { return copy(stage_, 0, bytes, true); });
    };
    const std::uint64_t call = one(kFew);
    set_copy(call, one(kLong), figures.single_call_ns, figures.single);
  }

  void measure_split(MachineFigures& figures) noexcept {
    const auto both = [&](std::size_t bytes) {
      stage_.bytes = bytes;
      return least_together_ns(Stage::Task::write,
                               [&] { return copy(stage_, 0, bytes / 2, true); });
    };
    const std::uint64_t calls = both(2 * kFew);
    set_copy(calls, both(kLong), figures.split_call_ns, figures.split);
  }

  void measure_wake(MachineFigures& figures) noexcept {
    std::uint64_t least = ~std::uint64_t{0};
    for (int i = 0; i < 3; ++i) {
      stage_.sleeper.store(0, std::memory_order_relaxed);
      static_cast<void>(together(Stage::Task::sleep, there_, [&] {
        const timespec until_it_sleeps{0, 100'000};
        nanosleep(&until_it_sleeps, nullptr);
        const std::uint64_t start = now_ns();
        stage_.sleeper.store(1, std::memory_order_release);
        syscall(SYS_futex, &stage_.sleeper, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
        while (stage_.done.load(std::memory_order_acquire) < number_) sched_yield();
        least = std::min(least, stage_.woken > start ? stage_.woken - start : 1);
        return true;
      }));
    }
    set(figures.wake_ns, least);
  }

  Stage& stage_;
  int here_, there_;
  int number_ = 0;
};

// What one thread finds out alone.
void measure_alone(Stage& stage, MachineFigures& figures) noexcept {
  constexpr int kCalls = 100;
  set(figures.call_ns, least_ns([] {
                         for (int i = 0; i < kCalls; ++i) syscall(SYS_getppid);
                         return true;
                       }) / kCalls);
  const auto copies = [&](std::size_t bytes, int times) {
    return rate(bytes * static_cast<std::size_t>(times), least_ns([&] {
                  for (int i = 0; i < times; ++i) {
                    std::memcpy(stage.to, stage.from, bytes);
                    asm volatile("" : : "r"(stage.to) : "memory");  // the copy has an observer
                  }
                  return true;
                }));
  };
  set(figures.copy_near, copies(std::min<std::size_t>(figures.first_level / 4, kLong), 20));
  set(figures.copy_far, copies(std::min<std::size_t>(figures.second_level / 4, kLong), 2));
}

// The processor for the helper: another one than this thread's. -1: there is none.
int another(const cpu_set_t& others, int here) noexcept {
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &others) && cpu != here) return cpu;
  }
  return -1;
}

// No signal of the program is handled by the helper.
bool start(pthread_t& thread, Stage& stage) noexcept {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool started = pthread_create(&thread, nullptr, help, &stage) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

void measure_all(MachineFigures& figures, const cpu_set_t& others) noexcept {
  const std::unique_ptr<Stage> stage(new (std::nothrow) Stage);
  cpu_set_t before;
  if (stage == nullptr || sched_getaffinity(0, sizeof before, &before) != 0) return;
  stage->end_ns = now_ns() + kMostNs;
  std::memset(stage->from, 1, sizeof stage->from);
  std::memset(stage->to, 1, sizeof stage->to);
  measure_alone(*stage, figures);
  const int here = sched_getcpu();
  const int there = another(others, here);
  pthread_t thread;
  if (here < 0 || there < 0 || !start(thread, *stage)) return;
  Measurement(*stage, here, there).run(figures);
  stage->wanted.store(-1, std::memory_order_release);
  pthread_join(thread, nullptr);
  static_cast<void>(sched_setaffinity(0, sizeof before, &before));
}

}  // namespace

MachineFigures plausible(const MachineFigures& found, const MachineFigures& usual) noexcept {
  constexpr std::uint32_t kMostFactor = 16;
  MachineFigures kept = found;
  for (const MachineFigure& figure : kMachineFigures) {
    const std::uint32_t here = found.*figure.value, there = usual.*figure.value;
    const bool disturbed = here / kMostFactor > there || here < there / kMostFactor;
    if (disturbed && figure.unit != "bytes") kept.*figure.value = there;
  }
  return kept;
}

void measure(MachineFigures& figures, const cpu_set_t& others) noexcept {
  const MachineFigures usual = figures;
  measure_all(figures, others);
  figures = plausible(figures, usual);
  const Cache last = last_level_cache();
  if (last.processors > 1) set(figures.shared_cache, last.bytes);
}

void read_caches(MachineFigures& figures) noexcept {
  const auto bytes = [](int name) {
    const long value = sysconf(name);
    return value > 0 ? static_cast<std::uint64_t>(value) : 0;
  };
  set(figures.first_level, bytes(_SC_LEVEL1_DCACHE_SIZE));
  set(figures.second_level, bytes(_SC_LEVEL2_CACHE_SIZE));
}

}  // namespace tessera::machine
