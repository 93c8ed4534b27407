// SPDX-License-Identifier: BSD-3-Clause
// Collective operations without processes.
#include "tests/coll/model.h"

#include <algorithm>
#include <stdexcept>

namespace tessera::coll::test {

ModelType::ModelType(std::vector<std::pair<Aint, Count>> pieces, Aint lb, Aint extent)
    : pieces_(std::move(pieces)) {
  lb_ = lb;
  extent_ = extent;
  Aint low = pieces_.front().first, high = low;
  for (const auto& [displacement, bytes] : pieces_) {
    size_ += bytes;
    low = std::min(low, displacement);
    high = std::max<Aint>(high, displacement + bytes);
  }
  true_lb_ = low;
  true_extent_ = high - low;
  dense_ = pieces_.size() == 1 && low == 0 && extent == size_;
  committed_ = true;
}

const ModelType& dense_element() {
  static const ModelType type({{0, 16}}, 0, 16);
  return type;
}

const ModelType& sparse_element() {
  static const ModelType type({{12, 10}, {-8, 6}}, -10, 40);
  return type;
}

const ModelType& dense_int() {
  static const ModelType type({{0, 4}}, 0, 4);
  return type;
}

const ModelType& sparse_int() {
  static const ModelType type({{1, 1}, {5, 3}}, 0, 9);
  return type;
}

Element contribution_of(int rank, Count index) {
  return sum_of(rank, rank, index);
}

Element sum_of(int first, int last, Count index) {
  Element sum;
  for (int rank = first; rank <= last; ++rank) sum.ranks |= 1u << rank;
  sum.first = static_cast<std::int16_t>(first);
  sum.last = static_cast<std::int16_t>(last);
  sum.index = static_cast<std::int32_t>(index);
  return sum;
}

namespace {

Element combine(const Element& a, const Element& b, bool commutes) {
  Element sum = a;
  sum.ranks |= b.ranks;
  sum.first = std::min(a.first, b.first);
  sum.last = std::max(a.last, b.last);
  const bool twice = (a.ranks & b.ranks) != 0;
  const bool disorder = !commutes && a.last + 1 != b.first;
  sum.broken =
      a.broken + b.broken + (twice ? 1 : 0) + (disorder ? 100 : 0) + (a.index != b.index ? 10000 : 0);
  return sum;
}

}  // namespace

namespace {

// The sixteen bytes of an element, wherever its type has them.
Element load(const std::byte* at, const ModelType& type) {
  std::byte bytes[sizeof(Element)] = {};
  std::byte* next = bytes;
  for (const auto& [displacement, length] : type.pieces()) {
    std::memcpy(next, at + displacement, static_cast<std::size_t>(length));
    next += length;
  }
  Element element;
  std::memcpy(&element, bytes, sizeof element);
  return element;
}

void store(const Element& element, std::byte* at, const ModelType& type) {
  const auto* next = reinterpret_cast<const std::byte*>(&element);
  for (const auto& [displacement, length] : type.pieces()) {
    std::memcpy(at + displacement, next, static_cast<std::size_t>(length));
    next += length;
  }
}

}  // namespace

Status ModelOp::apply(const void* in, void* inout, Count count, const Datatype& type) const noexcept {
  const auto& model = static_cast<const ModelType&>(type);
  for (Count i = 0; i < count; ++i) {
    const std::byte* a = static_cast<const std::byte*>(in) + i * type.extent();
    std::byte* b = static_cast<std::byte*>(inout) + i * type.extent();
    store(combine(load(a, model), load(b, model), commutative_), b, model);
  }
  return {};
}

Memory Memory::of(Count count, const Datatype* type) {
  Memory memory;
  if (count == 0) return memory;
  const Aint reach = (count - 1) * type->extent();
  const Aint low = std::min<Aint>(0, type->true_lb());
  memory.base = -low;
  memory.bytes.assign(static_cast<std::size_t>(type->true_lb() + type->true_extent() + reach - low),
                      std::byte{0xee});
  return memory;
}

Memory Memory::of_bytes(std::size_t count) {
  Memory memory;
  memory.bytes.assign(count, std::byte{0xdd});
  return memory;
}

std::vector<std::pair<Aint, Count>> intervals(const Buffer& buffer) {
  if (buffer.type == nullptr || buffer.type->dense()) return {{buffer.offset, buffer.bytes()}};
  std::vector<std::pair<Aint, Count>> all;
  const auto& type = static_cast<const ModelType&>(*buffer.type);
  for (Count i = 0; i < buffer.count; ++i) {
    for (const auto& [displacement, bytes] : type.pieces()) {
      all.emplace_back(buffer.offset + i * type.extent() + displacement, bytes);
    }
  }
  return all;
}

namespace {

void check_inside(const Memory& memory, Aint at, Count bytes) {
  if (bytes == 0) return;
  const Aint begin = memory.base + at;
  if (begin < 0 || begin + bytes > static_cast<Aint>(memory.bytes.size())) {
    throw std::out_of_range("bytes " + std::to_string(at) + " to " + std::to_string(at + bytes) +
                            " of a memory of " + std::to_string(memory.bytes.size()));
  }
}

}  // namespace

std::vector<std::byte> pack(const Memory& memory, const Buffer& buffer) {
  std::vector<std::byte> data;
  for (const auto& [at, bytes] : intervals(buffer)) {
    check_inside(memory, at, bytes);
    const auto from = memory.bytes.begin() + memory.base + at;
    data.insert(data.end(), from, from + bytes);
  }
  return data;
}

void unpack(const std::vector<std::byte>& data, Memory& memory, const Buffer& buffer) {
  auto next = data.begin();
  for (const auto& [at, bytes] : intervals(buffer)) {
    check_inside(memory, at, bytes);
    if (data.end() - next < bytes) throw std::out_of_range("less data than the buffer takes");
    std::copy(next, next + bytes, memory.bytes.begin() + memory.base + at);
    next += bytes;
  }
  if (next != data.end()) throw std::out_of_range("more data than the buffer takes");
}

}  // namespace tessera::coll::test
