// SPDX-License-Identifier: BSD-3-Clause
// Where the first carrier is called by the others: Address.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::launcher::carrier {

struct Address {
  sockaddr_storage socket;
  socklen_t bytes;
};

std::string text_of(const Address& address);
// One for each interface that is up; those of loopback alone, or where a machine has no others.
std::vector<Address> own_addresses(std::uint16_t port, bool loopback = false);
// A socket for both families where there are both; -1: there is none.
int listen_anywhere(std::uint16_t& port) noexcept;
// Calls all addresses at once; the first that takes the call has it. -1: none did in time.
int call_any(const std::vector<Address>& addresses, std::int64_t limit_ms) noexcept;
// CLOCK_MONOTONIC
std::int64_t now_ms() noexcept;

}  // namespace tessera::launcher::carrier
