// SPDX-License-Identifier: BSD-3-Clause
// The last-level cache as the system tells it.
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera::machine {

struct Cache {
  std::uint64_t bytes = 0;       // 0: not known
  std::uint32_t processors = 0;  // that share it
};

// Of the processor that the caller runs on; costs some small files (sysfs, cpu/cpuN/cache). The C
// library's _SC_LEVEL3_CACHE_SIZE is no substitute: on a virtual machine it is that of the host.
Cache last_level_cache() noexcept;

// The same below another folder than /sys/devices/system/cpu/cpuN/cache, for tests.
Cache last_level_cache(std::string_view folder) noexcept;

}  // namespace tessera::machine
