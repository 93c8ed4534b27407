// SPDX-License-Identifier: BSD-3-Clause
// Whether the hosts that the user named are this machine.
#pragma once

#include <cstdint>
#include <string>

#include "launcher/command_line.h"
#include "tessera/status.h"

namespace tessera::launcher {

// What gethostname(2) says; never looked up anywhere.
std::string host_name();

// Fails when a host on the command line or in a host file is another machine. The value is the sum
// of the slots in the host files (0: none said).
Result<std::uint32_t> check_hosts(const CommandLine& line);

}  // namespace tessera::launcher
