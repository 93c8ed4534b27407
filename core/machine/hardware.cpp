// SPDX-License-Identifier: BSD-3-Clause
// Asks hwloc what the machine has, and where this process may run.
#include "tessera/hardware.h"

#include <algorithm>
#include <array>

#include "core/machine/hwloc.h"

namespace tessera {
namespace {

struct Type {
  hwloc_obj_type_t type;
  std::string_view name;
};

constexpr std::string_view kScheme = "hwloc://";
constexpr std::array kTypes{
    Type{HWLOC_OBJ_MACHINE, "Machine"},   Type{HWLOC_OBJ_PACKAGE, "Package"},
    Type{HWLOC_OBJ_NUMANODE, "NUMANode"}, Type{HWLOC_OBJ_L3CACHE, "L3Cache"},
    Type{HWLOC_OBJ_L2CACHE, "L2Cache"},   Type{HWLOC_OBJ_L1CACHE, "L1Cache"},
    Type{HWLOC_OBJ_CORE, "Core"},         Type{HWLOC_OBJ_PU, "PU"}};

}  // namespace

bool names_hardware(std::string_view name) noexcept {
  if (!name.starts_with(kScheme)) return false;
  name.remove_prefix(kScheme.size());
  return std::any_of(kTypes.begin(), kTypes.end(),
                     [&](const Type& type) { return type.name == name; });
}

std::vector<HardwareResource> hardware_resources() {
  std::vector<HardwareResource> resources;
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return resources;
  Hwloc hwloc;
  if (!hwloc.load().ok()) return resources;
  for (const Type& type : kTypes) {
    if (hwloc.object(type.type, 0) == nullptr) continue;
    const auto holder = hwloc.holder(type.type, mask);
    resources.push_back(
        {std::string(kScheme).append(type.name), holder ? static_cast<int>(*holder) : -1});
  }
  return resources;
}

}  // namespace tessera
