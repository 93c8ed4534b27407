// SPDX-License-Identifier: BSD-3-Clause
// Host identifiers of 16 bytes, and the addresses that stand in them.
#pragma once
//
// Contract. An IPv4 address is sent in the mapped form (::ffff:a.b.c.d); as an address to connect
// to, the mapped and the compatible form (::a.b.c.d) are understood. As identities, host ids are
// compared byte by byte.
//
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>

#include "impi/wire/outcome.h"
#include "impi/wire/packet.h"

namespace tessera::impi {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
};

bool holds_ipv4(const HostId& id) noexcept;  // mapped or compatible
SocketAddress address_of(const HostId& id, std::uint16_t port) noexcept;
HostId host_id_of(const SocketAddress& address) noexcept;
std::uint16_t port_of(const SocketAddress& address) noexcept;

std::string text_of(const HostId& id);              // "10.0.0.1", "fe80::1"
std::string text_of(const SocketAddress& address);  // "10.0.0.1:5000", "[fe80::1]:5000"

// "HOST:PORT", HOST a name, an IPv4 address or an IPv6 address in brackets. May ask a name server.
Outcome<SocketAddress> resolve(const std::string& host_port);

}  // namespace tessera::impi
