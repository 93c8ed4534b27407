// SPDX-License-Identifier: BSD-3-Clause
// What was counted, as text for people and programs.
#pragma once

#include <string>

#include "tessera/traffic.h"

namespace tessera::pml::monitoring {

using traffic::Traffic;

// What was sent, pair by pair, as lines of a table.
std::string table(const Traffic& traffic);
// The bytes of messages from each process (rows) to each other one (columns) as an SVG heat map.
// The traffic is complete.
std::string picture(const Traffic& traffic);

}  // namespace tessera::pml::monitoring
