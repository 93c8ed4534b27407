// SPDX-License-Identifier: BSD-3-Clause
// Where processes run, as they find it out themselves.
#include "places.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <hwloc.h>
#include <sched.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

namespace tessera::coll::hierarchy {

namespace {

// Equal for processes of one boot of a machine, containers included. (FNV-1a)
std::uint64_t machine_number() noexcept {
  char text[128] = {};
  const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  const ssize_t got = file >= 0 ? read(file, text, sizeof text - 1) : -1;
  if (file >= 0) close(file);
  if (got <= 0) static_cast<void>(gethostname(text, sizeof text - 1));
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : std::string_view(text))
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

// The processors of this process if it is bound, that is, kept from some.
std::optional<cpu_set_t> binding() noexcept {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return {};
  if (CPU_COUNT(&mask) >= sysconf(_SC_NPROCESSORS_ONLN)) return {};
  return mask;
}

// Variables of the environment name files that it obeys, and plug-ins that it loads.
void* open_library() noexcept {
  return getauxval(AT_SECURE) != 0 ? nullptr : dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);
}

// hwloc, opened for a short while: most processes never need it.
class Topology {
 public:
  Topology() noexcept : library_(open_library()) {
    if (library_ == nullptr) return;
    find(init_, "hwloc_topology_init");
    find(filter_all_, "hwloc_topology_set_all_types_filter");
    find(filter_, "hwloc_topology_set_type_filter");
    find(load_, "hwloc_topology_load");
    find(destroy_, "hwloc_topology_destroy");
    find(depth_of_, "hwloc_get_type_depth");
    find(object_, "hwloc_get_obj_by_depth");
    find(holds_, "hwloc_bitmap_isset");
    if (!complete_ || init_(&topology_) != 0) return;
    filter_all_(topology_, HWLOC_TYPE_FILTER_KEEP_NONE);
    for (const hwloc_obj_type_t type : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE})
      filter_(topology_, type, HWLOC_TYPE_FILTER_KEEP_ALL);
    loaded_ = load_(topology_) == 0;
  }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;
  ~Topology() {
    if (topology_ != nullptr) destroy_(topology_);
    if (library_ != nullptr) dlclose(library_);
  }

  // The number of the object that holds all these processors.
  std::uint32_t holder(hwloc_obj_type_t type, const cpu_set_t& mask) const noexcept {
    if (!loaded_) return Place::kUnknown;
    const int depth = depth_of_(topology_, type);
    for (unsigned i = 0; hwloc_obj_t object = object_(topology_, depth, i); ++i) {
      if (holds_all(object->cpuset, mask)) return i;
    }
    return Place::kUnknown;
  }

 private:
  template <class Function>
  void find(Function& function, const char* name) noexcept {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    complete_ = complete_ && function != nullptr;
  }
  bool holds_all(hwloc_const_bitmap_t set, const cpu_set_t& mask) const noexcept {
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &mask) && !holds_(set, cpu)) return false;
    return true;
  }

  void* library_;
  decltype(&hwloc_topology_init) init_ = nullptr;
  decltype(&hwloc_topology_set_all_types_filter) filter_all_ = nullptr;
  decltype(&hwloc_topology_set_type_filter) filter_ = nullptr;
  decltype(&hwloc_topology_load) load_ = nullptr;
  decltype(&hwloc_topology_destroy) destroy_ = nullptr;
  decltype(&hwloc_get_type_depth) depth_of_ = nullptr;
  decltype(&hwloc_get_obj_by_depth) object_ = nullptr;
  decltype(&hwloc_bitmap_isset) holds_ = nullptr;
  hwloc_topology_t topology_ = nullptr;
  bool complete_ = true;
  bool loaded_ = false;
};

// Equal numbers for equal keys; empty if one of them is not known.
template <class Key>
void add_level(const char* name, std::span<const Place> places, Key key, bool known,
               std::vector<Level>& levels) {
  if (!known) return;
  Level level{name, {}};
  std::map<decltype(key(places[0])), int> numbers;
  for (const Place& place : places)
    level.group.push_back(
        numbers.try_emplace(key(place), static_cast<int>(numbers.size())).first->second);
  levels.push_back(std::move(level));
}

}  // namespace

Place own_place() noexcept {
  Place place;
  place.machine = machine_number();
  if (const auto mask = binding()) {
    const Topology topology;
    place.package = topology.holder(HWLOC_OBJ_PACKAGE, *mask);
    place.cache = topology.holder(HWLOC_OBJ_L3CACHE, *mask);
  }
  return place;
}

std::vector<Level> levels_of(std::span<const Place> places) {
  const auto known = [&](std::uint32_t Place::*what) {
    return std::all_of(places.begin(), places.end(),
                       [&](const Place& p) { return p.*what != Place::kUnknown; });
  };
  const bool several =
      std::any_of(places.begin(), places.end(), [](const Place& p) { return p.system != 0; });
  std::vector<Level> levels;
  add_level(
      "system", places, [](const Place& p) { return p.system; }, several, levels);
  add_level(
      "node", places, [](const Place& p) { return std::tuple(p.system, p.machine); }, true, levels);
  add_level(
      "socket", places, [](const Place& p) { return std::tuple(p.system, p.machine, p.package); },
      known(&Place::package), levels);
  add_level(
      "cache", places, [](const Place& p) { return std::tuple(p.system, p.machine, p.cache); },
      known(&Place::cache), levels);
  return levels;
}

}  // namespace tessera::coll::hierarchy
