// SPDX-License-Identifier: BSD-3-Clause
// A datatype as it travels: rows of equal blocks. FlatType, FlatCursor.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tessera/osc.h"

namespace tessera::osc::am {

// `count` blocks of `bytes` bytes, `stride` bytes apart, the first at `offset`.
struct Row {
  std::int64_t offset;
  std::int64_t bytes;
  std::int64_t stride;
  std::int64_t count;
};

class FlatType {
 public:
  FlatType() = default;
  // From a committed type of this process.
  explicit FlatType(const Datatype& type);
  // Of the receiver: rows arrive in pieces, `extent` with each.
  void add(std::span<const Row> rows, std::int64_t extent);

  const std::vector<Row>& rows() const noexcept { return rows_; }
  std::int64_t extent() const noexcept { return extent_; }
  std::uint64_t size() const noexcept { return starts_.empty() ? 0 : starts_.back(); }
  // The bytes that one element touches, from its address on.
  std::int64_t low() const noexcept { return low_; }
  std::int64_t high() const noexcept { return high_; }
  // The row in which the byte lies.
  std::size_t row_at(std::uint64_t byte) const noexcept;
  std::uint64_t start(std::size_t row) const noexcept { return row == 0 ? 0 : starts_[row - 1]; }

 private:
  void append(const Row& row);
  std::vector<Row> rows_;
  std::vector<std::uint64_t> starts_;  // bytes of data up to and with each row
  std::int64_t extent_ = 0;
  std::int64_t low_ = 0;
  std::int64_t high_ = 0;
};

// A position in the data of elements of a flat type; without a type, of bytes that follow each
// other.
class FlatCursor {
 public:
  FlatCursor(const FlatType* type, std::byte* base, std::uint64_t total,
             std::uint64_t position) noexcept
      : type_(type), base_(base), total_(total), position_(position) {}
  std::uint64_t position() const noexcept { return position_; }
  std::uint64_t remaining() const noexcept { return total_ - position_; }
  // The bytes from here on that lie next to each other.
  std::span<std::byte> run() const noexcept {
    const Blocks next = blocks(remaining());
    return {next.first, next.bytes};
  }
  void advance(std::uint64_t bytes) noexcept { position_ += bytes; }
  void write(std::span<const std::byte> data) noexcept;
  void read(std::span<std::byte> data) noexcept;

 private:
  // Blocks of one row.
  struct Blocks {
    std::byte* first;
    std::size_t bytes;  // of each
    std::int64_t stride = 0;
    std::size_t count = 1;
  };
  // From here on, at most `limit` bytes: whole ones, or what is left of one.
  Blocks blocks(std::uint64_t limit) const noexcept;

  const FlatType* type_;
  std::byte* base_;
  std::uint64_t total_;
  std::uint64_t position_;
};

}  // namespace tessera::osc::am
