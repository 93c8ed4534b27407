// SPDX-License-Identifier: BSD-3-Clause
// Reads the topology of the machine with hwloc, which is loaded only for that.
#include "launcher/placement/cpu_map.h"

#include <algorithm>

#include "core/machine/hwloc.h"

namespace tessera::launcher {
namespace {

constexpr std::size_t kMostCpus = 1U << 16;

// Memory hangs beside the tree of CPUs: it is found by the CPUs near it.
std::int32_t numa_of(const Hwloc& hwloc, unsigned cpu) noexcept {
  for (unsigned i = 0; const hwloc_obj_t node = hwloc.object(HWLOC_OBJ_NUMANODE, i); ++i)
    if (hwloc.holds(node, cpu)) return static_cast<std::int32_t>(i);
  return Cpu::kNone;
}

Cpu describe(const Hwloc& hwloc, hwloc_obj_t thread) noexcept {
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
  cpu.objects[static_cast<std::size_t>(Level::numa)] = numa_of(hwloc, cpu.number);
  cpu.objects[static_cast<std::size_t>(Level::machine)] = 0;
  return cpu;
}

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
  const Status status = hwloc.load(synthetic);
  if (status == Errc::unsupported)
    return Status::failure(Errc::unsupported, std::string("placement needs hwloc, and ") +
                                                  status.text() +
                                                  "; on Debian: apt install libhwloc15");
  if (!status.ok()) return status;
  CpuMap map{{}, hwloc.is_this_machine()};
  for (unsigned i = 0; const hwloc_obj_t thread = hwloc.object(HWLOC_OBJ_PU, i); ++i)
    map.cpus.push_back(describe(hwloc, thread));
  if (map.this_machine) keep_permitted(map.cpus);
  if (map.cpus.empty()) return Status::failure(Errc::system, "hwloc shows no CPU for this job");
  return map;
}

}  // namespace tessera::launcher
