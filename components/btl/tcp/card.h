// SPDX-License-Identifier: BSD-3-Clause
// The card a process publishes: where and how it can be called.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "address.h"
#include "interfaces.h"
#include "wire.h"

namespace tessera::btl::tcp {

// Tells apart network stacks: boot id of the machine and inode of the network namespace. Processes
// with equal ids share a loopback interface.
using HostId = std::array<std::byte, 24>;
HostId this_host() noexcept;

// The name of this machine, at most kNodeBytes of it.
inline constexpr std::size_t kNodeBytes = 63;
std::string this_node();

// 16 random bytes.
std::optional<Secret> make_secret() noexcept;  // none: the system gives no random numbers

struct Card {
  static constexpr std::size_t kMaxAddresses = 32;  // further ones are not published

  std::uint16_t port = 0;
  Secret door{};  // callers prove that they know it
  Secret sign{};  // the called process proves that it knows it
  HostId host{};
  std::string node;  // the name of the machine, for messages
  std::vector<Address> addresses;

  std::vector<std::byte> encode() const;
  static std::optional<Card> decode(
      std::span<const std::byte> bytes);  // none: not a card of this version
};

// The addresses of `card` worth calling from a process on `my_host` that uses `mine`, the most
// promising first: loopback if both share it, an address in one of my subnets, one of the same kind
// (private or public), any other of a family I have. Loopback addresses of other hosts are left
// out. Each link begins with another one of those that promise the same.
std::vector<Address> rank_addresses(const Card& card, const HostId& my_host,
                                    const std::vector<Interface>& mine, unsigned link = 0);

}  // namespace tessera::btl::tcp
