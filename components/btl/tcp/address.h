// SPDX-License-Identifier: BSD-3-Clause
// IP addresses, networks and socket addresses as values.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::btl::tcp {

// An IPv4 or IPv6 address without a port. An IPv4 address that came mapped into IPv6 is held as
// IPv4.
class Address {
 public:
  Address() = default;
  static Address v4(const std::byte* network_order) noexcept;  // 4 bytes
  static Address v6(const std::byte* network_order) noexcept;  // 16 bytes
  static std::optional<Address> parse(const std::string& text);
  static std::optional<Address> of(const sockaddr* from) noexcept;  // none: another family

  bool is_v4() const noexcept { return v4_; }
  std::size_t size() const noexcept { return v4_ ? 4 : 16; }  // bytes
  unsigned bits() const noexcept { return v4_ ? 32 : 128; }
  const std::byte* bytes() const noexcept { return bytes_.data(); }
  bool is_loopback() const noexcept;
  bool is_link_local() const noexcept;
  bool is_private() const noexcept;  // RFC 1918, RFC 4193
  bool in_network(const Address& network, unsigned prefix) const noexcept;
  bool operator==(const Address& other) const noexcept = default;
  std::string text() const;

 private:
  std::array<std::byte, 16> bytes_{};
  bool v4_ = true;
};

// An address with a port, in the form that socket calls take.
class SocketAddress {
 public:
  SocketAddress(const Address& address, std::uint16_t port) noexcept;
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t size() const noexcept { return size_; }
  int family() const noexcept { return storage_.ss_family; }

 private:
  sockaddr_storage storage_{};
  socklen_t size_ = 0;
};

// "192.0.2.1:4711" or "[2001:db8::1]:4711".
std::string with_port(const Address& address, std::uint16_t port);

// A CIDR block: "192.0.2.0/24", "fd00::/8"; a bare address is the block of itself.
struct Network {
  Address base;
  unsigned prefix = 0;  // leading bits that count

  static std::optional<Network> parse(std::string_view text);
  bool contains(const Address& address) const noexcept { return address.in_network(base, prefix); }
};

}  // namespace tessera::btl::tcp
