// SPDX-License-Identifier: BSD-3-Clause
// Moving data from one typed buffer to another within a process.
#pragma once

#include "tessera/data.h"

namespace tessera::coll {

// Copies min(source bytes, target bytes) of data in type-map order. A null type means bytes. No
// overlap, except that both may be the same contiguous buffer.
void local_copy(const void* from, Count from_count, const Datatype* from_type, void* to,
                Count to_count, const Datatype* to_type) noexcept;

}  // namespace tessera::coll
