// SPDX-License-Identifier: BSD-3-Clause
// Numbers and texts as bytes that travel between processes of one machine type: Packer, Unpacker.
#pragma once
//
// Contract. Numbers are 8 bytes, little-endian; texts and bytes follow their length. An Unpacker
// never reads beyond its bytes: after the first value that is not there it is no longer good(), and
// gives zeros and empty texts.
//
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

class Packer {
 public:
  void number(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
  void bytes(std::span<const std::byte> value) {
    number(value.size());
    bytes_.insert(bytes_.end(), value.begin(), value.end());
  }
  void text(std::string_view value) { bytes(std::as_bytes(std::span(value))); }
  void texts(std::span<const std::string> values) {
    number(values.size());
    for (const std::string& value : values) text(value);
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> bytes) noexcept : rest_(bytes) {}

  std::uint64_t number() noexcept {
    if (!has(8)) return 0;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i) value |= static_cast<std::uint64_t>(rest_[i]) << (8 * i);
    rest_ = rest_.subspan(8);
    return value;
  }
  std::span<const std::byte> bytes() noexcept {
    const std::uint64_t size = number();
    if (!has(size)) return {};
    const auto value = rest_.first(size);
    rest_ = rest_.subspan(size);
    return value;
  }
  std::string_view text() noexcept {
    const auto value = bytes();
    return {reinterpret_cast<const char*>(value.data()), value.size()};
  }
  std::vector<std::string> texts() {
    std::vector<std::string> values;
    const std::uint64_t count = number();
    for (std::uint64_t i = 0; i < count && good_; ++i) values.emplace_back(text());
    return values;
  }
  bool good() const noexcept { return good_; }
  bool finished() const noexcept { return good_ && rest_.empty(); }

 private:
  bool has(std::uint64_t size) noexcept {
    good_ = good_ && rest_.size() >= size;
    return good_;
  }
  std::span<const std::byte> rest_;
  bool good_ = true;
};

}  // namespace tessera
