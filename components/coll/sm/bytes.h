// SPDX-License-Identifier: BSD-3-Clause
// (buffer, count, type) as a row of bytes that can be read and written from any position: Bytes.
#pragma once

#include <algorithm>
#include <cstring>

#include "tessera/coll.h"
#include "tessera/copy.h"

namespace tessera::coll::sm {

class Bytes {
 public:
  // The type is committed and outlives this object; `buffer` is written by write() only.
  Bytes(const void* buffer, Count count, const Datatype& type) noexcept
      : buffer_(static_cast<std::byte*>(const_cast<void*>(buffer))), count_(count), type_(type) {}

  std::size_t total() const noexcept { return static_cast<std::size_t>(count_ * type_.size()); }

  [[gnu::hot]] void read(std::size_t position, std::byte* out, std::size_t bytes) const noexcept {
    if (type_.contiguous()) {
      copy_near(out, buffer_ + position, bytes);
    } else {
      at(position).pack(out, bytes);
    }
  }
  [[gnu::hot]] void write(std::size_t position, const std::byte* in,
                          std::size_t bytes) const noexcept {
    if (type_.contiguous()) {
      copy_memory(buffer_ + position, in, bytes);
    } else {
      at(position).unpack(in, bytes);
    }
  }
  // All of `from`, which has as many bytes and does not overlap.
  [[gnu::hot]] void copy(const Bytes& from) const noexcept {
    if (total() == 0) return;  // then either buffer may be null
    if (type_.contiguous() && from.type_.contiguous())
      return copy_memory(buffer_, from.buffer_, total());
    if (type_.contiguous()) return from.read(0, buffer_, total());
    std::byte chunk[4096];
    for (std::size_t position = 0; position < total();) {
      const std::size_t bytes = std::min(sizeof chunk, total() - position);
      from.read(position, chunk, bytes);
      write(position, chunk, bytes);
      position += bytes;
    }
  }

 private:
  PackCursor at(std::size_t position) const noexcept {
    PackCursor cursor(type_, buffer_, count_);
    cursor.seek(position);
    return cursor;
  }

  std::byte* buffer_;
  Count count_;
  const Datatype& type_;
};

// Goes through the positions of a block of `total` bytes, at most `most` of them at a time.
template <class Body>
void in_chunks(std::size_t total, std::size_t most, Body body) noexcept {
  for (std::size_t position = 0; position < total;) {
    const std::size_t bytes = std::min(most, total - position);
    body(position, bytes);
    position += bytes;
  }
}

// Block i of `count` elements each.
inline Bytes block(const Side& side, int i) noexcept {
  const Aint offset = static_cast<Aint>(i) * side.count * side.type->extent();
  return {static_cast<std::byte*>(side.buffer) + offset, side.count, *side.type};
}

}  // namespace tessera::coll::sm
