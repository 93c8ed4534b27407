// SPDX-License-Identifier: BSD-3-Clause
// Counting basic elements.
#include "core/datatype/elements.h"

#include <algorithm>

#include "core/datatype/walker.h"

namespace tessera {
namespace {

// A mover that moves nothing but counts, in the blocks it is shown, the
// elements of each kind.
class Counter {
 public:
  void block(std::byte*, Count bytes, Kind kind) noexcept {
    const Count size = find_basic(kind)->size;
    elements_ += bytes / size;
    whole_ = whole_ && bytes % size == 0;
  }
  void sweep(std::byte* at, Count block_bytes, Kind kind, Dim inner, Dim outer) noexcept {
    block(at, block_bytes * inner.count * outer.count, kind);
  }
  void blocks(const Node& node, std::byte* at, std::size_t first, std::size_t last) noexcept {
    for (std::size_t i = first; i < last; ++i) {
      const Count bytes = node.block != 0 ? node.block : node.starts[i + 1] - node.starts[i];
      block(at, bytes, node.kinds.empty() ? node.kind : node.kinds[i]);
    }
  }
  void repeat_blocks(const Node& node, std::byte* at, Count count, Aint) noexcept {
    const Count before = elements_;
    blocks(node, at, 0, node.offsets.size());
    elements_ = before + (elements_ - before) * count;
  }
  Count elements() const noexcept { return elements_; }
  bool whole() const noexcept { return whole_; }

 private:
  Count elements_ = 0;
  bool whole_ = true;
};

// A part of one copy of the type. A block is cut at most once, at the end,
// since the part begins at the start.
std::optional<Count> elements_of_part(const TypeObject& type, Count bytes) noexcept {
  Counter counter;
  Walker(counter).range(type.element_layout(), nullptr, 1, 0, 0, bytes);
  if (!counter.whole()) return std::nullopt;
  return counter.elements();
}

// The largest number of bytes whose elements do not exceed the wanted; found by
// halving, for a part of one copy.
Count bytes_of_part(const TypeObject& type, Count elements) noexcept {
  Count low = 0;
  Count high = type.size();
  while (low < high) {
    const Count middle = low + (high - low) / 2;
    Counter counter;
    Walker(counter).range(type.element_layout(), nullptr, 1, 0, 0, middle);
    if (counter.elements() >= elements) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

std::optional<Count> elements_in(const TypeObject& type, Count bytes) noexcept {
  if (type.size() == 0) return bytes == 0 ? std::optional<Count>(0) : std::nullopt;
  const Count copies = bytes / type.size();
  const Count rest = bytes % type.size();
  const auto part = rest == 0 ? std::optional<Count>(0) : elements_of_part(type, rest);
  if (!part) return std::nullopt;
  return copies * type.signature().elements + *part;
}

Count bytes_of_elements(const TypeObject& type, Count elements) noexcept {
  const Count each = type.signature().elements;
  if (each == 0) return 0;
  const Count rest = elements % each;
  return elements / each * type.size() + (rest == 0 ? 0 : bytes_of_part(type, rest));
}

}  // namespace tessera
