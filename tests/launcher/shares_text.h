// SPDX-License-Identifier: BSD-3-Clause
// Shares of hosts as text: "a:2 b:1 ".
#pragma once

#include <string>
#include <vector>

#include "launcher/across/plan.h"

namespace tessera::launcher::across {

inline std::string shares_text(const std::vector<Share>& shares) {
  std::string text;
  for (const Share& share : shares) text += share.host + ":" + std::to_string(share.ranks) + " ";
  return text;
}

}  // namespace tessera::launcher::across
