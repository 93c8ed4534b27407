// SPDX-License-Identifier: BSD-3-Clause
// The portable representation of data.
#include "core/datatype/external32.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "core/datatype/mover.h"
#include "core/datatype/walker.h"
#include "core/datatype/wide_numbers.h"

namespace tessera {
namespace {

bool is_complex(Number number) noexcept {
  return number >= Number::c32 && number <= Number::c128;
}
bool is_long_double(Number number) noexcept {
  return number == Number::f80 || number == Number::c80;
}
bool is_signed(Number number) noexcept {
  return number >= Number::i8 && number <= Number::i128;
}

// From this machine's order to the most significant byte first, or back.
void turn(std::byte* to, const std::byte* from, std::size_t n) noexcept {
  if constexpr (std::endian::native == std::endian::big) {
    std::memcpy(to, from, n);
  } else {
    std::reverse_copy(from, from + n, to);
  }
}

template <class Word>
void swap_all(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  for (std::size_t i = 0; i < bytes; i += sizeof(Word)) {
    Word word;
    std::memcpy(&word, from + i, sizeof word);
    if constexpr (sizeof(Word) == 2) word = __builtin_bswap16(word);
    if constexpr (sizeof(Word) == 4) word = __builtin_bswap32(word);
    if constexpr (sizeof(Word) == 8) word = __builtin_bswap64(word);
    std::memcpy(to + i, &word, sizeof word);
  }
}

// Numbers of `unit` bytes on both sides.
void turn_all(std::byte* to, const std::byte* from, std::size_t unit, std::size_t bytes) noexcept {
  constexpr bool little = std::endian::native == std::endian::little;
  if (unit == 1) {
    std::memcpy(to, from, bytes);
  } else if (little && unit == 2) {
    swap_all<std::uint16_t>(to, from, bytes);
  } else if (little && unit == 4) {
    swap_all<std::uint32_t>(to, from, bytes);
  } else if (little && unit == 8) {
    swap_all<std::uint64_t>(to, from, bytes);
  } else {
    for (std::size_t i = 0; i < bytes; i += unit) turn(to + i, from + i, unit);
  }
}

// What a long double has besides padding; the padding of what is unpacked is
// zero, not what the stack held.
constexpr std::size_t kLongDoubleBytes =
    std::numeric_limits<long double>::digits == 64 ? 10 : sizeof(long double);

void pack_long_double(std::byte* out, const std::byte* in) noexcept {
  long double value;
  std::memcpy(&value, in, sizeof value);
  const Float128 wide = static_cast<Float128>(value);
  turn(out, reinterpret_cast<const std::byte*>(&wide), sizeof wide);
}

void unpack_long_double(std::byte* out, const std::byte* in) noexcept {
  Float128 wide;
  turn(reinterpret_cast<std::byte*>(&wide), in, sizeof wide);
  const long double value = static_cast<long double>(wide);
  std::memset(out, 0, sizeof value);
  std::memcpy(out, &value, kLongDoubleBytes);
}

// Whole numbers that are shorter outside: 64 bits here hold every one of them.
void pack_shortened(std::byte* out, const std::byte* in, const Basic& basic) noexcept {
  std::byte number[16];
  turn(number, in, basic.size);
  std::memcpy(out, number + basic.size - basic.external, basic.external);
}

void unpack_shortened(std::byte* out, const std::byte* in, const Basic& basic) noexcept {
  const bool negative = is_signed(basic.number) && (in[0] & std::byte{0x80}) != std::byte{0};
  std::byte number[16];
  std::memset(number, negative ? 0xff : 0, sizeof number);
  std::memcpy(number + basic.size - basic.external, in, basic.external);
  turn(out, number, basic.size);
}

// Goes through a datatype for Each, block by block where they lie.
template <class Each>
class EachBlock {
 public:
  void sweep(std::byte* at, Count bytes, Kind kind, Dim inner, Dim outer) noexcept {
    const bool row = inner.stride == bytes;  // next to each other: one block
    for (Count i = 0; i < outer.count; ++i) {
      std::byte* const start = shift(at, i * outer.stride);
      if (row) self().block(start, inner.count * bytes, kind);
      for (Count j = 0; !row && j < inner.count; ++j)
        self().block(shift(start, j * inner.stride), bytes, kind);
    }
  }
  void blocks(const Node& node, std::byte* at, std::size_t first, std::size_t last) noexcept {
    for (std::size_t i = first; i < last; ++i) {
      const Count bytes = node.block != 0 ? node.block : node.starts[i + 1] - node.starts[i];
      self().block(shift(at, node.offsets[i]), bytes,
                   node.kinds.empty() ? node.kind : node.kinds[i]);
    }
  }
  void repeat_blocks(const Node& node, std::byte* at, Count count, Aint stride) noexcept {
    for (Count i = 0; i < count; ++i) blocks(node, shift(at, i * stride), 0, node.offsets.size());
  }

 private:
  Each& self() noexcept { return static_cast<Each&>(*this); }
};

// Copies whole elements between the data and the stream of external numbers,
// which advances.
template <Direction direction>
class ExternalMover : public EachBlock<ExternalMover<direction>> {
 public:
  explicit ExternalMover(std::byte* stream) noexcept : stream_(stream) {}

  void block(std::byte* at, Count bytes, Kind kind) noexcept {
    const Basic& basic = *find_basic(kind);
    const std::size_t n = static_cast<std::size_t>(bytes);
    if (is_long_double(basic.number))
      return each(at, n, sizeof(long double), sizeof(Float128), long_double);
    if (basic.external != basic.size) {
      return each(at, n, basic.size, basic.external,
                  [&](std::byte* to, const std::byte* from) { resize(to, from, basic); });
    }
    const std::size_t unit = is_complex(basic.number) ? basic.size / 2U : basic.size;
    turn_all(to(at), from(at), unit, n);
    stream_ += n;
  }

 private:
  static constexpr bool kPacks = direction == Direction::pack;

  std::byte* to(std::byte* at) noexcept { return kPacks ? stream_ : at; }
  const std::byte* from(std::byte* at) noexcept { return kPacks ? at : stream_; }

  static void long_double(std::byte* to, const std::byte* from) noexcept {
    kPacks ? pack_long_double(to, from) : unpack_long_double(to, from);
  }
  static void resize(std::byte* to, const std::byte* from, const Basic& basic) noexcept {
    kPacks ? pack_shortened(to, from, basic) : unpack_shortened(to, from, basic);
  }
  template <class Convert>
  void each(std::byte* at, std::size_t bytes, std::size_t inside, std::size_t outside,
            Convert convert) noexcept {
    for (std::size_t i = 0; i < bytes; i += inside, stream_ += outside)
      convert(to(at + i), from(at + i));
  }

  std::byte* stream_;
};

// Adds up what the elements take outside.
class Measure {
 public:
  void block(std::byte*, Count bytes, Kind kind) noexcept {
    const Basic& basic = *find_basic(kind);
    size_ += bytes / basic.size * basic.external;
  }
  void sweep(std::byte* at, Count bytes, Kind kind, Dim inner, Dim outer) noexcept {
    block(at, bytes * inner.count * outer.count, kind);
  }
  void blocks(const Node& node, std::byte* at, std::size_t first, std::size_t last) noexcept {
    for (std::size_t i = first; i < last; ++i) {
      const Count bytes = node.block != 0 ? node.block : node.starts[i + 1] - node.starts[i];
      block(at, bytes, node.kinds.empty() ? node.kind : node.kinds[i]);
    }
  }
  void repeat_blocks(const Node& node, std::byte* at, Count count, Aint) noexcept {
    const Count before = size_;
    blocks(node, at, 0, node.offsets.size());
    size_ = before + (size_ - before) * count;
  }
  Count size() const noexcept { return size_; }

 private:
  Count size_ = 0;
};

// Looks for a number that would be cut.
class Fitting : public EachBlock<Fitting> {
 public:
  void block(std::byte* at, Count bytes, Kind kind) noexcept {
    const Basic& basic = *find_basic(kind);
    if (basic.external >= basic.size || is_long_double(basic.number)) return;
    for (Count i = 0; i < bytes && fits_; i += basic.size) {
      std::byte outside[16];
      std::byte back[16];
      pack_shortened(outside, at + i, basic);
      unpack_shortened(back, outside, basic);
      fits_ = std::memcmp(back, at + i, basic.size) == 0;
    }
  }
  bool fits() const noexcept { return fits_; }

 private:
  bool fits_ = true;
};

// What the first `bytes` bytes of one element take outside.
Count external_prefix(const TypeObject& type, Count bytes) noexcept {
  Measure measure;
  Walker(measure).range(type.element_layout(), nullptr, 1, 0, 0, bytes);
  return measure.size();
}

// The smallest number of bytes, up to `high`, whose outside form has `wanted` bytes or more.
Count reach(const TypeObject& type, Count wanted, Count high) noexcept {
  for (Count low = 0; low < high;) {
    const Count middle = low + (high - low) / 2;
    if (external_prefix(type, middle) >= wanted)
      high = middle;
    else
      low = middle + 1;
  }
  return high;
}

// The whole basic elements at the begin of one element whose outside form has at most `room` bytes.
Count prefix_within(const TypeObject& type, Count room) noexcept {
  const Count beyond = reach(type, room + 1, type.size());
  return reach(type, external_prefix(type, beyond - 1), beyond - 1);
}

}  // namespace

Count external32_size(const TypeObject& type) noexcept {
  if (type.size() == 0) return 0;
  Measure measure;
  Walker(measure).repeat(type.element_layout(), nullptr, 1, 0);
  return measure.size();
}

void external32_pack(const TypeObject& type, const void* data, Count count, void* out) noexcept {
  if (type.size() == 0 || count == 0) return;
  ExternalMover<Direction::pack> mover(static_cast<std::byte*>(out));
  std::byte* at = static_cast<std::byte*>(const_cast<void*>(data));
  Walker(mover).repeat(type.element_layout(), at, count, type.extent());
}

void external32_unpack(const TypeObject& type, void* data, Count count, const void* in) noexcept {
  if (type.size() == 0 || count == 0) return;
  ExternalMover<Direction::unpack> mover(static_cast<std::byte*>(const_cast<void*>(in)));
  Walker(mover).repeat(type.element_layout(), static_cast<std::byte*>(data), count, type.extent());
}

bool external32_fits(const TypeObject& type, const void* data, Count count) noexcept {
  if (type.size() == 0 || count == 0) return true;
  Fitting fitting;
  std::byte* at = static_cast<std::byte*>(const_cast<void*>(data));
  Walker(fitting).repeat(type.element_layout(), at, count, type.extent());
  return fitting.fits();
}

Count external32_unpack_some(const TypeObject& type, void* data, Count count, const void* in,
                             std::size_t bytes) noexcept {
  const Count each = external32_size(type);
  if (each == 0 || count == 0) return 0;
  const Count whole = std::min(count, static_cast<Count>(bytes) / each);
  external32_unpack(type, data, whole, in);
  if (whole == count) return whole * type.size();
  // Of the element after these, the part whose outside form is there.
  const Count part = prefix_within(type, static_cast<Count>(bytes) - whole * each);
  const auto* from = static_cast<const std::byte*>(in) + whole * each;
  ExternalMover<Direction::unpack> mover(const_cast<std::byte*>(from));
  std::byte* at = static_cast<std::byte*>(data) + whole * type.extent();
  if (part > 0) Walker(mover).range(type.element_layout(), at, 1, 0, 0, part);
  return whole * type.size() + part;
}

std::uint64_t bytes_here(std::uint64_t bytes, const TypeObject& type) noexcept {
  if ((bytes & kExternal32Bytes) == 0) return bytes;
  const Count outside = static_cast<Count>(bytes & ~kExternal32Bytes);
  const Count each = external32_size(type);
  if (each == 0) return static_cast<std::uint64_t>(outside);
  const Count rest = outside % each;
  const Count part = rest == 0 ? 0 : prefix_within(type, rest);
  const bool cut = external_prefix(type, part) != rest;
  return static_cast<std::uint64_t>(outside / each * type.size() + part + (cut ? 1 : 0));
}

}  // namespace tessera
