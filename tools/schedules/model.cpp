// SPDX-License-Identifier: BSD-3-Clause
// Collective operations without processes.
#include "tools/schedules/model.h"

#include <algorithm>
#include <stdexcept>

namespace tessera::coll::schedules {

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
  contiguous_ = pieces_.size() == 1 && low == 0 && extent == size_;
  committed_ = true;
}

const ModelType& dense_element() {
  static const ModelType type({{0, sizeof(Element)}}, 0, sizeof(Element));
  return type;
}

const ModelType& sparse_element() {
  static const ModelType type({{12, 14}, {-8, 10}}, -10, 40);
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

namespace {

// splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
std::uint64_t random_of(std::size_t rank) {
  std::uint64_t bits = (rank + 1) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

// The sum of the random numbers of all ranks below.
std::uint64_t random_below(int rank) {
  static const std::vector<std::uint64_t> sums = [] {
    std::vector<std::uint64_t> list(1 << 15);  // as many ranks as an Element can tell apart
    for (std::size_t i = 1; i < list.size(); ++i) list[i] = list[i - 1] + random_of(i - 1);
    return list;
  }();
  return sums.at(static_cast<std::size_t>(rank));
}

}  // namespace

Element sum_of(int first, int last, Count index) {
  Element sum;
  if (last >= first) sum.sum = random_below(last + 1) - random_below(first);
  sum.ranks = std::max(last - first + 1, 0);
  sum.first = static_cast<std::int16_t>(first);
  sum.last = static_cast<std::int16_t>(last);
  sum.index = static_cast<std::int32_t>(index);
  return sum;
}

namespace {

Element combine(const Element& a, const Element& b, bool commutes) {
  Element sum = a;
  sum.sum += b.sum;
  sum.ranks += b.ranks;
  sum.first = std::min(a.first, b.first);
  sum.last = std::max(a.last, b.last);
  const bool disorder = !commutes && a.last + 1 != b.first;
  sum.broken = a.broken + b.broken + (disorder ? 1 : 0) + (a.index != b.index ? 10000 : 0);
  return sum;
}

// The bytes of an element, wherever its type has them.
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

Status ModelOp::apply(const void* in, void* inout, Count count,
                      const Datatype& type) const noexcept {
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

std::byte* place(Memory& memory, Aint at, Count bytes) {
  if (bytes == 0) return nullptr;
  const Aint begin = memory.base + at;
  if (begin < 0 || begin + bytes > static_cast<Aint>(memory.bytes.size())) {
    throw std::out_of_range("bytes " + std::to_string(at) + " to " + std::to_string(at + bytes) +
                            " of a memory of " + std::to_string(memory.bytes.size()));
  }
  return memory.bytes.data() + begin;
}

void check_inside(Memory& memory, const Buffer& buffer) {
  each_interval(buffer, [&](Aint at, Count bytes) { static_cast<void>(place(memory, at, bytes)); });
}

void unpack(std::span<const std::byte> data, Memory& memory, const Buffer& buffer) {
  each_interval(buffer, [&](Aint at, Count bytes) {
    std::byte* const to = place(memory, at, bytes);
    const auto length = static_cast<std::size_t>(bytes);
    if (data.size() < length) throw std::out_of_range("less data than the buffer takes");
    if (length > 0) std::memcpy(to, data.data(), length);
    data = data.subspan(length);
  });
  if (!data.empty()) throw std::out_of_range("more data than the buffer takes");
}

void transfer(Memory& source, const Buffer& from, Memory& target, const Buffer& to) {
  std::vector<std::byte> data;
  if (from.type != nullptr && !from.type->contiguous()) {
    data.reserve(static_cast<std::size_t>(from.bytes()));
    each_interval(from, [&](Aint at, Count bytes) {
      const std::byte* const first = place(source, at, bytes);
      data.insert(data.end(), first, first + bytes);
    });
    return unpack(data, target, to);
  }
  const std::byte* const first = place(source, from.offset, from.bytes());
  unpack({first, static_cast<std::size_t>(from.bytes())}, target, to);
}

}  // namespace tessera::coll::schedules
