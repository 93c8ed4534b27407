// SPDX-License-Identifier: BSD-3-Clause
// CPUs this process may use: affinity mask and control-group quota (versions 1 and 2).
#include "core/machine/usable_cpus.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "core/machine/small_file.h"

namespace tessera {
namespace {

using machine::SmallFile;

constexpr std::uint32_t kUnlimited = 1U << 30;

std::uint32_t from_affinity() noexcept {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return static_cast<std::uint32_t>(CPU_COUNT(&set));
  const long online = sysconf(_SC_NPROCESSORS_ONLN);  // more CPUs than a cpu_set_t holds
  return online > 0 ? static_cast<std::uint32_t>(online) : 1;
}

// CPUs for `quota` microseconds in each `period`; texts such as "max" or "-1" do not limit.
std::uint32_t quota_cpus(std::string_view quota, std::string_view period) noexcept {
  std::int64_t q = 0;
  std::int64_t p = 0;
  std::from_chars(quota.data(), quota.data() + quota.size(), q);
  std::from_chars(period.data(), period.data() + period.size(), p);
  if (q <= 0 || p <= 0) return kUnlimited;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>((q + p - 1) / p, 1, kUnlimited));
}

// The smallest limit of a group and all groups above it, as told by `limit_of(directory)`.
template <class Limit>
std::uint32_t smallest_upwards(const std::string& root, std::string group, Limit limit_of) {
  std::uint32_t smallest = kUnlimited;
  while (true) {
    smallest = std::min(smallest, limit_of(root + group));
    if (group.empty() || group == "/") return smallest;
    group.resize(group.find_last_of('/'));
  }
}

std::uint32_t limit_v2(const std::string& directory) {
  const SmallFile file((directory + "/cpu.max").c_str());  // "max 100000" or "150000 100000"
  const std::string_view text = file.text();
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return kUnlimited;
  return quota_cpus(text.substr(0, space), text.substr(space + 1));
}

std::uint32_t limit_v1(const std::string& directory) {
  const SmallFile quota((directory + "/cpu.cfs_quota_us").c_str());
  if (quota.text().empty()) return kUnlimited;
  const SmallFile period((directory + "/cpu.cfs_period_us").c_str());
  return quota_cpus(quota.text(), period.text());
}

// One line of /proc/self/cgroup: "0::/path" (version 2) or "5:cpu,cpuacct:/path" (version 1).
std::uint32_t limit_of_line(std::string_view line) {
  const std::size_t first = line.find(':');
  const std::size_t second = line.find(':', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return kUnlimited;
  const std::string controllers =
      "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
  const std::string group(line.substr(second + 1));
  if (controllers == ",,") return smallest_upwards("/sys/fs/cgroup", group, limit_v2);
  if (controllers.find(",cpu,") == std::string::npos) return kUnlimited;
  return smallest_upwards("/sys/fs/cgroup/cpu", group, limit_v1);
}

std::uint32_t from_quota() {
  const SmallFile file("/proc/self/cgroup");
  const std::string_view groups = file.text();
  std::uint32_t smallest = kUnlimited;
  for (std::size_t begin = 0; begin < groups.size();) {
    const std::size_t end = std::min(groups.find('\n', begin), groups.size());
    smallest = std::min(smallest, limit_of_line(groups.substr(begin, end - begin)));
    begin = end + 1;
  }
  return smallest;
}

}  // namespace

std::uint32_t usable_cpus() noexcept {
  return std::max<std::uint32_t>(1, std::min(from_affinity(), from_quota()));
}

}  // namespace tessera
