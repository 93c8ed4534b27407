// SPDX-License-Identifier: BSD-3-Clause
// IP addresses: parsing, printing, and which network they belong to.
#include "address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace tessera::btl::tcp {
namespace {

// Whether the first `prefix` bits of two byte strings agree.
bool same_prefix(const std::byte* a, const std::byte* b, unsigned prefix) noexcept {
  const std::size_t whole = prefix / 8;
  if (std::memcmp(a, b, whole) != 0) return false;
  const unsigned rest = prefix % 8;
  if (rest == 0) return true;
  const auto mask = static_cast<std::byte>(0xff00u >> rest);
  return (a[whole] & mask) == (b[whole] & mask);
}

bool in_block(const Address& address, const char* block) {
  const auto network = Network::parse(block);
  return network && network->contains(address);
}

}  // namespace

Address Address::v4(const std::byte* network_order) noexcept {
  Address address;
  std::copy_n(network_order, 4, address.bytes_.begin());
  return address;
}

Address Address::v6(const std::byte* network_order) noexcept {
  static constexpr std::array<unsigned char, 12> mapped = {0, 0, 0, 0, 0,    0,
                                                           0, 0, 0, 0, 0xff, 0xff};
  if (std::memcmp(network_order, mapped.data(), mapped.size()) == 0)
    return v4(network_order + mapped.size());
  Address address;
  address.v4_ = false;
  std::copy_n(network_order, 16, address.bytes_.begin());
  return address;
}

std::optional<Address> Address::parse(const std::string& text) {
  std::array<std::byte, 16> raw{};
  if (inet_pton(AF_INET, text.c_str(), raw.data()) == 1) return v4(raw.data());
  if (inet_pton(AF_INET6, text.c_str(), raw.data()) == 1) return v6(raw.data());
  return std::nullopt;
}

std::optional<Address> Address::of(const sockaddr* from) noexcept {
  if (from == nullptr) return std::nullopt;
  if (from->sa_family == AF_INET) {
    sockaddr_in in;
    std::memcpy(&in, from, sizeof in);
    return v4(reinterpret_cast<const std::byte*>(&in.sin_addr));
  }
  if (from->sa_family == AF_INET6) {
    sockaddr_in6 in;
    std::memcpy(&in, from, sizeof in);
    return v6(reinterpret_cast<const std::byte*>(&in.sin6_addr));
  }
  return std::nullopt;
}

bool Address::is_loopback() const noexcept {
  return in_block(*this, v4_ ? "127.0.0.0/8" : "::1/128");
}

bool Address::is_link_local() const noexcept {
  return in_block(*this, v4_ ? "169.254.0.0/16" : "fe80::/10");
}

bool Address::is_private() const noexcept {
  if (!v4_) return in_block(*this, "fc00::/7");
  return in_block(*this, "10.0.0.0/8") || in_block(*this, "172.16.0.0/12") ||
         in_block(*this, "192.168.0.0/16");
}

bool Address::in_network(const Address& network, unsigned prefix) const noexcept {
  return v4_ == network.v4_ && same_prefix(bytes(), network.bytes(), std::min(prefix, bits()));
}

std::string Address::text() const {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  inet_ntop(v4_ ? AF_INET : AF_INET6, bytes_.data(), buffer.data(),
            static_cast<socklen_t>(buffer.size()));
  return buffer.data();
}

SocketAddress::SocketAddress(const Address& address, std::uint16_t port) noexcept {
  if (address.is_v4()) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    std::memcpy(&in.sin_addr, address.bytes(), 4);
    std::memcpy(&storage_, &in, sizeof in);
    size_ = sizeof in;
  } else {
    sockaddr_in6 in{};
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(port);
    std::memcpy(&in.sin6_addr, address.bytes(), 16);
    std::memcpy(&storage_, &in, sizeof in);
    size_ = sizeof in;
  }
}

std::string with_port(const Address& address, std::uint16_t port) {
  std::string text = address.text();
  if (!address.is_v4()) text = std::string(1, '[').append(text).append(1, ']');
  return text.append(":").append(std::to_string(port));
}

std::optional<Network> Network::parse(std::string_view text) {
  const auto slash = text.find('/');
  const auto base = Address::parse(std::string(text.substr(0, slash)));
  if (!base) return std::nullopt;
  if (slash == std::string_view::npos) return Network{*base, base->bits()};
  const std::string_view digits = text.substr(slash + 1);
  unsigned prefix = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), prefix);
  if (error != std::errc{} || end != digits.data() + digits.size() || prefix > base->bits())
    return std::nullopt;
  return Network{*base, prefix};
}

}  // namespace tessera::btl::tcp
