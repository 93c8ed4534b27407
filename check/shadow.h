// SPDX-License-Identifier: BSD-3-Clause
// Memory that stands in for a receive buffer: Shadow.
#pragma once
//
// Contract. Pages that the program may not touch cannot be received into either, by the system or
// by other processes. So a receive that may be guarded gets other memory, and give() copies what
// has arrived to the buffer of the program, whose other bytes stay as they are. A buffer has a
// shadow if it is one piece of private memory with a whole page in it; a quarter of the memory of
// the machine, divided by its processors, is the limit of all shadows of a process. The program may
// have given its buffer back meanwhile: then nothing is copied.
//
#include <cstddef>
#include <cstdint>

#include "check/call.h"

namespace tessera::check {

class Shadow {
 public:
  Shadow() = default;
  // `comes`: a message is received, not nothing from MPI_PROC_NULL.
  Shadow(const Buffer& buffer, bool comes) noexcept;
  ~Shadow();
  Shadow(Shadow&& other) noexcept;
  Shadow& operator=(Shadow&& other) noexcept;

  explicit operator bool() const noexcept { return memory_ != nullptr; }
  // What the receive gets in place of `buffer`.
  void* in_place_of(void* buffer) const noexcept { return memory_ != nullptr ? memory_ : buffer; }
  // The whole pages of the program's buffer.
  std::uintptr_t first_page() const noexcept;
  std::uintptr_t end_of_pages() const noexcept;
  // Whether these may be read and written now, and belong to this process alone.
  bool over_private_memory() const noexcept;
  // Copies the first `bytes` that were received, in the order of the type.
  void give(std::size_t bytes) const noexcept;

 private:
  void give_part_of_element(std::size_t at, std::size_t bytes) const;
  std::byte* memory_ = nullptr;
  std::uintptr_t buffer_ = 0;
  std::size_t bytes_ = 0;
  std::size_t element_ = 1;                // what has the bytes of memory in another order at most
  MPI_Datatype type_ = MPI_DATATYPE_NULL;  // of such elements, its own; null: bytes
};

}  // namespace tessera::check
