// SPDX-License-Identifier: BSD-3-Clause
// One pass where a side is contiguous or its blocks are long; otherwise by pieces that stay in the
// first cache, so that the kernels of packing serve both sides.
#include "copy.h"

#include <algorithm>
#include <cstring>

namespace tessera::osc::sm {
namespace {

// Measured: docs/decisions/0065.
constexpr std::size_t kPiece = 8 * 1024;
constexpr std::size_t kLongBlock = 512;

void by_blocks(PackCursor& to, PackCursor& from) noexcept {
  while (to.remaining() > 0) {
    const auto target = to.run();
    const auto source = from.run();
    const std::size_t bytes = std::min(target.size(), source.size());
    std::memmove(target.data(), source.data(), bytes);
    to.seek(to.position() + bytes);
    from.seek(from.position() + bytes);
  }
}

void by_pieces(PackCursor& to, PackCursor& from) noexcept {
  alignas(64) std::byte piece[kPiece];
  while (to.remaining() > 0) {
    const std::size_t bytes = from.pack(piece, sizeof piece);
    to.unpack(piece, bytes);
  }
}

}  // namespace

void copy_layouts(const Layout& to, const Layout& from) noexcept {
  const auto bytes = static_cast<std::size_t>(to.count * to.type->size());
  if (to.type->contiguous() && from.type->contiguous())
    return copy_bytes(to.buffer, from.buffer, bytes);
  PackCursor target(*to.type, to.buffer, to.count);
  PackCursor source(*from.type, from.buffer, from.count);
  if (to.type->contiguous()) {
    source.pack(to.buffer, bytes);
  } else if (from.type->contiguous()) {
    target.unpack(from.buffer, bytes);
  } else if (std::min(target.run().size(), source.run().size()) >= kLongBlock) {
    by_blocks(target, source);
  } else {
    by_pieces(target, source);
  }
}

}  // namespace tessera::osc::sm
