// SPDX-License-Identifier: BSD-3-Clause
// Recognises this machine by name or address, without asking a name server.
#include "launcher/hosts.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <limits.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "framework/text.h"

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

bool is_this_machine(const std::string& host) {
  if (host == "localhost" || host.rfind("127.", 0) == 0 || host == "::1") return true;
  if (text::equal_ignoring_case(first_label(host), first_label(host_name()))) return true;
  const bool numeric = host.find_first_not_of("0123456789.") == std::string::npos ||
                       host.find(':') != std::string::npos;
  return numeric && is_own_address(host);
}

Status check_host(const std::string& entry) {
  const std::string host = without_slots(entry);
  if (is_this_machine(host)) return {};
  return Status::failure(
      Errc::unsupported,
      "host '" + host + "' is not this machine ('" + host_name() +
          "'): a job over several machines needs an existing engine to start it (Slurm, Hydra, "
          "or another PMIx server), and running under one is not available in this version; leave "
          "out the host to run here");
}

// The number in "slots=4" or "node:4"; 0: none.
Result<std::uint32_t> slots_of(const std::vector<std::string_view>& words,
                               const std::string& host) {
  std::string_view number;
  if (without_slots(host).size() < host.size())
    number = std::string_view(host).substr(host.find(':') + 1);
  for (std::string_view word : words) {
    if (word.rfind("slots=", 0) == 0) number = word.substr(6);
  }
  return number.empty() ? Result<std::uint32_t>(0u) : parse_count(number);
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::string_view word : text::split(line.substr(0, line.find('#')), ' ')) {
    if (!text::trim(word).empty()) words.push_back(text::trim(word));
  }
  return words;
}

Result<std::uint32_t> read_line(const std::string& line, const std::string& where) {
  const std::vector<std::string_view> words = words_of(line);
  if (words.empty()) return 0u;
  const std::string host(words.front());
  if (const Status status = check_host(host); !status.ok()) {
    return Status::failure(status.code(), where + ": " + status.text());
  }
  auto slots = slots_of(words, host);
  if (!slots.ok())
    return Status::failure(Errc::argument, where + ": slots: " + slots.status().text());
  return slots;
}

Result<std::uint32_t> read_host_file(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    return Status::failure(Errc::not_found, "host file '" + path + "': " + strerror(errno));
  std::uint32_t total = 0;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    auto slots = read_line(line, path + ":" + std::to_string(++number));
    if (!slots.ok()) return slots.status();
    total += slots.value();
  }
  return total;
}

}  // namespace

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = "";
  return gethostname(name, sizeof name) == 0 ? name : "this machine";
}

Result<std::uint32_t> check_hosts(const CommandLine& line) {
  for (const std::string& host : line.hosts) {
    if (const Status status = check_host(host); !status.ok()) return status;
  }
  std::uint32_t slots = 0;
  for (const std::string& path : line.host_files) {
    auto of_file = read_host_file(path);
    if (!of_file.ok()) return of_file.status();
    slots += of_file.value();
  }
  return slots;
}

}  // namespace tessera::launcher
