// SPDX-License-Identifier: BSD-3-Clause
// CPUs as sched_setaffinity(2) wants them, however many the machine has: CpuMask.
#pragma once

#include <sched.h>

#include <cstdint>
#include <vector>

namespace tessera::launcher {

class CpuMask {
 public:
  // `cpus` is in ascending order.
  explicit CpuMask(const std::vector<std::uint32_t>& cpus)
      : sets_(cpus.empty() ? 0 : cpus.back() / CPU_SETSIZE + 1) {
    for (cpu_set_t& set : sets_) CPU_ZERO(&set);
    for (const std::uint32_t cpu : cpus) CPU_SET(cpu % CPU_SETSIZE, &sets_[cpu / CPU_SETSIZE]);
  }

  const cpu_set_t* data() const noexcept { return sets_.empty() ? nullptr : sets_.data(); }
  std::size_t bytes() const noexcept { return sets_.size() * sizeof(cpu_set_t); }

 private:
  std::vector<cpu_set_t> sets_;
};

}  // namespace tessera::launcher
