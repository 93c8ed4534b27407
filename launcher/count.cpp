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

Status parse_cpus(std::string_view word, std::vector<std::uint32_t>& into) {
  constexpr std::uint32_t kMost = 1U << 16;
  const std::size_t dash = word.find('-');
  std::uint32_t ends[2];
  const std::string_view texts[2] = {word.substr(0, dash),
                                     dash == std::string_view::npos ? word : word.substr(dash + 1)};
  for (int i = 0; i < 2; ++i) {
    const bool digits = !texts[i].empty() && texts[i].size() <= 5 &&
                        texts[i].find_first_not_of("0123456789") == std::string_view::npos;
    ends[i] = digits ? static_cast<std::uint32_t>(std::stoul(std::string(texts[i]))) : kMost;
  }
  if (ends[0] > ends[1] || ends[1] >= kMost)
    return Status::failure(
        Errc::argument, "'" + std::string(word) + "' is no CPU and no range of CPUs such as 0-3");
  for (std::uint32_t cpu = ends[0]; cpu <= ends[1]; ++cpu) into.push_back(cpu);
  return {};
}

}  // namespace tessera::launcher
