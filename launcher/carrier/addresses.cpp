// SPDX-License-Identifier: BSD-3-Clause
// Interfaces, a listener, and a call to whichever address answers.
#include "launcher/carrier/addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace tessera::launcher::carrier {
namespace {

bool usable(const ifaddrs& one, bool loopback) noexcept {
  if (one.ifa_addr == nullptr || (one.ifa_flags & IFF_UP) == 0) return false;
  if (((one.ifa_flags & IFF_LOOPBACK) != 0) != loopback) return false;
  if (one.ifa_addr->sa_family == AF_INET) return true;
  return one.ifa_addr->sa_family == AF_INET6 &&
         !IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<sockaddr_in6*>(one.ifa_addr)->sin6_addr);
}

}  // namespace

std::int64_t now_ms() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1'000'000;
}

std::string text_of(const Address& address) {
  char text[INET6_ADDRSTRLEN] = "";
  const auto& any = address.socket;
  if (any.ss_family == AF_INET)
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(any).sin_addr, text, sizeof text);
  else
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(any).sin6_addr, text, sizeof text);
  return text;
}

std::vector<Address> own_addresses(std::uint16_t port, bool loopback) {
  std::vector<Address> found;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return found;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (!usable(*one, loopback)) continue;
    Address address{};
    const bool v4 = one->ifa_addr->sa_family == AF_INET;
    address.bytes = v4 ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    std::memcpy(&address.socket, one->ifa_addr, address.bytes);
    (v4 ? reinterpret_cast<sockaddr_in&>(address.socket).sin_port
        : reinterpret_cast<sockaddr_in6&>(address.socket).sin6_port) = htons(port);
    found.push_back(address);
  }
  freeifaddrs(list);
  // Where a machine has no network, all "hosts" are this one.
  return found.empty() && !loopback ? own_addresses(port, true) : found;
}

int listen_anywhere(std::uint16_t& port) noexcept {
  for (const int family : {AF_INET6, AF_INET}) {
    const int listener = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0) continue;
    const int off = 0;
    setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    sockaddr_storage any{};
    any.ss_family = static_cast<sa_family_t>(family);
    socklen_t bytes = family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    if (bind(listener, reinterpret_cast<sockaddr*>(&any), bytes) == 0 &&
        listen(listener, SOMAXCONN) == 0 &&
        getsockname(listener, reinterpret_cast<sockaddr*>(&any), &bytes) == 0) {
      port = ntohs(family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(any).sin6_port
                                      : reinterpret_cast<sockaddr_in&>(any).sin_port);
      return listener;
    }
    close(listener);
  }
  return -1;
}

int call_any(const std::vector<Address>& addresses, std::int64_t limit_ms) noexcept {
  std::vector<pollfd> calls;
  for (const Address& one : addresses) {
    const int type = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
    const int call = socket(one.socket.ss_family, type, 0);
    if (call < 0) continue;
    const auto* to = reinterpret_cast<const sockaddr*>(&one.socket);
    if (connect(call, to, one.bytes) == 0 || errno == EINPROGRESS)
      calls.push_back({call, POLLOUT, 0});
    else
      close(call);
  }
  int chosen = -1;
  const std::int64_t end = now_ms() + limit_ms;
  for (std::size_t open = calls.size(); open > 0 && chosen < 0 && now_ms() < end;) {
    if (poll(calls.data(), calls.size(), static_cast<int>(end - now_ms())) < 0) continue;
    for (pollfd& one : calls) {
      if (one.fd < 0 || one.revents == 0 || chosen >= 0) continue;
      int error = 0;
      socklen_t bytes = sizeof error;
      getsockopt(one.fd, SOL_SOCKET, SO_ERROR, &error, &bytes);
      if (error == 0) {
        chosen = std::exchange(one.fd, -1);
      } else {
        close(std::exchange(one.fd, -1));
        --open;
      }
    }
  }
  for (const pollfd& one : calls)
    if (one.fd >= 0) close(one.fd);
  return chosen;
}

}  // namespace tessera::launcher::carrier
