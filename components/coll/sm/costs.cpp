// SPDX-License-Identifier: BSD-3-Clause
// The cost formulas of coll/sm.
#include "costs.h"

#include <algorithm>
#include <limits>

namespace tessera::coll::sm {

namespace {

constexpr double kMargin = 0.75;  // of worth_it()
// Measured: docs/decisions/0165. How much longer than one alone two processes take that read each
// other's memory at the same time, and an operation on two operands than a copy.
constexpr double kBothRead = 1.65;
constexpr double kCombine = 1.5;

double at(std::size_t bytes, double rate) noexcept {
  return 1000.0 * static_cast<double>(bytes) / rate;
}

// To tell where a buffer is takes a line to the other process, and so does the answer; each costs a
// miss more on the way back.
double handshake_ns(const MachineFigures& f) noexcept {
  return 4.0 * f.line_ns;
}

// Where `once`, in nanoseconds, has been made up for by `gain`, in nanoseconds per byte.
std::size_t made_up_from(double once, double gain) noexcept {
  constexpr double kMost = 1e15;
  if (once <= 0) return 0;
  return gain * kMost <= once ? kNever : static_cast<std::size_t>(once / gain);
}

}  // namespace

// The reader waits for the first chunk before it can begin.
double streamed_ns(const MachineFigures& f, std::size_t bytes) noexcept {
  return 2.0 * f.line_ns + at(std::min(bytes, kOneWayChunk), f.stream) + at(bytes, f.stream);
}

double single_copy_ns(const MachineFigures& f, std::size_t bytes) noexcept {
  return handshake_ns(f) + f.single_call_ns + at(bytes, f.single);
}

// With more than two the one that has the data makes a call for each other process, and all copy
// (p - 1) / p of it.
double split_copy_ns(const MachineFigures& f, int processes, std::size_t bytes) noexcept {
  if (processes == 2) return handshake_ns(f) + f.split_call_ns + at(bytes, f.split);
  const double others = processes - 1;
  return handshake_ns(f) + others * f.single_call_ns + at(bytes, f.single) * others / processes;
}

static std::size_t both_from(const MachineFigures& f, double gain) noexcept {
  const double once = static_cast<double>(f.split_call_ns) - f.single_call_ns;
  return gain > 0 ? made_up_from(once, gain) : kNever;
}

std::size_t split_copy_from(const MachineFigures& f) noexcept {
  return both_from(f, 1000.0 / f.single - 1000.0 / f.split);
}

// What the root has written lies in its cache, as far as it has room there. It comes back line by
// line when the other process is the root, and copies its own block to the same place: half of what
// a stream costs, which is written as well.
std::size_t split_scatter_from(const MachineFigures& f) noexcept {
  constexpr double kOfRoot = 0.375;
  const double gain = 1000.0 / f.single - 2 * (1 - kOfRoot) * 1000.0 / f.split;
  const std::size_t of_cached = both_from(f, gain - kOfRoot / 2 * 1000.0 / f.stream);
  const std::size_t of_others = std::max<std::size_t>(both_from(f, gain), f.second_level);
  return std::min(of_cached, of_others);
}

double reduced_from_chunks_ns(const MachineFigures& f, std::size_t bytes) noexcept {
  return streamed_ns(f, bytes);  // the operation reads the slot in place of the second copy
}

// The root reads and combines all of a short vector; else 5/8, while the other process does so with
// 3/8 and writes the result.
double reduced_directly_ns(const MachineFigures& f, std::size_t bytes) noexcept {
  if (bytes <= kReducedByRootOfTwo) return single_copy_ns(f, bytes) + at(bytes, f.copy_far);
  return 2 * handshake_ns(f) + 2.0 * f.single_call_ns +
         0.625 * (at(bytes, f.single) + at(bytes, f.copy_far));
}

bool worth_it(double direct_ns, double chunks_ns) noexcept {
  return direct_ns < kMargin * chunks_ns;
}

std::size_t one_way_direct_from(const MachineFigures& f) noexcept {
  const double slot = kMargin * 1000.0 / f.stream;  // per byte, once or twice
  const auto from = [&](double call, double rate) {
    const double once = handshake_ns(f) + call - kMargin * streamed_ns(f, 0);
    const std::size_t of_a_chunk = made_up_from(once, 2 * slot - 1000.0 / rate);
    if (of_a_chunk <= kOneWayChunk) return of_a_chunk;
    return made_up_from(once - slot * kOneWayChunk, slot - 1000.0 / rate);
  };
  const std::size_t worth_it_beyond = std::max(
      kOneWayChunk, std::min(from(f.single_call_ns, f.single), from(f.split_call_ns, f.split)));
  return worth_it_beyond == kNever ? kNever : worth_it_beyond + 1;
}

static bool exchange_pays(const MachineFigures& f, double combining) noexcept {
  return worth_it(kBothRead / f.single + combining / f.copy_far, 2.0 / f.stream);
}

bool direct_exchange_pays(const MachineFigures& f) noexcept {
  return exchange_pays(f, 0);
}

bool direct_combining_pays(const MachineFigures& f) noexcept {
  return exchange_pays(f, kCombine);
}

std::size_t direct_from(const MachineFigures& f) noexcept {
  return made_up_from(handshake_ns(f) + f.single_call_ns,
                      1000.0 / f.copy_far + 1000.0 / f.stream - 1000.0 / f.single);
}

// A factor beyond these bounds tells of a disturbed measurement, or of a direct copy that gains
// next to nothing.
constexpr double kLeast = 0.25, kMost = 16;

static double factor(const MachineFigures& f) noexcept {
  return static_cast<double>(direct_from(f)) / static_cast<double>(direct_from(MachineFigures{}));
}

bool direct_copy_pays(const MachineFigures& f) noexcept {
  return factor(f) < kMost;
}

std::size_t scaled(std::size_t bytes, const MachineFigures& f) noexcept {
  const double limit = static_cast<double>(bytes) * std::clamp(factor(f), kLeast, kMost);
  return std::max(static_cast<std::size_t>(limit), kNeverDirect);
}

}  // namespace tessera::coll::sm
