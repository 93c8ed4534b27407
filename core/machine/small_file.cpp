// SPDX-License-Identifier: BSD-3-Clause
#include "core/machine/small_file.h"

#include <fcntl.h>
#include <unistd.h>

namespace tessera::machine {

SmallFile::SmallFile(const char* path) noexcept {
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t got = descriptor >= 0 ? read(descriptor, text_, kMost) : 0;
  if (descriptor >= 0) close(descriptor);
  length_ = got > 0 ? static_cast<std::size_t>(got) : 0;
  text_[length_] = '\0';
}

}  // namespace tessera::machine
