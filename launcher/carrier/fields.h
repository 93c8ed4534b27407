// SPDX-License-Identifier: BSD-3-Clause
// How carriers write down what they tell each other: Writer, Reader, describe().
#pragma once
//
// Contract. describe(way, value) names the fields of a value once; a Writer appends their bytes, a
// Reader takes them out again, so both directions walk the same fields. A type of its own has a
// describe() in its namespace, which ends in calls of describe_all(). Both ends are programs of one
// version: numbers are as in memory. A Reader trusts nothing: what is too short, or has a length
// that cannot be, leaves it `damaged`, and its values are empty then.
//
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::launcher {

class Writer {
 public:
  static constexpr bool kReads = false;
  void bytes(void* data, std::size_t size) { text.append(static_cast<char*>(data), size); }
  bool fits(std::uint64_t) const noexcept { return true; }
  std::string text;
};

class Reader {
 public:
  static constexpr bool kReads = true;
  explicit Reader(std::string_view text) noexcept : rest_(text) {}
  void bytes(void* data, std::size_t size) noexcept {
    if (size > rest_.size()) {
      damaged = true;
      rest_ = {};
      return;
    }
    if (size != 0) std::memcpy(data, rest_.data(), size);
    rest_.remove_prefix(size);
  }
  bool fits(std::uint64_t count) const noexcept { return count <= rest_.size(); }
  bool ended() const noexcept { return rest_.empty(); }
  bool damaged = false;

 private:
  std::string_view rest_;
};

template <class Way, class T>
requires std::is_arithmetic_v<T> || std::is_enum_v<T>
void describe(Way& way, T& value) {
  way.bytes(&value, sizeof value);
}

// Any byte but 0 is true.
template <class Way>
void describe(Way& way, bool& value) {
  std::uint8_t byte = value ? 1 : 0;
  way.bytes(&byte, sizeof byte);
  value = byte != 0;
}

// The number of elements; a reader makes room for them.
template <class Way, class List>
void describe_size(Way& way, List& list) {
  std::uint64_t size = list.size();
  way.bytes(&size, sizeof size);
  if constexpr (Way::kReads) {
    if (!way.fits(size)) way.damaged = true;
    list.resize(way.damaged ? 0 : size);
  }
}

template <class Way>
void describe(Way& way, std::string& text) {
  describe_size(way, text);
  way.bytes(text.data(), text.size());
}

template <class Way, class A, class B>
void describe(Way& way, std::pair<A, B>& both) {
  describe(way, both.first);
  describe(way, both.second);
}

template <class Way, class T>
void describe(Way& way, std::optional<T>& value) {
  bool there = value.has_value();
  describe(way, there);
  if constexpr (Way::kReads) {
    if (there) value.emplace();
    if (!there) value.reset();
  }
  if (value) describe(way, *value);
}

template <class Way, class T>
void describe(Way& way, std::vector<T>& list) {
  describe_size(way, list);
  for (T& each : list) describe(way, each);
}

template <class Way, class... Fields>
void describe_all(Way& way, Fields&... fields) {
  (describe(way, fields), ...);
}

}  // namespace tessera::launcher
