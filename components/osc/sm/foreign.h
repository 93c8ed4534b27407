// SPDX-License-Identifier: BSD-3-Clause
// Data in the private memory of another process of the machine: process_vm_readv(2) and _writev(2).
#pragma once

#include "copy.h"

namespace tessera::osc::sm {

enum class Direction { write, read };

// Moves all data of `here` to or from `there`, whose buffer is an address of the process. Blocks
// are handed to the kernel as they are, many at a time. argument: some of it is not mapped there.
Status move_foreign(Direction direction, std::int32_t pid, const Layout& here,
                    const Layout& there) noexcept;

}  // namespace tessera::osc::sm
