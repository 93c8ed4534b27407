// SPDX-License-Identifier: BSD-3-Clause
// Buffered mode over nonblocking sends of packed bytes.
#include "core/buffered_sends.h"

#include <algorithm>
#include <string>

#include "core/datatype/predefined.h"

namespace tessera {

Status BufferedSends::attach(void* buffer, std::size_t bytes) noexcept {
  if (buffer_ != nullptr) {
    return Status::failure(Errc::argument, "a buffer of " + std::to_string(bytes_) +
                                               " bytes is attached already; detach it first");
  }
  buffer_ = static_cast<std::byte*>(buffer);
  bytes_ = bytes;
  return {};
}

std::pair<void*, std::size_t> BufferedSends::detach() noexcept {
  flush();
  return {std::exchange(buffer_, nullptr), std::exchange(bytes_, 0)};
}

void BufferedSends::flush() noexcept {
  progress_->wait_until([this] {
    reclaim();
    return slots_.empty();
  });
}

void BufferedSends::reclaim() noexcept {
  for (auto slot = slots_.begin(); slot != slots_.end();) {
    if (!slot->request->complete()) {
      ++slot;
      continue;
    }
    slot->request->free();
    slot = slots_.erase(slot);
  }
}

// The slot before which the first gap of `bytes` bytes lies, with the gap's offset.
std::list<BufferedSends::Slot>::iterator BufferedSends::find_gap(std::size_t bytes,
                                                                 std::size_t& offset) noexcept {
  offset = 0;
  for (auto slot = slots_.begin(); slot != slots_.end(); ++slot) {
    if (slot->offset - offset >= bytes) return slot;
    offset = slot->offset + slot->bytes;
  }
  if (bytes_ - offset < bytes) offset = bytes_ + 1;
  return slots_.end();
}

std::size_t BufferedSends::largest_gap() const noexcept {
  std::size_t end = 0;
  std::size_t largest = 0;
  for (const Slot& slot : slots_) {
    largest = std::max(largest, slot.offset - end);
    end = slot.offset + slot.bytes;
  }
  return std::max(largest, bytes_ - end);
}

Status BufferedSends::send(pml::Module& pml, const pml::SendArgs& args) noexcept {
  reclaim();
  PackCursor cursor(*args.type, args.buffer, args.count);
  const std::size_t bytes = ((cursor.total() + 7) & ~std::size_t{7}) + kOverhead;
  std::size_t offset = 0;
  auto next = find_gap(bytes, offset);
  if (offset > bytes_) {
    progress_->poll();  // one more chance: something may have left meanwhile
    reclaim();
    next = find_gap(bytes, offset);
  }
  if (offset > bytes_) {
    return Status::failure(
        Errc::no_space,
        "the message needs " + std::to_string(bytes) + " bytes of buffer (" + std::to_string(cursor.total()) +
            " of data and MPI_BSEND_OVERHEAD), the largest free piece has " + std::to_string(largest_gap()) +
            " of " + std::to_string(bytes_) + " attached bytes");
  }
  std::byte* copy = buffer_ + offset + kOverhead;
  cursor.pack(copy, cursor.total());
  pml::SendArgs packed = args;
  packed.buffer = copy;
  packed.count = static_cast<Count>(cursor.total());
  packed.type = &byte_type();
  auto request = pml.isend(packed);
  if (!request.ok()) return request.status();
  slots_.insert(next, {offset, bytes, *request});
  return {};
}

}  // namespace tessera
