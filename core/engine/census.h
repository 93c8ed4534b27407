// SPDX-License-Identifier: BSD-3-Clause
// What one process has at present, and has done: Census.
#pragma once

#include <cstdint>

namespace tessera {

// Plain numbers, read by tools from any thread; an answer may be a moment old.
struct Census {
  std::uint64_t communicators = 0;
  std::uint64_t windows = 0;
  std::uint64_t files = 0;
  std::uint64_t files_opened = 0;
  std::uint64_t collectives = 0;  // collective calls
};

}  // namespace tessera
