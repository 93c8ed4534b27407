// SPDX-License-Identifier: BSD-3-Clause
// NewPages: asks the kernel for one page.
#include "new_pages.h"

#include <sys/mman.h>

#include "tessera/cpu.h"

namespace tessera::ob1 {

// A page in the second half, where two processes that copy would meet.
void NewPages::look(const std::byte* buffer, std::uint64_t bytes) noexcept {
  const std::byte* const inside = buffer + bytes / 4 * 3;
  const auto offset = reinterpret_cast<std::uintptr_t>(inside) % kPage;
  unsigned char resident = 1;
  const bool known = mincore(const_cast<std::byte*>(inside - offset), 1, &resident) == 0;
  expected_ = known && (resident & 1) == 0;
  since_look_ = 0;
}

}  // namespace tessera::ob1
