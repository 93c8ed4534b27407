// SPDX-License-Identifier: BSD-3-Clause
// Where processes run, as they find it out themselves.
#include "places.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "tessera/hardware.h"

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

// Whether this process is kept from some processors.
bool is_bound() noexcept {
  cpu_set_t mask;
  return sched_getaffinity(0, sizeof mask, &mask) == 0 &&
         CPU_COUNT(&mask) < sysconf(_SC_NPROCESSORS_ONLN);
}

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

Place own_place() {
  Place place;
  place.machine = machine_number();
  if (!is_bound()) return place;
  for (const HardwareResource& one : hardware_resources()) {
    if (one.instance < 0) continue;
    if (one.name == "hwloc://Package") place.package = static_cast<std::uint32_t>(one.instance);
    if (one.name == "hwloc://L3Cache") place.cache = static_cast<std::uint32_t>(one.instance);
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
