// SPDX-License-Identifier: BSD-3-Clause
// What users write for amounts and ranges.
#include "tools/schedules/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace tessera::coll::schedules {

namespace {

[[noreturn]] void bad(const std::string& option, std::string_view text) {
  throw BadInput(fmt::format("{}: '{}' is not a number like 8, 64K or 1MiB", option, text));
}

// 0: no such suffix.
Count unit(std::string_view suffix) {
  if (suffix.empty() || suffix == "B") return 1;
  Count factor = 1024;
  for (const char letter : {'K', 'M', 'G', 'T'}) {
    if (suffix[0] == letter) {
      const std::string_view rest = suffix.substr(1);
      return rest.empty() || rest == "iB" || rest == "B" ? factor : 0;
    }
    factor *= 1024;
  }
  return 0;
}

void append_range(std::vector<Count>& list, Count first, Count last, bool doubling) {
  for (Count at = first; at < last; at = doubling ? std::max<Count>(2 * at, 1) : at + 1)
    list.push_back(at);
  list.push_back(last);
}

}  // namespace

Count parse_amount(const std::string& option, const std::string& text) {
  Count value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const Count factor = unit({end, static_cast<std::size_t>(text.data() + text.size() - end)});
  if (error != std::errc() || value < 0 || factor == 0 ||
      value > std::numeric_limits<Count>::max() / factor)
    bad(option, text);
  return value * factor;
}

std::vector<Count> parse_list(const std::string& option, const std::string& text, bool doubling) {
  std::vector<Count> list;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    const std::size_t dots = item.find("..");
    const Count first = parse_amount(option, item.substr(0, dots));
    const Count last =
        dots == std::string::npos ? first : parse_amount(option, item.substr(dots + 2));
    if (last < first) throw BadInput(fmt::format("{}: '{}' ends before it begins", option, item));
    if (!doubling && last - first > 1'000'000)
      throw BadInput(fmt::format("{}: '{}' is too long a range", option, item));
    append_range(list, first, last, doubling);
    begin = end + 1;
  }
  return list;
}

std::vector<int> parse_ranks(const std::string& text, bool doubling) {
  std::vector<int> ranks;
  for (const Count each : parse_list("--ranks", text, doubling)) {
    if (each < 1 || each > 1'000'000'000)
      throw BadInput(fmt::format("--ranks: {} is not between 1 and 1,000,000,000", each));
    ranks.push_back(static_cast<int>(each));
  }
  return ranks;
}

}  // namespace tessera::coll::schedules
