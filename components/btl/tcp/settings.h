// SPDX-License-Identifier: BSD-3-Clause
// The component's parameters as one checked value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tessera/btl.h"
#include "tessera/param.h"

namespace tessera::btl::tcp {

// Ports a listener may take; 0..0 lets the kernel choose.
struct PortRange {
  std::uint16_t low = 0;
  std::uint16_t high = 0;
  bool any() const noexcept { return high == 0; }
  // "0", "4711" or "low..high". argument: anything else.
  static Result<PortRange> parse(std::string_view text);
  std::string text() const;
};

struct Settings {
  std::string if_include;
  std::string if_exclude;
  PortRange ports;
  unsigned links = 1;           // connections to each peer
  std::size_t sndbuf = 0;       // bytes; 0: the system's
  std::size_t rcvbuf = 0;       // bytes; 0: the system's
  std::size_t queue_limit = 0;  // bytes accepted for one peer that the kernel has not taken
  std::size_t zero_copy = 0;    // bytes of the least lent payload that is not copied; 0: none
  int connect_timeout_s = 0;
  int silence_s = 0;  // of a peer's machine until it is lost; 0: the system's rules
  int linger_ms = 0;
  Attributes attributes;
};

// argument: a port range that is none, or an eager limit that somebody chose and that no packet can
// carry.
Result<Settings> read_settings(const Params& params);

}  // namespace tessera::btl::tcp
