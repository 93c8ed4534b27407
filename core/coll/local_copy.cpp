// SPDX-License-Identifier: BSD-3-Clause
// Moving data from one typed buffer to another within a process.
#include "core/coll/local_copy.h"

#include <algorithm>

#include "tessera/copy.h"

namespace tessera::coll {

namespace {

bool contiguous(const Datatype* type) noexcept {
  return type == nullptr || type->contiguous();
}

std::size_t bytes(Count count, const Datatype* type) noexcept {
  return static_cast<std::size_t>(type != nullptr ? count * type->size() : count);
}

// Two cursors; each run of the source is handed to the target without a buffer between them.
void copy_runs(PackCursor from, PackCursor to) noexcept {
  while (from.remaining() > 0 && to.remaining() > 0) {
    const std::span<std::byte> run = from.run();
    const std::size_t copied = to.unpack(run.data(), run.size());
    from.seek(from.position() + copied);
  }
}

}  // namespace

void local_copy(const void* from, Count from_count, const Datatype* from_type, void* to,
                Count to_count, const Datatype* to_type) noexcept {
  const std::size_t amount = std::min(bytes(from_count, from_type), bytes(to_count, to_type));
  if (amount == 0) return;
  if (contiguous(from_type) && contiguous(to_type)) {
    if (from != to) copy_memory(to, from, amount);
  } else if (contiguous(from_type)) {
    PackCursor(*to_type, to, to_count).unpack(from, amount);
  } else if (contiguous(to_type)) {
    PackCursor(*from_type, from, from_count).pack(to, amount);
  } else {
    copy_runs(PackCursor(*from_type, from, from_count), PackCursor(*to_type, to, to_count));
  }
}

}  // namespace tessera::coll
