// SPDX-License-Identifier: BSD-3-Clause
// Numbers as users write them: shapes and sets of ranks.
#include "shape.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace tessera::coll::hierarchy {

namespace {

constexpr int kMostRank = 1 << 24;  // keeps slips such as 0..99999999999 from filling the memory

std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<int> number(std::string_view text) noexcept {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > kMostRank)
    return {};
  return value;
}

// The parts between separators, trimmed.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(trim(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

void add_range(std::string_view part, std::vector<int>& ranks) {
  const std::size_t dots = part.find("..");
  const auto first = number(part.substr(0, dots));
  const auto last = dots == std::string_view::npos ? first : number(part.substr(dots + 2));
  if (!first || !last || *first > *last)
    throw Wrong{fmt::format("'{}' is not a rank or a range of ranks such as 0..3", part)};
  for (int rank = *first; rank <= *last; ++rank) ranks.push_back(rank);
}

const std::vector<std::string>& usual_names(std::size_t numbers) {
  static const std::vector<std::string> kNames[] = {{},
                                                    {},
                                                    {"node"},
                                                    {"system", "node"},
                                                    {"system", "node", "socket"},
                                                    {"system", "node", "socket", "cache"}};
  return kNames[numbers];
}

}  // namespace

std::vector<int> ranks_of(std::string_view text) {
  std::vector<int> ranks;
  for (const std::string_view part : split(text, ',')) add_range(part, ranks);
  return ranks;
}

std::vector<int> numbers_of_shape(std::string_view text) {
  std::vector<int> numbers;
  for (const std::string_view part : split(text, 'x')) {
    const auto value = number(part);
    if (!value || *value == 0)
      throw Wrong{fmt::format(
          "'{}' is not a shape such as 2x4x8, which is 2 groups of 4 groups of 8 processes", text)};
    numbers.push_back(*value);
  }
  return numbers;
}

Description levels_of_shape(const std::vector<int>& numbers, const std::vector<std::string>& names,
                            int processes) {
  if (numbers.size() != names.size() && numbers.size() != names.size() + 1)
    throw Wrong{
        fmt::format("the shape has {} numbers for {} levels; it has one for each, or one more for "
                    "the processes in an innermost group",
                    numbers.size(), names.size())};
  long long places = 1;
  for (const int each : numbers) places = std::min<long long>(places * each, kMostRank);
  if (processes > places)
    throw Wrong{fmt::format(
        "the shape has {} places, the job has {} processes; it may have fewer, not more", places,
        processes)};
  Description levels;
  for (std::size_t i = 0; i < names.size(); ++i) {
    long long inside = 1;  // places in a group of this level
    for (std::size_t j = i + 1; j < numbers.size(); ++j)
      inside = std::min<long long>(inside * numbers[j], kMostRank);
    levels.push_back({names[i], std::vector<int>(static_cast<std::size_t>(processes))});
    for (int rank = 0; rank < processes; ++rank)
      levels.back().group[static_cast<std::size_t>(rank)] = static_cast<int>(rank / inside);
  }
  return levels;
}

Result<Description> read_shape(const std::string& shape, int processes) {
  try {
    const auto numbers = numbers_of_shape(shape);
    if (numbers.size() < 2 || numbers.size() > 5)
      throw Wrong{fmt::format(
          "'{}' has {}; a shape has 2 to 5 numbers, such as 2x4x8", shape,
          numbers.size() < 2 ? "one number" : std::to_string(numbers.size()) + " numbers")};
    return levels_of_shape(numbers, usual_names(numbers.size()), processes);
  } catch (const Wrong& wrong) {
    return Status::failure(Errc::argument, "coll_hierarchy_shape: " + wrong.text);
  }
}

}  // namespace tessera::coll::hierarchy
