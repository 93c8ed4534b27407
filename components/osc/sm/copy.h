// SPDX-License-Identifier: BSD-3-Clause
// Moving data between layouts, within the memory that this process can reach.
#pragma once

#include "tessera/osc.h"

namespace tessera::osc::sm {

struct Layout {
  void* buffer;
  Count count;
  const Datatype* type;
};

// Both have the same number of bytes of data; they do not overlap.
void copy_layouts(const Layout& to, const Layout& from) noexcept;

}  // namespace tessera::osc::sm
