// SPDX-License-Identifier: BSD-3-Clause
// Asks hwloc what the machine has, and where this process may run.
#include "core/machine/hardware.h"

#include <dlfcn.h>
#include <hwloc.h>
#include <sched.h>

#include <algorithm>
#include <array>

#include "framework/trust.h"

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

// Variables of the environment name files that it obeys, and plug-ins that it loads.
void* open_library() noexcept {
  return runs_for_somebody_else() ? nullptr : dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);
}

// The library, opened for a short while: most processes never need it.
class Hwloc {
 public:
  Hwloc() noexcept : library_(open_library()) {
    if (library_ == nullptr) return;
    find(init_, "hwloc_topology_init");
    find(filter_, "hwloc_topology_set_all_types_filter");
    find(load_, "hwloc_topology_load");
    find(destroy_, "hwloc_topology_destroy");
    find(depth_of_, "hwloc_get_type_depth");
    find(object_, "hwloc_get_obj_by_depth");
    find(has_, "hwloc_bitmap_isset");
    if (!complete_ || init_(&topology_) != 0) return;
    filter_(topology_, HWLOC_TYPE_FILTER_KEEP_ALL);
    loaded_ = load_(topology_) == 0;
  }
  Hwloc(const Hwloc&) = delete;
  Hwloc& operator=(const Hwloc&) = delete;
  ~Hwloc() {
    if (topology_ != nullptr) destroy_(topology_);
    if (library_ != nullptr) dlclose(library_);
  }

  bool has(hwloc_obj_type_t type) const noexcept {
    return loaded_ && object_(topology_, depth_of_(topology_, type), 0) != nullptr;
  }
  // The number of the first object that has all these processors; -1: none has.
  int holder(hwloc_obj_type_t type, const cpu_set_t& mask) const noexcept {
    const int depth = depth_of_(topology_, type);
    for (unsigned i = 0; hwloc_obj_t object = object_(topology_, depth, i); ++i) {
      if (holds(object->cpuset, mask)) return static_cast<int>(i);
    }
    return -1;
  }

 private:
  template <class Function>
  void find(Function& function, const char* name) noexcept {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    complete_ = complete_ && function != nullptr;
  }
  bool holds(hwloc_const_bitmap_t set, const cpu_set_t& mask) const noexcept {
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &mask) && has_(set, cpu) == 0) return false;
    }
    return true;
  }

  void* library_;
  decltype(&hwloc_topology_init) init_ = nullptr;
  decltype(&hwloc_topology_set_all_types_filter) filter_ = nullptr;
  decltype(&hwloc_topology_load) load_ = nullptr;
  decltype(&hwloc_topology_destroy) destroy_ = nullptr;
  decltype(&hwloc_get_type_depth) depth_of_ = nullptr;
  decltype(&hwloc_get_obj_by_depth) object_ = nullptr;
  decltype(&hwloc_bitmap_isset) has_ = nullptr;
  hwloc_topology_t topology_ = nullptr;
  bool complete_ = true;
  bool loaded_ = false;
};

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
  const Hwloc hwloc;
  for (const Type& type : kTypes) {
    if (!hwloc.has(type.type)) continue;
    resources.push_back({std::string(kScheme).append(type.name), hwloc.holder(type.type, mask)});
  }
  return resources;
}

}  // namespace tessera
