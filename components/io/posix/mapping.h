// SPDX-License-Identifier: BSD-3-Clause
// Many small pieces are stored into the page cache through a mapping, without a call for each.
#pragma once
//
// Contract. write() touches the bytes of the list and no other: nothing is read in order to be
// written back, so pieces of others between those of the list are safe, whoever writes them and
// however. A call writes the last piece, so that the file is long enough and has its time of
// change; the pages of the rest are made present and writable by the kernel, which says so where
// storage is full or broken; then the pieces are copied. The mapping stays for the next list.
// Making pages writable for the first time costs as much as calls for pieces of a page; so pieces
// of more than half a page are mapped where the same place is written again, and all of it has
// storage: no hole is filled that nobody asked to fill.
// Several threads may call; one of them maps at a time.
//
#include <atomic>
#include <mutex>

#include "transfer.h"

namespace tessera::io::posix {

class Mapping {
 public:
  Mapping() = default;
  Mapping(const Mapping&) = delete;
  ~Mapping() { release(); }

  // From now on lists may be mapped.
  void allow() noexcept { allowed_ = true; }
  // True: the list is written, whole. False: it is not, or in part, and no error is told: the
  // caller writes it by calls, which tell.
  bool write(const OpenFile& file, std::span<const Extent> list) noexcept;
  // Whether lists of so many pieces, in a range that is written again, go through the mapping.
  bool stores(const OpenFile& file, Range hull, Offset bytes, Offset pieces) noexcept;
  void release() noexcept;

 private:
  bool reach(const OpenFile& file, Range range) noexcept;
  bool populate(Range range) noexcept;
  bool again(Range range) noexcept;

  std::atomic<bool> allowed_{false};
  std::mutex turn_;
  std::byte* memory_ = nullptr;
  Offset first_ = 0;   // of the file, at memory_
  Range known_{0, 0};  // of the file, asked for before
};

}  // namespace tessera::io::posix
