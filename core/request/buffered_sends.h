// SPDX-License-Identifier: BSD-3-Clause
// Buffered mode: the user's buffer and the messages in it. Source: MPI-5.0 §3.6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>

#include "core/datatype/packed.h"
#include "tessera/pml.h"

namespace tessera {

// Each message is charged its packed size plus kOverhead bytes of the attached buffer, from the
// call until it has left; those that left give theirs back at the next call. A message is refused
// only when the charges exceed the buffer, never where the model of MPI-5.0 §3.6 would take it:
// when what is free lies in pieces, the message gets memory of its own.
class BufferedSends {
 public:
  static constexpr std::size_t kOverhead = 512;  // MPI_BSEND_OVERHEAD

  explicit BufferedSends(Progress& progress) noexcept : progress_(&progress) {}
  ~BufferedSends() { flush(); }
  BufferedSends(const BufferedSends&) = delete;
  BufferedSends& operator=(const BufferedSends&) = delete;

  // argument: a buffer is attached already.
  Status attach(void* buffer, std::size_t bytes) noexcept;
  // From now on each message gets memory of its own (MPI_BUFFER_AUTOMATIC).
  Status attach_automatic() noexcept;
  bool automatic() const noexcept { return automatic_; }
  bool attached() const noexcept { return automatic_ || buffer_ != nullptr; }
  // Waits until all messages have left; hands the buffer back. Without one: null and 0.
  std::pair<void*, std::size_t> detach() noexcept;
  void flush() noexcept;
  // Complete when the messages that were sent before have left.
  Result<Request*> begin_flush() noexcept;
  // In the form that the receiver expects (packed_form()). no_space: the text says how much was
  // needed, how much is free and how much is attached.
  Status send(pml::Module& pml, const pml::SendArgs& args, PackedForm form) noexcept;

 private:
  class Flush;
  struct Slot {
    std::size_t offset;
    std::size_t bytes;  // of the user's buffer; 0 at 0 for a message in memory of its own
    std::size_t charge;
    Request* request;
    std::uint64_t number;  // of the message
    std::unique_ptr<std::byte[]> memory;
  };
  struct Room {
    std::byte* place;
    std::list<Slot>::iterator next;
    Slot slot;
  };
  Status attachable() const noexcept;
  Result<Room> room_for(std::size_t data) noexcept;
  Result<Room> own_memory_for(std::size_t data, std::size_t charge) noexcept;
  bool left(std::uint64_t end) noexcept;  // all messages with numbers below `end`
  void reclaim() noexcept;
  std::list<Slot>::iterator find_gap(std::size_t bytes, std::size_t& offset) noexcept;

  Progress* progress_;
  std::byte* buffer_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t charged_ = 0;
  bool automatic_ = false;
  std::uint64_t sent_ = 0;
  std::list<Slot> slots_;  // by offset
};

}  // namespace tessera
