// SPDX-License-Identifier: BSD-3-Clause
// Numbers as process managers write them.
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

namespace tessera::boot::pmi {

// False: the text is not a decimal number and nothing else.
template <class Number>
bool parse_number(std::string_view text, Number& number) noexcept {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size();
}

}  // namespace tessera::boot::pmi
