// SPDX-License-Identifier: BSD-3-Clause
// Flattening by walking one element; finding a position by search and division.
#include "flat_type.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace tessera::osc::am {

FlatType::FlatType(const Datatype& type) : extent_(type.extent()) {
  // Nothing is read or written there: the addresses serve as offsets.
  constexpr std::uintptr_t somewhere = std::uintptr_t{1} << 62;
  PackCursor cursor(type, reinterpret_cast<const void*>(somewhere), 1);
  while (cursor.remaining() > 0) {
    const auto run = cursor.run();
    const auto offset =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(run.data()) - somewhere);
    append({offset, static_cast<std::int64_t>(run.size()), 0, 1});
    cursor.seek(cursor.position() + run.size());
  }
}

void FlatType::add(std::span<const Row> rows, std::int64_t extent) {
  extent_ = extent;
  for (const Row& row : rows) append(row);
}

void FlatType::append(const Row& row) {
  const std::int64_t last = row.offset + (row.count - 1) * row.stride;
  const std::int64_t low = std::min(row.offset, last);
  const std::int64_t high = std::max(row.offset, last) + row.bytes;
  low_ = rows_.empty() ? low : std::min(low_, low);
  high_ = rows_.empty() ? high : std::max(high_, high);
  const std::uint64_t bytes = static_cast<std::uint64_t>(row.bytes * row.count);
  if (row.count == 1 && !rows_.empty()) {
    Row& before = rows_.back();
    const std::int64_t step = row.offset - (before.offset + (before.count - 1) * before.stride);
    if (before.bytes == row.bytes && (before.count == 1 || before.stride == step)) {
      before.stride = step;
      ++before.count;
      starts_.back() += bytes;
      return;
    }
  }
  starts_.push_back(size() + bytes);
  rows_.push_back(row);
}

std::size_t FlatType::row_at(std::uint64_t byte) const noexcept {
  const auto above = std::upper_bound(starts_.begin(), starts_.end(), byte);
  return static_cast<std::size_t>(above - starts_.begin());
}

FlatCursor::Blocks FlatCursor::blocks(std::uint64_t limit) const noexcept {
  const auto at = [this](std::int64_t offset) {
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(base_) +
                                        static_cast<std::uintptr_t>(offset));
  };
  const std::uint64_t most = std::min(limit, remaining());
  if (type_ == nullptr) return {at(static_cast<std::int64_t>(position_)), most};
  const std::uint64_t element = position_ / type_->size();
  const std::uint64_t byte = position_ % type_->size();
  const std::size_t index = type_->row_at(byte);
  const Row& row = type_->rows()[index];
  const auto in_row = static_cast<std::int64_t>(byte - type_->start(index));
  const std::int64_t block = in_row / row.bytes;
  const std::int64_t in_block = in_row % row.bytes;
  std::byte* const first = at(static_cast<std::int64_t>(element) * type_->extent() + row.offset +
                              block * row.stride + in_block);
  const auto bytes = static_cast<std::uint64_t>(row.bytes);
  const auto left = static_cast<std::uint64_t>(row.count - block);
  if (in_block != 0 || bytes > most || left == 1)
    return {first, std::min(bytes - static_cast<std::uint64_t>(in_block), most)};
  return {first, bytes, row.stride, std::min(left, most / bytes)};
}

namespace {

// copy(place, data, bytes) for each block and its part of `data`; a number of bytes that the
// compiler knows makes loads and stores of it.
template <class Data, class Blocks, class Copy>
void each_block(const Blocks& blocks, Data* data, const Copy& copy) noexcept {
  const auto all = [&](auto bytes) {
    std::byte* place = blocks.first;
    for (std::size_t i = 0; i < blocks.count; ++i, place += blocks.stride, data += bytes)
      copy(place, data, bytes);
  };
  switch (blocks.bytes) {
    case 4:
      return all(std::integral_constant<std::size_t, 4>{});
    case 8:
      return all(std::integral_constant<std::size_t, 8>{});
    case 16:
      return all(std::integral_constant<std::size_t, 16>{});
    default:
      return all(blocks.bytes);
  }
}

}  // namespace

void FlatCursor::write(std::span<const std::byte> data) noexcept {
  while (!data.empty()) {
    const Blocks next = blocks(data.size());
    each_block(next, data.data(), [](std::byte* place, const std::byte* from, auto bytes) {
      std::memmove(place, from, bytes);
    });
    data = data.subspan(next.count * next.bytes);
    advance(next.count * next.bytes);
  }
}

void FlatCursor::read(std::span<std::byte> data) noexcept {
  while (!data.empty()) {
    const Blocks next = blocks(data.size());
    each_block(next, data.data(), [](const std::byte* place, std::byte* to, auto bytes) {
      std::memmove(to, place, bytes);
    });
    data = data.subspan(next.count * next.bytes);
    advance(next.count * next.bytes);
  }
}

}  // namespace tessera::osc::am
