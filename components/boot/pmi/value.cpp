// SPDX-License-Identifier: BSD-3-Clause
// base64url with a header: 8 hexadecimal digits of length, 16 of checksum.
#include "value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>

namespace tessera::boot::pmi {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t kHeader = 24;

std::uint64_t checksum(std::span<const std::byte> value) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte one : value) hash = (hash ^ static_cast<std::uint64_t>(one)) * 0x100000001b3;
  return hash;
}

std::size_t text_bytes(std::size_t value_bytes) noexcept {
  return kHeader + (value_bytes * 8 + 5) / 6;
}

std::string encode(std::span<const std::byte> value) {
  char header[kHeader + 1];
  std::snprintf(header, sizeof header, "%08zx%016llx", value.size(),
                static_cast<unsigned long long>(checksum(value)));
  std::string text(header);
  text.reserve(text_bytes(value.size()));
  unsigned bits = 0, held = 0;
  for (const std::byte one : value) {
    bits = (bits << 8 | static_cast<unsigned>(one)) & 0xffff;
    for (held += 8; held >= 6; held -= 6) text += kDigits[bits >> (held - 6) & 63];
  }
  if (held > 0) text += kDigits[bits << (6 - held) & 63];
  return text;
}

template <class Number>
bool read_hex(std::string_view text, Number& number) noexcept {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  return error == std::errc() && stop == text.data() + text.size();
}

// The length that a text begins with.
std::optional<std::size_t> length_of(std::string_view text) noexcept {
  std::size_t length = 0;
  if (text.size() < kHeader || !read_hex(text.substr(0, 8), length)) return std::nullopt;
  return length;
}

}  // namespace

std::vector<std::string> split(std::span<const std::byte> value, std::size_t piece_bytes) {
  const std::string text = encode(value);
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size(); at += piece_bytes)
    pieces.push_back(text.substr(at, piece_bytes));
  return pieces;
}

std::optional<std::size_t> pieces_after(std::string_view first, std::size_t piece_bytes) {
  const auto length = length_of(first);
  if (!length) return std::nullopt;
  const std::size_t bytes = text_bytes(*length);
  if (first.size() != std::min(bytes, piece_bytes)) return std::nullopt;
  return (bytes - 1) / piece_bytes;
}

std::optional<std::vector<std::byte>> join(std::string_view text) {
  const auto length = length_of(text);
  std::uint64_t sum = 0;
  if (!length || text.size() != text_bytes(*length) || !read_hex(text.substr(8, 16), sum))
    return std::nullopt;
  std::vector<std::byte> value;
  value.reserve(*length);
  unsigned bits = 0, held = 0;
  for (const char c : text.substr(kHeader)) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = (bits << 6 | static_cast<unsigned>(digit)) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    value.push_back(static_cast<std::byte>(bits >> held & 255));
  }
  if (value.size() != *length || checksum(value) != sum) return std::nullopt;
  return value;
}

}  // namespace tessera::boot::pmi
