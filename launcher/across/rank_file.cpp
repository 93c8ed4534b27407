// SPDX-License-Identifier: BSD-3-Clause
// Reads rank files.
#include "launcher/across/rank_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

#include "framework/text.h"
#include "launcher/across/names.h"
#include "launcher/placement/slot_list.h"

namespace tessera::launcher::across {
namespace {

constexpr std::uint32_t kMostRanks = 1U << 16;

Status wrong(const std::string& what) {
  return Status::failure(Errc::argument, what + "; a line is: rank N=HOST slot=SLOTS");
}

// The value of "name=value"; empty: it is another word.
std::string value_of(const std::string& word, std::string_view name) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return {};
  return text::equal_ignoring_case(word.substr(0, equals), name) ? word.substr(equals + 1) : "";
}

Status read_rank(const std::string& word, std::uint32_t& rank, std::string& host) {
  const std::size_t equals = std::min(word.find('='), word.size());
  const auto [stop, error] = std::from_chars(word.data(), word.data() + equals, rank);
  if (error != std::errc() || stop != word.data() + equals || rank >= kMostRanks)
    return wrong(fmt::format("'{}' is not the number of a rank", word.substr(0, equals)));
  host = equals < word.size() ? word.substr(equals + 1) : "";
  return host.empty() ? wrong(fmt::format("'{}' names no host", word)) : Status();
}

Status take_line(const std::string& text, std::uint32_t number, std::vector<RankLine>& lines) {
  const std::vector<std::string> words = words_of_line(text);
  if (words.empty()) return {};
  if (!text::equal_ignoring_case(words[0], "rank") || words.size() < 2)
    return wrong(fmt::format("'{}' is not understood", text::trim(text)));
  std::uint32_t rank = 0;
  RankLine line{"", "", number};
  if (const Status status = read_rank(words[1], rank, line.host); !status) return status;
  for (std::size_t i = 2; i < words.size(); ++i) {
    std::string slots = value_of(words[i], "slot");
    if (slots.empty()) slots = value_of(words[i], "slots");
    if (slots.empty() || !line.slots.empty())
      return wrong(fmt::format("'{}' is not understood", words[i]));
    if (const Status status = check_slots(slots); !status) return status;
    line.slots = std::move(slots);
  }
  if (lines.size() <= rank) lines.resize(rank + 1);
  if (!lines[rank].host.empty())
    return Status::failure(Errc::argument,
                           fmt::format("line {} is about rank {} already", lines[rank].line, rank));
  lines[rank] = std::move(line);
  return {};
}

}  // namespace

Result<std::vector<RankLine>> read_rank_file(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    return Status::failure(Errc::not_found,
                           fmt::format("rank file '{}': {}", path, strerror(errno)));
  std::vector<RankLine> lines;
  std::uint32_t number = 0;
  for (std::string line; std::getline(file, line);)
    if (const Status status = take_line(line, ++number, lines); !status)
      return Status::failure(status.code(), fmt::format("{}:{}: {}", path, number, status.text()));
  if (!lines.empty()) return lines;
  return Status::failure(Errc::argument,
                         fmt::format("rank file '{}' is about no rank: write a line for each, "
                                     "rank N=HOST slot=SLOTS",
                                     path));
}

}  // namespace tessera::launcher::across
