// SPDX-License-Identifier: BSD-3-Clause
// Ends a sleep of the process when a packet that was held back is due.
#pragma once

#include <cstdint>

#include "tessera/peer.h"

namespace tessera::btl::chaos {

// Microseconds of a steady clock.
std::int64_t now_us() noexcept;

// One timer for the process, watched by its Progress from open() to destruction.
class Alarm {
 public:
  explicit Alarm(Progress& progress) noexcept : progress_(progress) {}
  ~Alarm();
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  Status open() noexcept;
  // Rings at that time, instead of at the one it was set to before; kNever: not at all.
  void set(std::int64_t at_us) noexcept;

  static constexpr std::int64_t kNever = INT64_MAX;

 private:
  Progress& progress_;
  int descriptor_ = -1;
  std::int64_t at_us_ = kNever;
};

}  // namespace tessera::btl::chaos
