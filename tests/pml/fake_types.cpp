// SPDX-License-Identifier: BSD-3-Clause
// A PackCursor for the datatypes of fake_types.h, so that the pml is tested without the engine's
// datatypes.
#include "fake_types.h"

#include <algorithm>
#include <cstring>

namespace tessera {

PackCursor::PackCursor(const Datatype& type, const void* buffer, Count count) noexcept
    : type_(&type),
      buffer_(static_cast<std::byte*>(const_cast<void*>(buffer))),
      count_(count),
      total_(static_cast<std::size_t>(count * type.size())) {}

std::span<std::byte> PackCursor::run() const noexcept {
  if (remaining() == 0) return {};
  const auto block = static_cast<std::size_t>(type_->size());
  const std::size_t element = position_ / block;
  const std::size_t inside = position_ % block;
  return {buffer_ + element * static_cast<std::size_t>(type_->extent()) + inside, block - inside};
}

std::size_t PackCursor::pack(void* out, std::size_t bytes) noexcept {
  const std::size_t wanted = std::min(bytes, remaining());
  for (std::size_t done = 0; done < wanted;) {
    const auto part = run().first(std::min(run().size(), wanted - done));
    std::memcpy(static_cast<std::byte*>(out) + done, part.data(), part.size());
    done += part.size();
    position_ += part.size();
  }
  return wanted;
}

std::size_t PackCursor::unpack(const void* in, std::size_t bytes) noexcept {
  const std::size_t wanted = std::min(bytes, remaining());
  for (std::size_t done = 0; done < wanted;) {
    const auto part = run().first(std::min(run().size(), wanted - done));
    std::memcpy(part.data(), static_cast<const std::byte*>(in) + done, part.size());
    done += part.size();
    position_ += part.size();
  }
  return wanted;
}

void PackCursor::seek(std::size_t position) noexcept {
  position_ = position;
}

namespace test {

const Datatype& bytes() noexcept {
  static const ByteType type;
  return type;
}

std::vector<std::byte> packed(const Datatype& type, const void* buffer, Count count) {
  PackCursor cursor(type, buffer, count);
  std::vector<std::byte> out(cursor.total());
  cursor.pack(out.data(), out.size());
  return out;
}

}  // namespace test
}  // namespace tessera
