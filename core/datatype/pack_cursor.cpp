// SPDX-License-Identifier: BSD-3-Clause
// PackCursor over dense data.
#include <algorithm>
#include <cstring>

#include "tessera/data.h"

namespace tessera {

PackCursor::PackCursor(const Datatype& type, const void* buffer, Count count) noexcept
    : type_(&type),
      buffer_(static_cast<std::byte*>(const_cast<void*>(buffer))),
      count_(count),
      total_(static_cast<std::size_t>(count * type.size())) {}

std::size_t PackCursor::pack(void* out, std::size_t bytes) noexcept {
  const std::size_t n = std::min(bytes, remaining());
  if (n > 0) std::memcpy(out, buffer_ + position_, n);
  position_ += n;
  return n;
}

std::size_t PackCursor::unpack(const void* in, std::size_t bytes) noexcept {
  const std::size_t n = std::min(bytes, remaining());
  if (n > 0) std::memcpy(buffer_ + position_, in, n);
  position_ += n;
  return n;
}

std::span<std::byte> PackCursor::run() const noexcept {
  return {buffer_ + position_, remaining()};
}

void PackCursor::seek(std::size_t position) noexcept {
  position_ = position;
}

}  // namespace tessera
