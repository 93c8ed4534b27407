// SPDX-License-Identifier: BSD-3-Clause
// How much of a file was read and written, and where.
#pragma once

#include <array>
#include <mutex>
#include <span>
#include <string>

#include "tessera/io.h"

namespace tessera::io::monitoring {

// Of one direction. The map has so many equal parts from the start of the file; when an access lies
// behind the last one, the parts double.
class Traffic {
 public:
  static constexpr std::size_t kParts = 64;

  void add(std::span<const Extent> list, Offset bytes) noexcept;
  void add(const Pieces& pieces) noexcept;
  std::uint64_t calls() const noexcept { return calls_; }
  std::uint64_t extents() const noexcept { return extents_; }
  std::uint64_t bytes() const noexcept { return bytes_; }
  Offset part() const noexcept { return part_; }
  // A letter per part: " .:-=+*#%@", the more the more bytes.
  std::string picture() const;

 private:
  // `bytes` of a range, evenly.
  void note(Range range, Offset bytes) noexcept;
  void double_parts() noexcept;

  std::uint64_t calls_ = 0;
  std::uint64_t extents_ = 0;
  std::uint64_t bytes_ = 0;
  Offset part_ = 4096;  // bytes of each
  std::array<std::uint64_t, kParts> map_{};
};

// Of one open of one process. Transfers of several threads are counted one after the other.
class Account {
 public:
  void read(std::span<const Extent> list, Offset bytes) noexcept { add(read_, list, bytes); }
  void written(std::span<const Extent> list, Offset bytes) noexcept { add(written_, list, bytes); }
  // Read, where they lie.
  void lent(const Pieces& pieces) noexcept { add(read_, pieces); }
  // Lines for people: a header is the caller's.
  std::string report(std::uint32_t process, const std::string& path) const;

 private:
  template <class... What>
  void add(Traffic& traffic, const What&... what) noexcept {
    const std::lock_guard lock(mutex_);
    traffic.add(what...);
  }
  std::mutex mutex_;
  Traffic read_;
  Traffic written_;
};

}  // namespace tessera::io::monitoring
