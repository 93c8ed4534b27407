// SPDX-License-Identifier: BSD-3-Clause
// Lists of extents through preadv(2) and pwritev(2).
#pragma once

#include <string>

#include "tessera/io.h"

namespace tessera::io::posix {

struct OpenFile {
  int descriptor;
  bool positioned;
  const std::string& path;
};

// Extents that are adjacent in the file share a system call. Interrupted and short calls are
// continued until all is done, the file ends (reading), or the system says why not.
Outcome read_list(const OpenFile& file, std::span<const Extent> list) noexcept;
Outcome write_list(const OpenFile& file, std::span<const Extent> list) noexcept;

}  // namespace tessera::io::posix
