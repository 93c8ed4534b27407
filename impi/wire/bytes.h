// SPDX-License-Identifier: BSD-3-Clause
// Big-endian numbers in bytes: load and store, Reader, Writer, Bytes.
#pragma once
//
// Contract. Nothing here allocates but Bytes. A Reader that runs past its end answers zeros from
// then on and says so by ok(); a Writer that runs out of room drops what does not fit and says so.
// Neither owns the memory it works on.
//
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace tessera::impi {

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;

template <class T>
T load(const std::byte* from) noexcept {
  static_assert(std::is_integral_v<T>);
  std::make_unsigned_t<T> value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<std::make_unsigned_t<T>>((value << 8) | std::to_integer<unsigned>(from[i]));
  return static_cast<T>(value);
}

template <class T>
void store(std::byte* to, T number) noexcept {
  static_assert(std::is_integral_v<T>);
  const auto value = static_cast<std::make_unsigned_t<T>>(number);
  for (std::size_t i = 0; i < sizeof(T); ++i)
    to[i] = static_cast<std::byte>(value >> (8 * (sizeof(T) - 1 - i)));
}

class Reader {
 public:
  explicit Reader(ByteView bytes) noexcept : bytes_(bytes) {}

  bool ok() const noexcept { return ok_; }
  std::size_t left() const noexcept { return bytes_.size(); }
  ByteView rest() const noexcept { return bytes_; }

  template <class T>
  T number() noexcept {
    const ByteView taken = take(sizeof(T));
    return taken.empty() ? T{} : load<T>(taken.data());
  }
  std::uint32_t u32() noexcept { return number<std::uint32_t>(); }
  std::int32_t i32() noexcept { return number<std::int32_t>(); }
  std::uint64_t u64() noexcept { return number<std::uint64_t>(); }
  std::int64_t i64() noexcept { return number<std::int64_t>(); }

  // The next `count` bytes, or none of them.
  ByteView take(std::size_t count) noexcept {
    if (count > bytes_.size()) {
      ok_ = false;
      bytes_ = {};
      return {};
    }
    const ByteView taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }

 private:
  ByteView bytes_;
  bool ok_ = true;
};

class Writer {
 public:
  explicit Writer(std::span<std::byte> room) noexcept : room_(room) {}

  bool ok() const noexcept { return ok_; }
  std::size_t written() const noexcept { return written_; }

  template <class T>
  void number(T value) noexcept {
    std::byte encoded[sizeof(T)];
    store(encoded, value);
    bytes(encoded);
  }
  void u32(std::uint32_t value) noexcept { number(value); }
  void i32(std::int32_t value) noexcept { number(value); }
  void u64(std::uint64_t value) noexcept { number(value); }
  void i64(std::int64_t value) noexcept { number(value); }

  void bytes(ByteView from) noexcept {
    if (from.size() > room_.size() - written_) {
      ok_ = false;
      return;
    }
    std::copy(from.begin(), from.end(), room_.begin() + static_cast<std::ptrdiff_t>(written_));
    written_ += from.size();
  }

 private:
  std::span<std::byte> room_;
  std::size_t written_ = 0;
  bool ok_ = true;
};

void append(Bytes& to, ByteView from);

template <class T>
void append_number(Bytes& to, T value) {
  std::byte encoded[sizeof(T)];
  store(encoded, value);
  append(to, encoded);
}

}  // namespace tessera::impi
