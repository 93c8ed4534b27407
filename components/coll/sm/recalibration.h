// SPDX-License-Identifier: BSD-3-Clause
// The machine measured again while a job runs: LineMonitor, Recalibrator, Recalibration.
#pragma once
//
// Contract. A virtual machine may get other processors at any time; then a cache line costs several
// times as much or as little, and the figures that plans rest on are wrong. Every interval()
// short blocking calls of a communicator, or fewer long ones, its processes review the figures, all
// in the same call: rank 0 times one load of a line that rank 1 has written. If the cost has
// changed in several reviews in a row, rank 0 announces that the next review measures: in that one
// all processes wait until rank 0 has measured, and then choose their plans by the new figures. A
// review that does not measure makes a process wait only if rank 0 is more than one review behind
// it. A new plan combines in the same order of ranks as the old one, so results do not change.
//
// Nothing is measured again where a parameter gives figures, where processes share processors
// (plans do not ask for figures there), or where that would take more than a hundredth of the time.
//
#include <atomic>
#include <cstdint>
#include <optional>

#include "tessera/coll_call.h"
#include "tessera/machine.h"

namespace tessera::coll::sm {

enum class Recalibrate : std::uint8_t { never, shifted, always };

struct LineLoad {
  std::uint64_t value;     // another one than in the load before: the line has been written since
  std::uint64_t ns;        // with a look at the clock
  std::uint64_t clock_ns;  // of that alone
};

// Whether a line costs something else than before. One load alone may meet an interrupt, or a line
// that has left the caches. Nanoseconds, each with a look at the clock.
class LineMonitor {
 public:
  static constexpr std::uint64_t kEnough = 3;
  explicit LineMonitor(std::uint64_t expected_ns) noexcept : expected_ns_(expected_ns) {}
  // Told of one load. True: it and those before it took at least twice as long as expected, or at
  // most half as long.
  bool add(std::uint64_t ns) noexcept {
    const int side = ns >= 2 * expected_ns_ ? 1 : 2 * ns <= expected_ns_ ? -1 : 0;
    if (side != side_) sum_ns_ = running_ = 0;
    side_ = side;
    sum_ns_ += ns;
    ++running_;
    return side != 0 && running_ >= kEnough;
  }
  // From now on what these took is expected: between other processors than those that the figures
  // are of, a line may cost something else for good.
  void accept() noexcept {
    if (side_ != 0) expected_ns_ = sum_ns_ / running_;
    side_ = 0;
    sum_ns_ = running_ = 0;
  }

 private:
  std::uint64_t expected_ns_;
  int side_ = 0;  // 1: dearer than expected; -1: cheaper
  std::uint64_t sum_ns_ = 0, running_ = 0;
};

// What a process measures for all communicators whose rank 0 it is.
class Recalibrator {
 public:
  Recalibrator(const Job& job, Recalibrate when) noexcept : job_(job), when_(when) {}
  Recalibrate when() const noexcept { return when_; }
  // Short calls of a communicator from review to review, and as how many of them one counts: of so
  // many bytes, if they are known to all processes, and rounds.
  std::int64_t interval() const noexcept { return when_ == Recalibrate::always ? 8 : 512; }
  static std::int64_t weight(Count bytes, std::uint64_t rounds) noexcept {
    return bytes / (16 * 1024) + static_cast<std::int64_t>(rounds);
  }
  // Whether there are figures to replace these: measured for another communicator, or now.
  bool ready(const MachineFigures& old) const noexcept;
  // Measures unless it knows of others; `old` where parameters give figures. With `always`, for
  // tests, every second time pretends that direct copies gain nothing, so that plans change.
  MachineFigures replace(const MachineFigures& old) noexcept;

 private:
  bool knows_others(const MachineFigures& old) const noexcept;

  const Job& job_;
  const Recalibrate when_;
  bool given_ = false;  // parameters give figures
  bool pretends_ = false;
  std::optional<MachineFigures> newest_;
  std::uint64_t not_before_ns_ = 0;
};

// The reviews of one communicator, as one process sees them. At first zero.
struct Recalibration {
  std::uint64_t reviews;                  // so far
  std::uint64_t seen;                     // in the line of rank 1; of rank 0
  std::optional<LineMonitor> monitor;     // likewise
  std::optional<MachineFigures> figures;  // those of the last review that measured
};

}  // namespace tessera::coll::sm
