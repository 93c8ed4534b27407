// SPDX-License-Identifier: BSD-3-Clause
// Reads the topology of the machine with hwloc, which is loaded only for that.
#include "launcher/placement/cpu_map.h"

#include <dlfcn.h>
#include <hwloc.h>
#include <sched.h>

#include <algorithm>

namespace tessera::launcher {
namespace {

constexpr const char* kLibrary = "libhwloc.so.15";
constexpr std::size_t kMostCpus = 1U << 16;

// The library, opened for a short while.
class Hwloc {
 public:
  Hwloc() noexcept : library_(dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL)) {
    complete_ = library_ != nullptr;
    find(init_, "hwloc_topology_init");
    find(synthetic_, "hwloc_topology_set_synthetic");
    find(load_, "hwloc_topology_load");
    find(destroy_, "hwloc_topology_destroy");
    find(depth_of_, "hwloc_get_type_depth");
    find(object_, "hwloc_get_obj_by_depth");
    find(holds_, "hwloc_bitmap_isset");
    find(is_this_, "hwloc_topology_is_thissystem");
  }
  Hwloc(const Hwloc&) = delete;
  Hwloc& operator=(const Hwloc&) = delete;
  ~Hwloc() {
    if (topology_ != nullptr) destroy_(topology_);
    if (library_ != nullptr) dlclose(library_);
  }

  Status load(const char* synthetic) {
    if (!complete_)
      return Status::failure(Errc::unsupported,
                             std::string("placement needs hwloc, and ") + kLibrary +
                                 " cannot be loaded; on Debian: apt install libhwloc15");
    if (init_(&topology_) != 0) return Status::failure(Errc::no_memory, "hwloc has no memory");
    if (synthetic != nullptr && synthetic_(topology_, synthetic) != 0)
      return Status::failure(Errc::argument,
                             "'" + std::string(synthetic) + "' describes no topology to hwloc");
    if (load_(topology_) == 0) return {};
    return Status::failure(Errc::system, "hwloc cannot read the topology of this machine");
  }

  bool is_this_machine() const noexcept { return is_this_(topology_) != 0; }

  std::vector<Cpu> cpus() const {
    std::vector<Cpu> cpus;
    for (unsigned i = 0; const hwloc_obj_t thread = object(HWLOC_OBJ_PU, i); ++i)
      cpus.push_back(describe(thread));
    return cpus;
  }

 private:
  template <class Function>
  void find(Function& function, const char* name) noexcept {
    if (library_ != nullptr) function = reinterpret_cast<Function>(dlsym(library_, name));
    complete_ = complete_ && function != nullptr;
  }

  hwloc_obj_t object(hwloc_obj_type_t type, unsigned number) const noexcept {
    return object_(topology_, depth_of_(topology_, type), number);
  }

  // Memory hangs beside the tree of CPUs: it is found by the CPUs near it.
  std::int32_t numa_of(unsigned cpu) const noexcept {
    for (unsigned i = 0; const hwloc_obj_t node = object(HWLOC_OBJ_NUMANODE, i); ++i)
      if (holds_(node->cpuset, cpu) != 0) return static_cast<std::int32_t>(i);
    return Cpu::kNone;
  }

  Cpu describe(hwloc_obj_t thread) const noexcept {
    static constexpr std::pair<hwloc_obj_type_t, Level> kTypes[] = {
        {HWLOC_OBJ_PACKAGE, Level::package}, {HWLOC_OBJ_L3CACHE, Level::l3},
        {HWLOC_OBJ_L2CACHE, Level::l2},      {HWLOC_OBJ_L1CACHE, Level::l1},
        {HWLOC_OBJ_CORE, Level::core},       {HWLOC_OBJ_PU, Level::hwthread}};
    Cpu cpu;
    cpu.number = thread->os_index;
    cpu.objects.fill(Cpu::kNone);
    for (hwloc_obj_t one = thread; one != nullptr; one = one->parent)
      for (const auto& [type, level] : kTypes)
        if (one->type == type)
          cpu.objects[static_cast<std::size_t>(level)] =
              static_cast<std::int32_t>(one->logical_index);
    cpu.objects[static_cast<std::size_t>(Level::numa)] = numa_of(cpu.number);
    cpu.objects[static_cast<std::size_t>(Level::machine)] = 0;
    return cpu;
  }

  void* library_;
  bool complete_ = false;
  decltype(&hwloc_topology_init) init_ = nullptr;
  decltype(&hwloc_topology_set_synthetic) synthetic_ = nullptr;
  decltype(&hwloc_topology_load) load_ = nullptr;
  decltype(&hwloc_topology_destroy) destroy_ = nullptr;
  decltype(&hwloc_get_type_depth) depth_of_ = nullptr;
  decltype(&hwloc_get_obj_by_depth) object_ = nullptr;
  decltype(&hwloc_bitmap_isset) holds_ = nullptr;
  decltype(&hwloc_topology_is_thissystem) is_this_ = nullptr;
  hwloc_topology_t topology_ = nullptr;
};

// hwloc knows the control group; the mask of taskset(1) it does not.
void keep_permitted(std::vector<Cpu>& cpus) {
  cpu_set_t* const mask = CPU_ALLOC(kMostCpus);
  if (mask == nullptr) return;
  const std::size_t bytes = CPU_ALLOC_SIZE(kMostCpus);
  if (sched_getaffinity(0, bytes, mask) == 0)
    std::erase_if(cpus, [&](const Cpu& cpu) { return CPU_ISSET_S(cpu.number, bytes, mask) == 0; });
  CPU_FREE(mask);
}

}  // namespace

std::string_view name_of(Level level) noexcept {
  constexpr std::string_view kNames[kLevels] = {"node",    "package", "numa", "l3cache",
                                                "l2cache", "l1cache", "core", "hwthread"};
  return kNames[static_cast<std::size_t>(level)];
}

bool CpuMap::has(Level level) const noexcept {
  return std::all_of(cpus.begin(), cpus.end(),
                     [&](const Cpu& cpu) { return cpu.object(level) != Cpu::kNone; });
}

Result<CpuMap> read_cpu_map(const char* synthetic) {
  Hwloc hwloc;
  if (const Status status = hwloc.load(synthetic); !status.ok()) return status;
  CpuMap map{hwloc.cpus(), hwloc.is_this_machine()};
  if (map.this_machine) keep_permitted(map.cpus);
  if (map.cpus.empty()) return Status::failure(Errc::system, "hwloc shows no CPU for this job");
  return map;
}

}  // namespace tessera::launcher
