// SPDX-License-Identifier: BSD-3-Clause
// What the two files of AdaptiveProgress share: its clock, and how often it looks at it.
#pragma once

#include <atomic>
#include <cstdint>

#include "tessera/clock.h"
#include "tessera/cpu.h"

namespace tessera {

// Reading the clock costs as much as a dozen polls, so it is read once per this many idle rounds.
inline constexpr std::uint32_t kRoundsPerClock = 64;
inline constexpr std::uint32_t kYieldsPerClock = 8;
inline constexpr std::int64_t kSliceUs = 1'000;
// A ring that does not reach the sleeper is noticed after this time: it finds no way to the
// descriptor, or the kernel's barrier has passed the ringer by (doorbell.cpp).
inline constexpr std::int64_t kListenUs = 200'000;

// A process that no bell wakes looks after this time whether mpiexec asks it something.
inline constexpr std::int64_t kQuestionUs = 500'000;

}  // namespace tessera
