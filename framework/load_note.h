// SPDX-License-Identifier: BSD-3-Clause
// Which component a process is opening, in memory that outlives it: LoadNote.
#pragma once

#include <cstddef>

namespace tessera {

// Written by the process while it opens a component, and empty else; read by whoever explains its
// end. All zeros is an empty one.
struct LoadNote {
  static constexpr std::size_t kBytes = 384;
  char text[kBytes];  // the file, and what to do about it; cut and terminated
};

}  // namespace tessera
