// SPDX-License-Identifier: BSD-3-Clause
// Where processes of other systems connect to this one.
#pragma once

#include <string>

#include "impi/wire/packet.h"
#include "tessera/status.h"

namespace tessera::impi {

struct Listener {
  int descriptor = -1;
  HostId address{};  // as others are told
  std::uint16_t port = 0;
};

// Listens at `address`, or, where it is empty, at the one from which `server` (HOST:PORT) is
// reached. argument: not an address of this machine.
Result<Listener> listen_at(const std::string& address, const std::string& server);

}  // namespace tessera::impi
