// SPDX-License-Identifier: BSD-3-Clause
// The memory of one window: an anonymous memory object that all its processes map.
#pragma once
//
// Rank 0 makes the object; the others open it through /proc, then nobody keeps a descriptor: the
// mappings alone hold the memory, which is gone with the last of them, also after a crash. Every
// process commits its own part (so that the pages are near to it) before anybody touches it: lack
// of memory is a failure of make() and never a SIGBUS.
//
#include <cstdint>
#include <vector>

#include "tessera/osc.h"

namespace tessera::osc::sm {

class Memory {
 public:
  Memory() = default;
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Collective.
  Status make(Window& window, std::size_t control_bytes) noexcept;

  std::byte* control() const noexcept { return control_; }
  std::int32_t pid(int rank) const noexcept { return pids_[static_cast<std::size_t>(rank)]; }
  // The part of a process; windows of memory that the program gave have none.
  std::byte* part(int rank) const noexcept {
    return data_ != nullptr ? data_ + offsets_[static_cast<std::size_t>(rank)] : nullptr;
  }

 private:
  struct Greeting;
  Status lay_out(const Window& window, std::size_t control_bytes, std::uint64_t alignment);
  Status open(const Window& window, const Greeting& leader, int& descriptor) const noexcept;
  Status commit(const Window& window, int descriptor) const noexcept;
  Status map(int descriptor) noexcept;

  std::vector<std::int32_t> pids_;
  std::vector<std::uint64_t> offsets_;  // of the parts, from the first one
  std::uint64_t alignment_ = 0;
  std::uint64_t control_bytes_ = 0;
  std::uint64_t data_offset_ = 0;  // in the object
  std::uint64_t total_ = 0;
  std::byte* data_ = nullptr;
  std::byte* control_ = nullptr;
  void* reserved_ = nullptr;
  std::size_t reserved_bytes_ = 0;
};

}  // namespace tessera::osc::sm
