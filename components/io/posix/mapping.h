// SPDX-License-Identifier: BSD-3-Clause
// Many small pieces are copied to and from the page cache through a mapping, without a call for
// each.
#pragma once
//
// Contract. write() touches the bytes of the list and no other: nothing is read in order to be
// written back, so pieces of others between those of the list are safe, whoever writes them and
// however. Where the file is shortened during a copy, or its storage fails, the copy ends
// (guarded_copy.h), and calls find out what is left.
// Writing: a call writes the last piece, so that the file is long enough and has its time of
// change; the pages of the rest are made present and writable by the kernel, which says so where
// storage is full or broken; then the pieces are copied. Making pages writable for the first time
// costs as much as calls for pieces of a page; so pieces of more than half a page are mapped where
// the same place is written again.
// Reading: where the same place is accessed again, when its pages are in memory. Who reads copies
// from there.
// The mapping stays for the next list. No hole is filled that nobody asked to fill: with reads too,
// since a page of a hole that is touched in a mapping gets storage on tmpfs.
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

  // From now on lists of that direction may be mapped.
  void allow(bool reading, bool writing) noexcept;
  // True: the list is transferred, whole. False: it is not, or in part, and no error is told: the
  // caller transfers it by calls, which tell.
  bool write(const OpenFile& file, std::span<const Extent> list) noexcept;
  // Driver::lend.
  bool lend(const OpenFile& file, const Pieces& pieces, Look look, void* context) noexcept;
  // Whether such pieces, in a range that is accessed again, go through the mapping.
  bool copies(const OpenFile& file, bool writing, const Pieces& pieces) noexcept;
  void release() noexcept;

 private:
  bool reach(const OpenFile& file, Range range) noexcept;
  bool populate(Range range, int advice) noexcept;
  bool present() noexcept;
  bool again(Range range) noexcept;
  bool whole(const OpenFile& file, Range range) noexcept;

  std::atomic<bool> reads_{false}, writes_{false};
  std::mutex turn_;
  std::byte* memory_ = nullptr;
  Offset first_ = 0;     // of the file, at memory_
  Range known_{0, 0};    // of the file, asked for before
  Range whole_{0, 0};    // of the file, without a hole when it had `blocks_`
  Range present_{0, 0};  // of the file, made present to be read in this mapping
  Offset blocks_ = 0;
};

}  // namespace tessera::io::posix
