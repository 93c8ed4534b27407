// SPDX-License-Identifier: BSD-3-Clause
// What a port is called, and so where to go: PortName.
#pragma once
//
// The text has no blanks and nothing that a shell would interpret:
//
//     tessera1@ID@KEY@HOST@ADDRESS-PORT,ADDRESS-PORT
//
// ID names the port's abstract Unix address on its host, HOST the network stack that has it (boot
// id and network namespace), KEY is what a caller must show. The IP addresses are for other hosts.
// A reader of the text can connect: pass it on like a password.
//
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/status.h"

namespace tessera {

inline constexpr std::size_t kMostPortName = 1023;  // MPI_MAX_PORT_NAME less its end

struct PortAddress {
  std::string address;  // as inet_ntop(3) writes it
  std::uint16_t port = 0;
};

struct PortName {
  std::uint64_t id = 0;
  std::array<std::uint64_t, 2> key{};
  std::uint64_t host = 0;
  std::vector<PortAddress> addresses;

  std::string text() const;
  static std::optional<PortName> parse(std::string_view text);
};

// A number for the network stack of this process, the same in all processes that share it, pid
// namespace included.
std::uint64_t this_network_stack() noexcept;

}  // namespace tessera
