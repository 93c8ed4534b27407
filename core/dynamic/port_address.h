// SPDX-License-Identifier: BSD-3-Clause
// Socket addresses of ports and of other places where processes of one user meet.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace tessera {

// An abstract Unix address: it has no name in any file system, and vanishes with its socket.
struct UnixAddress {
  sockaddr_un address{};
  socklen_t bytes = 0;

  UnixAddress(const char* what, std::uint64_t id) noexcept {
    address.sun_family = AF_UNIX;
    const int length = std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1,
                                     "tessera/%s/%llx", what, static_cast<unsigned long long>(id));
    bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                   static_cast<std::size_t>(length));
  }
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&address); }
};

// Whether the process at the other end of a Unix socket belongs to the user of this one.
bool same_user(int socket) noexcept;

// The first that a caller says.
struct Greeting {
  std::uint64_t magic;
  std::array<std::uint64_t, 2> key;
};
inline constexpr std::uint64_t kGreeting = 0x3154454552475354;  // "TSGREET1"

// As inet_ntop(3) writes it; empty for families that are no IP, and for link-local addresses.
std::string text_of(const sockaddr& address);
// A socket that listens at an address (empty: all) and port (0: any, told in `number`); -1, errno.
int listening_socket(const std::string& address, std::uint16_t port, std::uint16_t& number);
// A socket that is being connected, without waiting; -1, errno.
int connecting_socket(const std::string& address, std::uint16_t port);

}  // namespace tessera
