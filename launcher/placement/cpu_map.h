// SPDX-License-Identifier: BSD-3-Clause
// The CPUs that a job may use, and where each lies: CpuMap.
#pragma once
//
// Contract. Plain data, so that placement can be computed, and tested, for any machine. A CPU is a
// hardware thread. Objects (cores, caches ...) have the logical numbers that hwloc gives them.
//
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/status.h"

namespace tessera::launcher {

// From coarse to fine.
enum class Level : std::uint8_t { machine, package, numa, l3, l2, l1, core, hwthread };
inline constexpr std::size_t kLevels = 8;

// As options write it: "package", "l3cache" ...
std::string_view name_of(Level level) noexcept;

struct Cpu {
  static constexpr std::int32_t kNone = -1;  // the machine has no such object

  std::uint32_t number = 0;  // the kernel's
  std::array<std::int32_t, kLevels> objects{};

  std::int32_t object(Level level) const noexcept {
    return objects[static_cast<std::size_t>(level)];
  }
};

struct CpuMap {
  std::vector<Cpu> cpus;     // in the order of the topology: neighbours are near each other
  bool this_machine = true;  // false: a description of another one, for dry runs

  bool has(Level level) const noexcept;
};

// The CPUs that the control group and the affinity mask of this process permit, from hwloc, which
// is opened for this call. `synthetic`: a description in hwloc's notation instead of this machine
// (as the variable HWLOC_SYNTHETIC is, which hwloc honours itself). unsupported: there is no hwloc;
// argument: the description is none.
Result<CpuMap> read_cpu_map(const char* synthetic = nullptr);

}  // namespace tessera::launcher
