// SPDX-License-Identifier: BSD-3-Clause
// A clock for the cadence of polling: cheap to read, its rate known only roughly.
#pragma once

#include <chrono>
#include <cstdint>

namespace tessera::btl::tcp {

#if defined(__x86_64__)
inline constexpr std::uint64_t kTicksPerUs = 2500;  // time stamp counters run at 1-5 GHz
inline std::uint64_t ticks() noexcept {
  return __builtin_ia32_rdtsc();
}
#else
inline constexpr std::uint64_t kTicksPerUs = 1000;
inline std::uint64_t ticks() noexcept {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                    std::chrono::nanoseconds(1));
}
#endif

}  // namespace tessera::btl::tcp
