// SPDX-License-Identifier: BSD-3-Clause
#include "impi/wire/address.h"

#include <arpa/inet.h>
#include <netdb.h>

#include <algorithm>
#include <cstring>

namespace tessera::impi {
namespace {

constexpr std::size_t kIpv4At = 12;

bool zeros(const HostId& id, std::size_t count) noexcept {
  return std::all_of(id.begin(), id.begin() + static_cast<std::ptrdiff_t>(count),
                     [](std::byte b) { return b == std::byte{0}; });
}

struct Words {
  std::string host;
  std::string port;
};

Outcome<Words> split(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  Words words;
  if (colon != std::string::npos) words = {text.substr(0, colon), text.substr(colon + 1)};
  if (words.host.size() > 2 && words.host.front() == '[' && words.host.back() == ']')
    words.host = words.host.substr(1, words.host.size() - 2);
  const bool digits = !words.port.empty() && words.port.size() <= 5 &&
                      std::all_of(words.port.begin(), words.port.end(),
                                  [](char c) { return c >= '0' && c <= '9'; });
  if (words.host.empty() || !digits || std::stoi(words.port) < 1 || std::stoi(words.port) > 65535)
    return Fault{"'" + text + "' is not HOST:PORT with a port of 1 to 65535"};
  return words;
}

}  // namespace

bool holds_ipv4(const HostId& id) noexcept {
  const bool mapped = zeros(id, 10) && id[10] == std::byte{0xFF} && id[11] == std::byte{0xFF};
  const bool loopback = zeros(id, 15) && id[15] <= std::byte{1};  // :: and ::1 are IPv6
  return mapped || (zeros(id, kIpv4At) && !loopback);
}

SocketAddress address_of(const HostId& id, std::uint16_t port) noexcept {
  SocketAddress address;
  if (holds_ipv4(id)) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    std::memcpy(&in.sin_addr, id.data() + kIpv4At, sizeof in.sin_addr);
    std::memcpy(&address.storage, &in, sizeof in);
    address.size = sizeof in;
  } else {
    sockaddr_in6 in{};
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(port);
    std::memcpy(&in.sin6_addr, id.data(), id.size());
    std::memcpy(&address.storage, &in, sizeof in);
    address.size = sizeof in;
  }
  return address;
}

HostId host_id_of(const SocketAddress& address) noexcept {
  HostId id{};
  if (address.storage.ss_family == AF_INET) {
    sockaddr_in in;
    std::memcpy(&in, &address.storage, sizeof in);
    id[10] = id[11] = std::byte{0xFF};
    std::memcpy(id.data() + kIpv4At, &in.sin_addr, sizeof in.sin_addr);
  } else if (address.storage.ss_family == AF_INET6) {
    sockaddr_in6 in;
    std::memcpy(&in, &address.storage, sizeof in);
    std::memcpy(id.data(), &in.sin6_addr, id.size());
  }
  return id;
}

std::uint16_t port_of(const SocketAddress& address) noexcept {
  sockaddr_in in;  // the port stands at the same place in both families
  std::memcpy(&in, &address.storage, sizeof in);
  return ntohs(in.sin_port);
}

std::string text_of(const HostId& id) {
  char text[INET6_ADDRSTRLEN] = "";
  if (holds_ipv4(id))
    inet_ntop(AF_INET, id.data() + kIpv4At, text, sizeof text);
  else
    inet_ntop(AF_INET6, id.data(), text, sizeof text);
  return text;
}

std::string text_of(const SocketAddress& address) {
  const HostId id = host_id_of(address);
  const std::string host = holds_ipv4(id) ? text_of(id) : "[" + text_of(id) + "]";
  return host + ":" + std::to_string(port_of(address));
}

Outcome<SocketAddress> resolve(const std::string& host_port) {
  const auto words = split(host_port);
  if (!words.ok()) return words.fault();
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(words.value().host.c_str(), words.value().port.c_str(), &hints, &found);
  if (error != 0 || found == nullptr)
    return Fault{"no address for '" + words.value().host + "': " + gai_strerror(error)};
  SocketAddress address;
  std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
  address.size = found->ai_addrlen;
  freeaddrinfo(found);
  return address;
}

}  // namespace tessera::impi
