// SPDX-License-Identifier: BSD-3-Clause
// Reads lists of hosts; recognises this machine by name or address.
#include "launcher/hosts.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <limits.h>
#include <netinet/in.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "framework/text.h"
#include "launcher/across/names.h"

namespace tessera::launcher {
namespace {

std::string_view first_label(std::string_view name) {
  return name.substr(0, name.find('.'));
}

const void* address_of(const ifaddrs& entry) noexcept {
  if (entry.ifa_addr->sa_family == AF_INET)
    return &reinterpret_cast<const sockaddr_in*>(entry.ifa_addr)->sin_addr;
  if (entry.ifa_addr->sa_family == AF_INET6)
    return &reinterpret_cast<const sockaddr_in6*>(entry.ifa_addr)->sin6_addr;
  return nullptr;
}

bool is_own_address(const std::string& text) {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return false;
  bool own = false;
  for (const ifaddrs* entry = list; entry != nullptr && !own; entry = entry->ifa_next) {
    char name[INET6_ADDRSTRLEN] = "";
    const void* const address = entry->ifa_addr != nullptr ? address_of(*entry) : nullptr;
    if (address != nullptr) inet_ntop(entry->ifa_addr->sa_family, address, name, sizeof name);
    own = text == name;
  }
  freeifaddrs(list);
  return own;
}

// "node:4" names node; "::1" has no such suffix.
std::string without_slots(const std::string& host) {
  const std::size_t colon = host.find(':');
  return colon == host.rfind(':') ? host.substr(0, colon) : host;
}

// The number after a host, "node:4"; 0: none.
Result<std::uint32_t> slots_in_name(const std::string& entry) {
  const std::size_t length = without_slots(entry).size();
  return length == entry.size() ? Result<std::uint32_t>(0u)
                                : parse_count(std::string_view(entry).substr(length + 1));
}

Status failed(const std::string& where, const Status& status) {
  return Status::failure(status.code(), where + ": " + status.text());
}

// What follows the host in a line of a host file.
Status read_attribute(const std::string& word, Host& host) {
  const std::string name = word.substr(0, word.find('='));
  const std::string value = name.size() < word.size() ? word.substr(name.size() + 1) : "";
  const bool limit = name == "max_slots" || name == "max-slots";
  if (!limit && name != "slots" && name != "count") {
    return Status::failure(Errc::argument, "'" + word +
                                               "' is not known: write HOST slots=N max_slots=N "
                                               "(users and keys belong into ~/.ssh/config)");
  }
  const auto count = parse_count(value);
  if (!count.ok()) return failed(name, count.status());
  (limit ? host.most : host.slots) = count.value();
  return {};
}

class HostListReader {
 public:
  Status take_list(const std::string& text) {
    auto entries = across::expand_hosts(text);
    if (!entries.ok()) return entries.status();
    for (const std::string& entry : entries.value())
      if (Status s = take(entry, {}); !s) return s;
    list_.counted = true;
    return {};
  }

  Status take_file(const std::string& path) {
    std::ifstream file(path);
    if (!file)
      return Status::failure(Errc::not_found, "host file '" + path + "': " + strerror(errno));
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      if (Status s = take_line(line); !s) return failed(path + ":" + std::to_string(number), s);
    }
    return {};
  }

  HostList finish() { return std::move(list_); }

 private:
  Status take_line(const std::string& line) {
    const std::vector<std::string> words = across::words_of_line(line);
    if (words.empty()) return {};
    Host host;
    for (std::size_t i = 1; i < words.size(); ++i)
      if (Status s = read_attribute(words[i], host); !s) return s;
    auto entries = across::expand_hosts(words.front());
    if (!entries.ok()) return entries.status();
    for (const std::string& entry : entries.value())
      if (Status s = take(entry, host); !s) return s;
    return {};
  }

  Status take(const std::string& entry, Host host) {
    host.name = without_slots(entry);
    if (host.name.empty())
      return Status::failure(Errc::argument,
                             "'" + entry + "' names no host; write HOST or HOST:SLOTS");
    const auto slots = slots_in_name(entry);
    if (!slots.ok()) return failed("slots of '" + entry + "'", slots.status());
    if (slots.value() > 0) host.slots = slots.value();
    if (host.slots > 0 || host.most > 0) list_.counted = list_.stated = true;
    if (host.slots == 0) host.slots = std::max(host.most, 1u);
    if (host.most > 0) host.slots = std::min(host.slots, host.most);
    const auto known = std::find_if(list_.hosts.begin(), list_.hosts.end(),
                                    [&](const Host& other) { return other.name == host.name; });
    list_.entries.push_back(static_cast<std::uint32_t>(known - list_.hosts.begin()));
    if (known == list_.hosts.end()) return list_.hosts.push_back(std::move(host)), Status();
    known->slots += host.slots;
    if (host.most > 0) known->most += host.most;
    return {};
  }

  HostList list_;
};

}  // namespace

bool is_this_machine(const std::string& host) {
  if (host == "localhost" || host.rfind("127.", 0) == 0 || host == "::1") return true;
  if (text::equal_ignoring_case(first_label(host), first_label(host_name()))) return true;
  const bool numeric = host.find_first_not_of("0123456789.") == std::string::npos ||
                       host.find(':') != std::string::npos;
  return numeric && is_own_address(host);
}

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = "";
  return gethostname(name, sizeof name) == 0 ? name : "this machine";
}

std::uint32_t HostList::slots() const noexcept {
  std::uint32_t sum = 0;
  for (const Host& host : hosts) sum += host.slots;
  return sum;
}

Status check_arch(const std::string& arch) {
  utsname machine{};
  if (arch.empty() || uname(&machine) != 0 || text::equal_ignoring_case(arch, machine.machine))
    return {};
  return Status::failure(Errc::unsupported, "info key arch is '" + arch + "', this machine is '" +
                                                machine.machine + "'");
}

Status check_here(const std::string& list) {
  HostListReader reader;
  if (Status s = reader.take_list(list); !s) return s;
  for (const Host& host : reader.finish().hosts) {
    if (is_this_machine(host.name)) continue;
    return Status::failure(Errc::unsupported,
                           "host '" + host.name + "' is not this machine ('" + host_name() +
                               "'), and mpiexec starts what programs order on its own machine");
  }
  return {};
}

Result<HostList> read_hosts(const CommandLine& line) {
  HostListReader reader;
  for (const std::string& list : line.hosts)
    if (Status s = reader.take_list(list); !s) return s;
  for (const std::string& path : line.host_files)
    if (Status s = reader.take_file(path); !s) return s;
  return reader.finish();
}

}  // namespace tessera::launcher
