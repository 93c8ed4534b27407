// SPDX-License-Identifier: BSD-3-Clause
// Reads the caches of a processor from sysfs.
#include "core/machine/caches.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "core/machine/small_file.h"

namespace tessera::machine {
namespace {

SmallFile file_of(std::string_view folder, int index, const char* name) noexcept {
  char path[256];
  std::snprintf(path, sizeof path, "%.*s/index%d/%s", static_cast<int>(folder.size()),
                folder.data(), index, name);
  return SmallFile(path);
}

// Takes a number from the front of `text`; 0 where there is none.
std::uint32_t take_number(std::string_view& text) noexcept {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, char expected) noexcept {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(1);
  return true;
}

// "8192K"
std::uint64_t size_of(std::string_view text) noexcept {
  const std::uint64_t number = take_number(text);
  return take(text, 'K') ? number << 10 : take(text, 'M') ? number << 20 : number;
}

// How many processors a list names: "0-3,8"
std::uint32_t length_of(std::string_view text) noexcept {
  std::uint32_t count = 0;
  do {
    const std::uint32_t first = take_number(text);
    const std::uint32_t last = take(text, '-') ? take_number(text) : first;
    count += last >= first ? last - first + 1 : 0;
  } while (take(text, ','));
  return count;
}

}  // namespace

Cache last_level_cache(std::string_view folder) noexcept {
  constexpr int kMost = 16;  // caches of one processor
  Cache largest;
  for (int index = 0; index < kMost; ++index) {
    const std::uint64_t bytes = size_of(file_of(folder, index, "size").text());
    if (bytes == 0) break;
    if (bytes <= largest.bytes) continue;
    const SmallFile list = file_of(folder, index, "shared_cpu_list");
    largest = {bytes, std::max(1u, length_of(list.text()))};
  }
  return largest;
}

Cache last_level_cache() noexcept {
  char folder[64];
  std::snprintf(folder, sizeof folder, "/sys/devices/system/cpu/cpu%d/cache",
                std::max(0, sched_getcpu()));
  return last_level_cache(folder);
}

}  // namespace tessera::machine
