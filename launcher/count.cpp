// SPDX-License-Identifier: BSD-3-Clause
// Reads a number of ranks or CPUs.
#include "launcher/count.h"

#include <charconv>
#include <string>

namespace tessera::launcher {

Result<std::uint32_t> parse_count(std::string_view text) {
  constexpr std::uint32_t kMost = 1U << 16;
  std::uint32_t count = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc() && stop == text.data() + text.size() && count >= 1 && count <= kMost)
    return count;
  return Status::failure(
      Errc::argument,
      "'" + std::string(text) + "' is not a whole number from 1 to " + std::to_string(kMost));
}

}  // namespace tessera::launcher
