// SPDX-License-Identifier: BSD-3-Clause
// Asking the kernel for interfaces, and applying btl_tcp_if_include and btl_tcp_if_exclude.
#include "interfaces.h"

#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <bitset>
#include <cerrno>
#include <memory>
#include <optional>

#include "socket.h"

namespace tessera::btl::tcp {
namespace {

unsigned prefix_of(const sockaddr* mask, bool is_v4) {
  if (mask == nullptr) return is_v4 ? 32 : 128;
  std::byte raw[16] = {};
  const std::size_t bytes = is_v4 ? 4 : 16;
  const std::size_t offset =
      is_v4 ? offsetof(sockaddr_in, sin_addr) : offsetof(sockaddr_in6, sin6_addr);
  std::copy_n(reinterpret_cast<const std::byte*>(mask) + offset, bytes, raw);
  unsigned bits = 0;
  for (std::byte part : raw)
    bits += static_cast<unsigned>(std::bitset<8>(std::to_integer<unsigned>(part)).count());
  return bits;
}

std::optional<Interface> usable(const ifaddrs& entry) {
  const auto address = Address::of(entry.ifa_addr);
  if (!address || (entry.ifa_flags & IFF_UP) == 0) return std::nullopt;
  if (!address->is_v4() && address->is_link_local()) return std::nullopt;
  return Interface{entry.ifa_name, *address, prefix_of(entry.ifa_netmask, address->is_v4())};
}

std::string existing(const std::vector<Interface>& all) {
  std::string text;
  for (const Interface& one : all) {
    if (!text.empty()) text += ", ";
    text += one.name + " (" + one.address.text() + "/" + std::to_string(one.prefix) + ")";
  }
  return text.empty() ? "none" : text;
}

// One element of a list: the name of an interface or a block of addresses.
struct Choice {
  std::string name;
  std::optional<Network> block;
  bool matches(const Interface& one) const {
    return block ? block->contains(one.address) : one.name == name;
  }
};

Status unknown(const char* parameter, const Choice& choice, const std::vector<Interface>& all) {
  const std::string kind =
      choice.block ? "' matches no address" : "' is neither an interface nor a CIDR block";
  return Status::failure(Errc::argument,
                         std::string(parameter) + ": '" + choice.name + kind +
                             " of this machine; usable interfaces are: " + existing(all));
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<Choice> parse_list(std::string_view list) {
  std::vector<Choice> choices;
  while (!list.empty()) {
    const auto comma = list.find(',');
    const std::string_view item = trimmed(list.substr(0, comma));
    if (!item.empty()) choices.push_back({std::string(item), Network::parse(item)});
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
  }
  return choices;
}

bool any_matches(const std::vector<Choice>& choices, const Interface& one) {
  return std::any_of(choices.begin(), choices.end(),
                     [&](const Choice& c) { return c.matches(one); });
}

bool matches_any(const Choice& choice, const std::vector<Interface>& all) {
  return std::any_of(all.begin(), all.end(),
                     [&](const Interface& one) { return choice.matches(one); });
}

// An excluded block that matches nothing is no mistake: it is how one list serves machines that
// differ.
Status check(const char* parameter, const std::vector<Choice>& choices,
             const std::vector<Interface>& all, bool blocks_must_match) {
  for (const Choice& choice : choices) {
    if (matches_any(choice, all) || (choice.block && !blocks_must_match)) continue;
    return unknown(parameter, choice, all);
  }
  return {};
}

}  // namespace

Result<std::vector<Interface>> list_interfaces() {
  ifaddrs* head = nullptr;
  if (getifaddrs(&head) != 0) return system_failure("getifaddrs", errno);
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(head, freeifaddrs);
  std::vector<Interface> found;
  for (const ifaddrs* entry = head; entry != nullptr; entry = entry->ifa_next) {
    if (auto one = usable(*entry)) found.push_back(std::move(*one));
  }
  return found;
}

Result<std::vector<Interface>> select_interfaces(const std::vector<Interface>& all,
                                                 std::string_view include,
                                                 std::string_view exclude) {
  const std::vector<Choice> wanted = parse_list(include);
  const std::vector<Choice> unwanted = parse_list(exclude);
  if (Status s = check("btl_tcp_if_include", wanted, all, true); !s) return s;
  if (Status s = check("btl_tcp_if_exclude", unwanted, all, false); !s) return s;
  std::vector<Interface> chosen;
  for (const Interface& one : all) {
    if ((wanted.empty() || any_matches(wanted, one)) && !any_matches(unwanted, one))
      chosen.push_back(one);
  }
  if (chosen.empty() && !all.empty()) {
    return Status::failure(
        Errc::argument,
        "btl_tcp_if_include and btl_tcp_if_exclude leave no address; usable interfaces are: " +
            existing(all));
  }
  return chosen;
}

}  // namespace tessera::btl::tcp
