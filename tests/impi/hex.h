// SPDX-License-Identifier: BSD-3-Clause
// Bytes as text and back: "00 0a ff".
#pragma once

#include <string>
#include <string_view>

#include "impi/wire/bytes.h"

namespace tessera::impi {

inline std::string to_hex(ByteView bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    if (!text.empty()) text += ' ';
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

inline Bytes from_hex(std::string_view text) {
  Bytes bytes;
  for (std::size_t at = 0; at + 1 < text.size(); at += 3)
    bytes.push_back(
        static_cast<std::byte>(std::stoi(std::string(text.substr(at, 2)), nullptr, 16)));
  return bytes;
}

}  // namespace tessera::impi
