// SPDX-License-Identifier: BSD-3-Clause
#include "impi/server/listener.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tessera::impi {
namespace {

constexpr int kBacklog = 64;

// The first IPv4 address of this machine that other machines can mean; its loopback where there is
// none.
std::string first_address() {
  ifaddrs* all = nullptr;
  std::string found = "127.0.0.1";
  if (getifaddrs(&all) != 0) return found;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    if ((one->ifa_flags & IFF_UP) == 0 || (one->ifa_flags & IFF_LOOPBACK) != 0) continue;
    SocketAddress address;
    std::memcpy(&address.storage, one->ifa_addr, sizeof(sockaddr_in));
    found = text_of(host_id_of(address));
    break;
  }
  freeifaddrs(all);
  return found;
}

Outcome<SocketAddress> parse_address(const std::string& text, std::uint16_t port) {
  HostId id{};
  if (text.empty()) {
    id[10] = id[11] = std::byte{0xFF};
  } else if (inet_pton(AF_INET, text.c_str(), id.data() + 12) == 1) {
    id[10] = id[11] = std::byte{0xFF};
  } else if (inet_pton(AF_INET6, text.c_str(), id.data()) != 1) {
    return Fault{"'" + text + "' is not an address such as 10.0.0.1 or fe80::1"};
  }
  return address_of(id, port);
}

}  // namespace

Outcome<Listener> listen_at(const std::string& address, std::uint16_t port) {
  auto parsed = parse_address(address, port);
  if (!parsed.ok()) return parsed.fault();
  SocketAddress& where = parsed.value();
  const int listener =
      socket(where.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int yes = 1;
  if (listener >= 0) setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (listener < 0 || bind(listener, where.get(), where.size) != 0 ||
      listen(listener, kBacklog) != 0) {
    const Fault fault{"cannot listen at " + text_of(where) + ": " + std::strerror(errno)};
    if (listener >= 0) close(listener);
    return fault;
  }
  getsockname(listener, where.get(), &where.size);
  const std::string told =
      address.empty() ? first_address() + ":" + std::to_string(port_of(where)) : text_of(where);
  return Listener{listener, told};
}

}  // namespace tessera::impi
