// SPDX-License-Identifier: BSD-3-Clause
// Writing out short forms of lists.
#include "launcher/across/names.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "framework/text.h"
#include "launcher/command_line.h"

namespace tessera::launcher::across {
namespace {

constexpr std::size_t kMostHosts = 1U << 16;

Status wrong(std::string_view text, std::string_view why) {
  return Status::failure(Errc::argument, "'" + std::string(text) + "': " + std::string(why));
}

std::optional<std::uint32_t> number(std::string_view text) noexcept {
  std::uint32_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || stop != text.data() + text.size()) return {};
  return value;
}

std::string padded(std::uint32_t value, std::size_t digits) {
  std::string text = std::to_string(value);
  if (text.size() < digits) text.insert(0, digits - text.size(), '0');
  return text;
}

// Commas inside brackets separate ranges, not hosts.
std::vector<std::string_view> entries_of(std::string_view list) {
  std::vector<std::string_view> entries;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at <= list.size(); ++at) {
    if (at < list.size() && list[at] == '[') ++depth;
    if (at < list.size() && list[at] == ']') --depth;
    if (at < list.size() && (list[at] != ',' || depth > 0)) continue;
    entries.push_back(text::trim(list.substr(begin, at - begin)));
    begin = at + 1;
  }
  return entries;
}

bool is_ranges(std::string_view text) noexcept {
  return !text.empty() && text.find_first_not_of("0123456789-,") == std::string_view::npos;
}

// "01-04,7" as numbers in words.
Result<std::vector<std::string>> numbers_of(std::string_view ranges, std::string_view entry) {
  std::vector<std::string> numbers;
  for (std::string_view range : text::split(ranges, ',')) {
    const std::size_t dash = range.find('-');
    const auto first = number(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number(range.substr(dash + 1));
    if (!first || !last || *last < *first || *last - *first >= kMostHosts)
      return wrong(entry, "'" + std::string(range) + "' is no number and no range such as 1-4");
    const std::size_t digits = std::min(range.size(), dash);
    for (std::uint32_t value = *first; value <= *last; ++value)
      numbers.push_back(padded(value, digits));
  }
  return numbers;
}

// Writes out the first range of an entry, and then the others.
Status expand_into(std::vector<std::string>& hosts, const std::string& before,
                   std::string_view entry) {
  const std::size_t open = entry.find('[');
  const std::size_t close = entry.find(']', open);
  if (open == std::string_view::npos) return hosts.push_back(before + std::string(entry)), Status();
  if (close == std::string_view::npos) return wrong(entry, "its '[' is not closed");
  const std::string_view ranges = entry.substr(open + 1, close - open - 1);
  const std::string head = before + std::string(entry.substr(0, open));
  if (!is_ranges(ranges))
    return expand_into(hosts, head + "[" + std::string(ranges) + "]", entry.substr(close + 1));
  const auto numbers = numbers_of(ranges, entry);
  if (!numbers.ok()) return numbers.status();
  for (const std::string& each : numbers.value()) {
    if (Status s = expand_into(hosts, head + each, entry.substr(close + 1)); !s) return s;
    if (hosts.size() > kMostHosts) return wrong(entry, "these are more than 65536 hosts");
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> expand_hosts(std::string_view list) {
  std::vector<std::string> hosts;
  for (std::string_view entry : entries_of(list)) {
    if (entry.empty()) continue;
    if (Status s = expand_into(hosts, "", entry); !s) return s;
  }
  return hosts;
}

Result<std::vector<std::uint32_t>> expand_counts(std::string_view list) {
  std::vector<std::uint32_t> counts;
  for (std::string_view entry : text::split(list, ',')) {
    const std::size_t open = entry.find("(x");
    const auto count = number(text::trim(entry.substr(0, open)));
    std::optional<std::uint32_t> times = 1;
    if (open != std::string_view::npos)
      times = entry.back() == ')' ? number(entry.substr(open + 2, entry.size() - open - 3))
                                  : std::nullopt;
    if (!count || !times || *times > kMostHosts || counts.size() > kMostHosts)
      return wrong(list, "not a list of counts such as 2(x3),1");
    counts.insert(counts.end(), *times, *count);
  }
  return counts;
}

std::vector<std::string> words_of_line(std::string_view line) {
  std::vector<std::string> words;
  bool joins = false;
  std::string text(line.substr(0, line.find('#')));
  for (char& c : text)
    if (c == '\t') c = ' ';
  for (std::string_view word : text::split(text, ' ')) {
    word = text::trim(word);
    if (word.empty()) continue;
    if (!words.empty() && (joins || word.front() == '='))
      words.back() += word;
    else
      words.emplace_back(word);
    joins = word.back() == '=';
  }
  return words;
}

}  // namespace tessera::launcher::across
