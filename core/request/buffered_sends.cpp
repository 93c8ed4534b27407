// SPDX-License-Identifier: BSD-3-Clause
// Buffered mode over nonblocking sends of packed bytes.
#include "core/request/buffered_sends.h"

#include <algorithm>
#include <string>

#include "core/datatype/predefined.h"
#include "core/object/freed_objects.h"

namespace tessera {

// Polls until the messages have left.
class BufferedSends::Flush final : public Request, private Poller {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::request); }
  explicit Flush(BufferedSends& sends) noexcept : sends_(sends), end_(sends.sent_) {
    begin();
    status_ = {};
    retain();  // the operation's own reference, until it is complete
    sends_.progress_->add(*this);
  }
  void free() noexcept override { release(); }

 private:
  int poll() noexcept override {
    if (!sends_.left(end_)) return 0;
    sends_.progress_->remove(*this);
    finish();
    release();
    return 1;
  }
  BufferedSends& sends_;
  std::uint64_t end_;
};

Status BufferedSends::attachable() const noexcept {
  if (!attached()) return {};
  return Status::failure(Errc::argument,
                         automatic_ ? "MPI_BUFFER_AUTOMATIC is attached already; detach it first"
                                    : "a buffer of " + std::to_string(bytes_) +
                                          " bytes is attached already; detach it first");
}

Status BufferedSends::attach(void* buffer, std::size_t bytes) noexcept {
  if (Status s = attachable(); !s) return s;
  buffer_ = static_cast<std::byte*>(buffer);
  bytes_ = bytes;
  return {};
}

Status BufferedSends::attach_automatic() noexcept {
  if (Status s = attachable(); !s) return s;
  automatic_ = true;
  return {};
}

std::pair<void*, std::size_t> BufferedSends::detach() noexcept {
  flush();
  automatic_ = false;
  return {std::exchange(buffer_, nullptr), std::exchange(bytes_, 0)};
}

Result<Request*> BufferedSends::begin_flush() noexcept {
  Request* flush = new (std::nothrow) Flush(*this);
  if (flush == nullptr) return Errc::no_memory;
  return flush;
}

bool BufferedSends::left(std::uint64_t end) noexcept {
  reclaim();
  return std::none_of(slots_.begin(), slots_.end(),
                      [&](const Slot& slot) { return slot.number < end; });
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
    charged_ -= slot->charge;
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

Result<BufferedSends::Room> BufferedSends::own_memory_for(std::size_t data,
                                                          std::size_t charge) noexcept {
  std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[data + 1]);
  if (memory == nullptr)
    return Status::failure(Errc::no_memory, "no memory for a buffered message");
  std::byte* place = memory.get();
  return Room{place, slots_.begin(), {0, 0, charge, nullptr, sent_, std::move(memory)}};
}

Result<BufferedSends::Room> BufferedSends::room_for(std::size_t data) noexcept {
  const std::size_t bytes = data + kOverhead;
  if (bytes > bytes_ - charged_) {
    progress_->poll();  // one more chance: something may have left meanwhile
    reclaim();
  }
  if (bytes > bytes_ - charged_) {
    return Status::failure(Errc::no_space,
                           "the message needs " + std::to_string(bytes) + " bytes of buffer (" +
                               std::to_string(data) + " of data and MPI_BSEND_OVERHEAD), " +
                               std::to_string(bytes_ - charged_) + " of " + std::to_string(bytes_) +
                               " attached bytes are free; MPI_Buffer_attach a larger one");
  }
  std::size_t offset = 0;
  const auto next = find_gap(bytes, offset);
  if (offset > bytes_) return own_memory_for(data, bytes);
  return Room{buffer_ + offset + kOverhead, next, {offset, bytes, bytes, nullptr, sent_, nullptr}};
}

Status BufferedSends::send(pml::Module& pml, const pml::SendArgs& args, PackedForm form) noexcept {
  reclaim();
  const auto& type = as_object(*args.type);
  const Count size = packed_size(type, args.count, form).value();
  const auto bytes = static_cast<std::size_t>(size);
  auto room = automatic_ ? own_memory_for(bytes, 0) : room_for(bytes);
  if (!room.ok()) return room.status();
  if (Status s = pack_data(type, args.buffer, args.count, form, room->place); !s) return s;
  pml::SendArgs packed = args;
  packed.buffer = room->place;
  packed.count = size;
  packed.type = &byte_type();
  if (form == PackedForm::native && pml.compares_types())
    packed.mark = pml::signature_mark(type, args.count);
  auto request = pml.isend(packed);
  if (!request.ok()) return request.status();
  room->slot.request = *request;
  charged_ += room->slot.charge;
  ++sent_;
  slots_.insert(room->next, std::move(room->slot));
  return {};
}

}  // namespace tessera
