// SPDX-License-Identifier: BSD-3-Clause
// Findings about processors, memory and the network.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <hwloc.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <set>

#include "core/machine/usable_cpus.h"
#include "doctor.h"

namespace ompi_info {
namespace {

struct DestroyTopology {
  void operator()(hwloc_topology_t topology) const noexcept { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, DestroyTopology>;

// Of the operating system alone: hwloc's plug-ins would open devices, and need many times the time.
Topology load_topology() noexcept {
  setenv("HWLOC_PLUGINS_PATH", "", 1);
  setenv("HWLOC_COMPONENTS", "linux,stop", 1);
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return nullptr;
  Topology owned(topology);
  return hwloc_topology_load(topology) == 0 ? std::move(owned) : nullptr;
}

int count(hwloc_topology_t topology, hwloc_obj_type_t type) noexcept {
  return hwloc_get_nbobjs_by_type(topology, type);
}

std::string plural(int number, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

std::string last_level_cache(hwloc_topology_t topology) {
  for (hwloc_obj_type_t type : {HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE})
    if (hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, 0); cache != nullptr)
      return fmt::format(", {} of {} KiB for {}",
                         plural(count(topology, type), "last-level cache", "last-level caches"),
                         cache->attr->cache.size / 1024,
                         plural(hwloc_bitmap_weight(cache->cpuset), "processor", "processors"));
  return "";
}

std::string address_text(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address->sa_family == AF_INET)
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text, sizeof text);
  if (address->sa_family == AF_INET6)
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, text,
              sizeof text);
  return text;
}

// Interfaces that are up and no loopback, with their addresses.
std::map<std::string, std::string> interfaces() {
  std::map<std::string, std::string> found;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return found;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owned(list, freeifaddrs);
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_UP) == 0 ||
        (one->ifa_flags & IFF_LOOPBACK) != 0)
      continue;
    const std::string address = address_text(one->ifa_addr);
    if (!address.empty()) found[one->ifa_name] += " " + address;
  }
  return found;
}

// The word in brackets of "always [madvise] never".
std::string chosen_word(const std::string& line) {
  const std::size_t begin = line.find('[');
  const std::size_t end = line.find(']');
  return begin == std::string::npos || end == std::string::npos
             ? ""
             : line.substr(begin + 1, end - begin - 1);
}

}  // namespace

Finding check_cpus() {
  const auto usable = tessera::usable_cpus();
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  Finding finding{"processors", Health::ok, fmt::format("{} usable of {} online", usable, online),
                  "More ranks than usable processors share them and wait for each other; affinity "
                  "mask and control group count.",
                  ""};
  if (usable < online) {
    finding.health = Health::note;
    finding.next =
        "Start as many ranks as processors are usable, or ask for more of them (taskset, the job "
        "scheduler, the container's CPU limit).";
  }
  return finding;
}

Finding check_topology() {
  const Topology topology = load_topology();
  Finding finding{"topology", Health::ok, "", "Where ranks run decides what it costs them to talk.",
                  ""};
  if (!topology) {
    finding.health = Health::note;
    finding.value = "the system does not tell";
    return finding;
  }
  hwloc_topology_t t = topology.get();
  finding.value =
      fmt::format("{}, {}, {}, {}{}", plural(count(t, HWLOC_OBJ_PACKAGE), "package", "packages"),
                  plural(count(t, HWLOC_OBJ_NUMANODE), "NUMA node", "NUMA nodes"),
                  plural(count(t, HWLOC_OBJ_CORE), "core", "cores"),
                  plural(count(t, HWLOC_OBJ_PU), "processor", "processors"), last_level_cache(t));
  return finding;
}

Finding check_load() {
  double load = 0;
  Finding finding{"load", Health::ok, "",
                  "Ranks that share a processor with other programs wait for them, and with "
                  "them all other ranks.",
                  ""};
  if (getloadavg(&load, 1) != 1) return finding.value = "the system does not tell", finding;
  finding.value = fmt::format("{:.1f} over the last minute", load);
  if (load < static_cast<double>(tessera::usable_cpus())) return finding;
  finding.health = Health::note;
  finding.next = "Look with top(1) who works here before you judge a measurement.";
  return finding;
}

Finding check_huge_pages() {
  const std::string mode = chosen_word(first_line("/sys/kernel/mm/transparent_hugepage/enabled"));
  Finding finding{
      "huge_pages", Health::ok, mode.empty() ? "the system does not tell" : mode,
      "Copies of large messages cost fewer page faults and address look-ups in huge pages.", ""};
  if (mode != "never") return finding;
  finding.health = Health::note;
  finding.next = "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled, as root.";
  return finding;
}

Finding check_overcommit() {
  const std::string mode = first_line("/proc/sys/vm/overcommit_memory");
  Finding finding{"overcommit", Health::ok,
                  mode == "2" ? "strict" : (mode.empty() ? "the system does not tell" : "allowed"),
                  "Memory that is set aside but not touched counts fully under strict accounting; "
                  "large jobs on one machine may be refused memory that is free.",
                  ""};
  if (mode != "2") return finding;
  finding.health = Health::note;
  finding.next = "sysctl vm.overcommit_memory=0, as root, if MPI_Init complains about memory.";
  return finding;
}

Finding check_interfaces() {
  std::string value;
  for (const auto& [name, addresses] : interfaces())
    value += fmt::format("{}{}{}", value.empty() ? "" : "; ", name, addresses);
  Finding finding{
      "interfaces", Health::ok, value,
      "Ranks on other machines are reached over these; ranks of this machine need none.", ""};
  if (!value.empty()) return finding;
  finding.health = Health::note;
  finding.value = "none but loopback";
  return finding;
}

}  // namespace ompi_info
