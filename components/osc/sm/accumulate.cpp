// SPDX-License-Identifier: BSD-3-Clause
// Cutting an accumulate into pieces of neighbouring elements, and changing each.
#include "accumulate.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "atomics.h"

namespace tessera::osc::sm {
namespace {

// Measured: docs/decisions/0065.
constexpr std::size_t kStripe = 4096;  // bytes of a target's memory under one lock
// Pieces lie in one stripe, but for an element at its end.
constexpr std::size_t kPiece = kStripe + 64;

struct Element {
  std::size_t size;    // bytes of data
  std::size_t extent;  // in memory
  explicit Element(const Datatype& type) noexcept
      : size(static_cast<std::size_t>(type.size())),
        extent(static_cast<std::size_t>(type.extent())) {}
  bool gaps() const noexcept { return size != extent; }
};

// The data of the origin's side, element after element as in a C array: where it is, or by way of
// a buffer.
class Operands {
 public:
  Operands(const Layout* layout, const Datatype& element, const Element& shape) noexcept
      : cursor_(element, nullptr, 0), element_(element), shape_(shape) {
    if (layout == nullptr) return;
    cursor_ = PackCursor(*layout->type, layout->buffer, layout->count);
    there_ = true;
    if (layout->type->contiguous() && !shape.gaps())
      contiguous_ = static_cast<std::byte*>(layout->buffer);
  }
  const std::byte* next(std::size_t elements) noexcept {
    if (!there_) return nullptr;
    if (contiguous_ != nullptr)
      return std::exchange(contiguous_, contiguous_ + elements * shape_.size);
    cursor_.pack(buffer_, elements * shape_.size);
    if (!shape_.gaps()) return buffer_;
    PackCursor(element_, one_, 1).unpack(buffer_, shape_.size);
    return one_;
  }
  // Room for results, and their way to where they belong.
  std::byte* room() noexcept {
    if (!there_) return nullptr;
    if (contiguous_ != nullptr) return contiguous_;
    return shape_.gaps() ? one_ : buffer_;
  }
  void filled(std::size_t elements) noexcept {
    if (!there_) return;
    if (contiguous_ != nullptr) return static_cast<void>(contiguous_ += elements * shape_.size);
    if (shape_.gaps()) PackCursor(element_, one_, 1).pack(buffer_, shape_.size);
    cursor_.unpack(buffer_, elements * shape_.size);
  }

 private:
  PackCursor cursor_;
  const Datatype& element_;
  Element shape_;
  bool there_ = false;
  std::byte* contiguous_ = nullptr;
  alignas(64) std::byte buffer_[kPiece];
  alignas(64) std::byte one_[64];
};

}  // namespace

// Elements of the target that follow each other in memory.
struct Accumulator::Piece {
  std::byte* at;
  const std::byte* operands;  // null: none
  std::byte* results;         // null: not wanted
  std::size_t elements;
  std::size_t extent;  // bytes of one
};

// The same at all processes, wherever each of them has the memory.
std::atomic<std::uint32_t>& Accumulator::stripe(const Place& place,
                                                const std::byte* at) const noexcept {
  const std::uintptr_t distance = reinterpret_cast<std::uintptr_t>(at) - place.base;
  return control_.slot(place.rank).stripes[distance / kStripe % kStripes];
}

namespace {

// Elements of how many bytes in memory until the next stripe begins, of which the last may reach
// into it.
std::size_t in_stripe(const std::byte* at, const Place& place, std::size_t bytes) noexcept {
  const std::uintptr_t distance = reinterpret_cast<std::uintptr_t>(at) - place.base;
  return (kStripe - distance % kStripe + bytes - 1) / bytes;
}

bool is_array(const Layout* layout) noexcept {
  return layout == nullptr || layout->type->contiguous();
}

}  // namespace

// All sides are arrays of elements without gaps.
Status Accumulator::run_arrays(const Layout* from, const Layout* result, const Layout& to,
                               const Place& place, const Combination& how) noexcept {
  const auto bytes = static_cast<std::size_t>(how.element->size());
  auto* at = static_cast<std::byte*>(to.buffer);
  const auto* operands = from != nullptr ? static_cast<const std::byte*>(from->buffer) : nullptr;
  auto* results = result != nullptr ? static_cast<std::byte*>(result->buffer) : nullptr;
  std::byte* const end = at + to.count * to.type->size();
  while (at < end) {
    const std::size_t n =
        std::min(static_cast<std::size_t>(end - at) / bytes, in_stripe(at, place, bytes));
    if (Status s = piece({at, operands, results, n, bytes}, place, how); !s) return s;
    at += n * bytes;
    if (operands != nullptr) operands += n * bytes;
    if (results != nullptr) results += n * bytes;
  }
  return {};
}

Status Accumulator::run(const Layout* from, const Layout* result, const Layout& to,
                        const Place& place, const Combination& how) noexcept {
  const Element shape(*how.element);
  const Layout* const given = how.kind != Combination::Kind::no_op ? from : nullptr;
  if (!shape.gaps() && is_array(&to) && is_array(given) && is_array(result)) [[likely]]
    return run_arrays(given, result, to, place, how);
  return run_layouts(given, result, to, place, how);
}

Status Accumulator::run_layouts(const Layout* from, const Layout* result, const Layout& to,
                                const Place& place, const Combination& how) noexcept {
  const Element shape(*how.element);
  PackCursor target(*to.type, to.buffer, to.count);
  Operands operands(from, *how.element, shape);
  Operands results(result, *how.element, shape);
  while (target.remaining() > 0) {
    const auto run = target.run();
    std::size_t n = 1;
    if (!shape.gaps())
      n = std::min(run.size() / shape.size, in_stripe(run.data(), place, shape.size));
    const Piece next{run.data(), operands.next(n), results.room(), n, shape.extent};
    if (Status s = piece(next, place, how); !s) return s;
    results.filled(n);
    target.seek(target.position() + n * shape.size);
  }
  return {};
}

Status Accumulator::fetch(const void* from, void* result, std::byte* at, const Place& place,
                          const Combination& how) noexcept {
  const auto extent = static_cast<std::size_t>(how.element->extent());
  const bool no_operand = how.kind == Combination::Kind::no_op;
  alignas(64) std::byte was[64];
  const auto* operand = no_operand ? nullptr : static_cast<const std::byte*>(from);
  if (Status s = piece({at, operand, was, 1, extent}, place, how); !s) return s;
  std::memcpy(result, was, extent);
  return {};
}

Status Accumulator::piece(const Piece& piece, const Place& place, const Combination& how) noexcept {
  const bool aligned = reinterpret_cast<std::uintptr_t>(piece.at) % piece.extent == 0;
  if (place.by_lock || place.alone || !aligned || !native(how.number, piece.extent))
    return locked_piece(piece, place, how);
  change_native(piece.at, piece.operands, piece.results, piece.elements, piece.extent, how);
  return {};
}

namespace {

Status combine(std::byte* data, const std::byte* operands, std::size_t elements, std::size_t bytes,
               const Combination& how) noexcept {
  if (how.kind == Combination::Kind::no_op) return {};
  if (how.kind == Combination::Kind::replace) return std::memcpy(data, operands, bytes), Status();
  return how.op->apply(operands, data, static_cast<Count>(elements), *how.element);
}

}  // namespace

Status Accumulator::locked_piece(const Piece& piece, const Place& place,
                                 const Combination& how) noexcept {
  const std::size_t bytes = piece.elements * piece.extent;
  const auto address = reinterpret_cast<std::uintptr_t>(piece.at);
  std::optional<StripeLock> lock;
  if (!place.alone) lock.emplace(control_, stripe(place, piece.at), me_);
  if (place.pid == 0) {
    if (piece.results != nullptr) std::memcpy(piece.results, piece.at, bytes);
    return combine(piece.at, piece.operands, piece.elements, bytes, how);
  }
  alignas(64) std::byte data[kPiece];
  const bool blind = how.kind == Combination::Kind::replace && piece.results == nullptr;
  if (!blind) {
    if (Status s = read_memory(place.pid, data, address, bytes); !s) return s;
  }
  if (piece.results != nullptr) std::memcpy(piece.results, data, bytes);
  if (how.kind == Combination::Kind::no_op) return {};
  if (Status s = combine(data, piece.operands, piece.elements, bytes, how); !s) return s;
  return write_memory(place.pid, data, address, bytes);
}

Status Accumulator::swap(const void* from, const void* compare, void* result, std::size_t bytes,
                         std::byte* at, const Place& place) noexcept {
  const bool aligned = reinterpret_cast<std::uintptr_t>(at) % bytes == 0;
  if (!place.by_lock && !place.alone && aligned && bytes <= 8) {
    if (bytes == 8) return swap_if_equal<std::uint64_t>(at, from, compare, result), Status();
    if (bytes == 4) return swap_if_equal<std::uint32_t>(at, from, compare, result), Status();
    if (bytes == 2) return swap_if_equal<std::uint16_t>(at, from, compare, result), Status();
    return swap_if_equal<std::uint8_t>(at, from, compare, result), Status();
  }
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  alignas(16) std::byte data[16];
  std::optional<StripeLock> lock;
  if (!place.alone) lock.emplace(control_, stripe(place, at), me_);
  if (place.pid == 0) {
    std::memcpy(data, at, bytes);
  } else if (Status s = read_memory(place.pid, data, address, bytes); !s) {
    return s;
  }
  const bool equal = std::memcmp(data, compare, bytes) == 0;
  Status written;
  if (equal && place.pid == 0) std::memcpy(at, from, bytes);
  if (equal && place.pid != 0) written = write_memory(place.pid, from, address, bytes);
  std::memcpy(result, data, bytes);
  return written;
}

}  // namespace tessera::osc::sm
