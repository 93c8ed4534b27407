// SPDX-License-Identifier: BSD-3-Clause
// Port names as text.
#include "core/dynamic/port_name.h"

#include <sys/stat.h>

#include <charconv>

#include "core/job/segment.h"
#include "core/machine/small_file.h"
#include "framework/text.h"

namespace tessera {
namespace {

constexpr std::string_view kVersion = "tessera1";

std::string hex(std::uint64_t value) {
  char digits[17] = {};
  std::to_chars(digits, digits + 16, value, 16);
  return digits;
}

template <class Number>
bool read(std::string_view text, Number& value, int base) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && stop == text.data() + text.size();
}

bool read_key(std::string_view text, std::array<std::uint64_t, 2>& key) {
  const auto parts = text::split(text, '.');
  return parts.size() == 2 && read(parts[0], key[0], 16) && read(parts[1], key[1], 16);
}

std::optional<PortAddress> read_address(std::string_view text) {
  const std::size_t dash = text.rfind('-');
  PortAddress address;
  if (dash == std::string_view::npos || !read(text.substr(dash + 1), address.port, 10))
    return std::nullopt;
  address.address = text.substr(0, dash);
  return address;
}

std::uint64_t hash(std::uint64_t value, const void* data, std::size_t bytes) noexcept {
  const auto* at = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) value = (value ^ at[i]) * 0x100000001b3;
  return value;
}

}  // namespace

std::string PortName::text() const {
  std::string text(kVersion);
  text += "@" + hex(id) + "@" + hex(key[0]) + "." + hex(key[1]) + "@" + hex(host) + "@";
  const char* separator = "";
  for (const PortAddress& one : addresses) {
    const std::string more = separator + one.address + "-" + std::to_string(one.port);
    if (text.size() + more.size() > kMostPortName) break;
    text += more;
    separator = ",";
  }
  return text;
}

std::optional<PortName> PortName::parse(std::string_view text) {
  const auto parts = text::split(text, '@');
  PortName name;
  const bool good = parts.size() == 5 && parts[0] == kVersion && read(parts[1], name.id, 16) &&
                    read_key(parts[2], name.key) && read(parts[3], name.host, 16);
  if (!good) return std::nullopt;
  if (parts[4].empty()) return name;
  for (const std::string_view part : text::split(parts[4], ',')) {
    auto address = read_address(part);
    if (!address) return std::nullopt;
    name.addresses.push_back(std::move(*address));
  }
  return name;
}

std::uint64_t this_network_stack() noexcept {
  std::uint64_t value = 0xcbf29ce484222325;
  const machine::SmallFile boot("/proc/sys/kernel/random/boot_id");
  if (boot.text().empty()) return JobSegment::random_id();  // nothing tells two hosts apart
  value = hash(value, boot.text().data(), boot.text().size());
  for (const char* space : {"/proc/self/ns/net", "/proc/self/ns/pid"}) {
    struct stat facts {};
    if (stat(space, &facts) == 0) value = hash(value, &facts.st_ino, sizeof facts.st_ino);
  }
  return value;
}

}  // namespace tessera
