// SPDX-License-Identifier: BSD-3-Clause
// Figures of the machine: what it costs to move data and to wake processes here.
#pragma once
//
// Contract. A limit between two ways of doing something (shared segment or direct copy, spinning or
// sleeping) follows from these figures by a formula, not from a constant of the machine on which it
// was tuned. machine_figures() measures them once per job, at the first call of any process of the
// node, which takes some milliseconds; the others wait for it. So a component asks when it first
// needs them, never in open(). All processes of a node get the same figures, so that limits derived
// from them are the same as well. Where something cannot be measured (one processor, a system call
// that is not permitted) the figure is the default below, without a word; the defaults are those of
// a virtual machine with 2 processors (AMD EPYC 9004).
//
// given_figures() measures nothing, and so is for open(): the caches of a processor as the system
// tells them, the figures that the user gives, defaults for the rest.
//
// A parameter, machine_figures, replaces figures, for tests, for machines that mislead the
// measurement, and to keep those of an earlier one: where all are given nothing is measured. Rates
// are in bytes per microsecond, which is MB/s.
//
#include <cstdint>
#include <optional>

namespace tessera {

class Job;

struct MachineFigures {
  std::uint32_t line_ns = 38;        // a cache line from one processor to another
  std::uint32_t call_ns = 200;       // a system call
  std::uint32_t yield_ns = 1'200;    // sched_yield(2) to another process of the same processor
  std::uint32_t wake_ns = 25'000;    // futex(2) until a sleeper on another processor runs
  std::uint32_t copy_near = 95'000;  // memcpy within the first-level cache
  std::uint32_t copy_far = 50'000;   // memcpy within the second-level cache
  std::uint32_t stream = 6'500;      // through shared memory, one writes while another one reads
  std::uint32_t single_call_ns = 1'300;  // CMA, one process copies: for the call, and its rate
  std::uint32_t single = 14'500;
  std::uint32_t split_call_ns = 3'000;  // CMA, sender and receiver copy a half each: likewise
  std::uint32_t split = 20'000;
  std::uint32_t first_level = 32'768;  // bytes of the caches of a processor
  std::uint32_t second_level = 1 << 20;
  std::uint32_t shared_cache = 0;  // bytes of the largest that two processors share; 0: none
};

// Equal in all processes of the node, both of them.
MachineFigures machine_figures(const Job& job) noexcept;
MachineFigures given_figures(const Job& job) noexcept;
// Measured now, for the caller alone, which takes some milliseconds: whoever shares limits with it
// has to be told. Null where parameters give figures.
std::optional<MachineFigures> measure_again(const Job& job) noexcept;

// `value`, measured where the figures are the default ones, on a machine where `here` is what was
// `there` on that one. Beyond a factor of 1/4 or 16 the measurement was disturbed.
constexpr std::uint64_t in_proportion(std::uint64_t value, double here, double there) noexcept {
  constexpr double kLeast = 0.25, kMost = 16;
  const double factor = here / there;
  const double bounded = factor < kLeast ? kLeast : factor < kMost ? factor : kMost;
  return static_cast<std::uint64_t>(static_cast<double>(value) * bounded);
}

}  // namespace tessera
