// SPDX-License-Identifier: BSD-3-Clause
// The part of a file that an aggregator has in memory during one round.
#pragma once
//
// Contract. Strips of several processes are laid into it, or taken out of it; it knows which of its
// bytes were laid in, and writes those and no other.
//
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/io/view.h"

namespace tessera::io {

class Window {
 public:
  // False: there is no memory.
  bool reserve(Offset bytes) noexcept;
  // From now on it is this part of the file, and empty; end - first <= the bytes reserved.
  void set(Offset first, Offset end) noexcept;
  Offset first() const noexcept { return first_; }
  Offset end() const noexcept { return end_; }

  // The strips lie in the window; `data` is their stream.
  void lay(std::span<const Strip> strips, const std::byte* data) noexcept;
  void take(std::span<const Strip> strips, std::byte* data) const noexcept;

  Status write(Driver& driver) noexcept;
  // kFileError: the file ends before `end`.
  Status read(Driver& driver, Offset first, Offset end) noexcept;

 private:
  void cover(Offset offset, Offset bytes) noexcept;
  Offset next_covered(Offset from, bool covered) const noexcept;

  std::unique_ptr<std::byte[]> bytes_;
  std::vector<std::uint64_t> covered_;  // a bit per byte
  Offset first_ = 0;
  Offset end_ = 0;
};

}  // namespace tessera::io
