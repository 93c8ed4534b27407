// SPDX-License-Identifier: BSD-3-Clause
// A socket that listens for connections, and the address that others reach it by.
#pragma once

#include <cstdint>
#include <string>

#include "impi/wire/address.h"
#include "impi/wire/outcome.h"

namespace tessera::impi {

struct Listener {
  int socket = -1;      // non-blocking, closed on exec; the caller's
  std::string address;  // "10.0.0.1:5000"
};

// `address`: an address of this machine in dotted or colon form, or empty: all of IPv4; the one
// that is then told to others is the first that is up and no loopback.
Outcome<Listener> listen_at(const std::string& address, std::uint16_t port);

}  // namespace tessera::impi
