// SPDX-License-Identifier: BSD-3-Clause
// Conditions of sections in parameter files.
#include "framework/param_condition.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/utsname.h>

#include <array>
#include <charconv>
#include <limits>
#include <vector>

#include "framework/text.h"

namespace tessera {
namespace {

constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();

struct Range {
  std::uint32_t low = 0;
  std::uint32_t high = most;
};

bool read_number(std::string_view text, std::uint32_t& number) noexcept {
  text = text::trim(text);
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size();
}

Status bad_ranks(std::string_view text) {
  return Status::failure(Errc::argument,
                         fmt::format("'{}' is no condition on ranks; write `ranks >= 16`, with >=, "
                                     ">, <=, < or =, or `ranks 2..8`",
                                     text));
}

// "A..B", either end may be missing.
Result<Range> read_span(std::string_view text, std::size_t dots) {
  Range range;
  const std::string_view low = text::trim(text.substr(0, dots));
  const std::string_view high = text::trim(text.substr(dots + 2));
  const bool readable = (low.empty() || read_number(low, range.low)) &&
                        (high.empty() || read_number(high, range.high)) &&
                        !(low.empty() && high.empty());
  if (!readable) return bad_ranks(text);
  return range;
}

Result<Range> read_range(std::string_view text) {
  if (const std::size_t dots = text.find(".."); dots != std::string_view::npos)
    return read_span(text, dots);
  const std::size_t digits = std::min(text.find_first_not_of("<>= \t"), text.size());
  const std::string_view sign = text::trim(text.substr(0, digits));
  std::uint32_t number = 0;
  if (!read_number(text.substr(digits), number)) return bad_ranks(text);
  if (sign == ">=") return Range{number, most};
  if (sign == "<=") return Range{0, number};
  if (sign == ">" && number < most) return Range{number + 1, most};
  if (sign == "<" && number > 0) return Range{0, number - 1};
  if (sign.empty() || sign == "=" || sign == "==") return Range{number, number};
  return bad_ranks(text);
}

Result<bool> ranks_hold(std::string_view wanted, const ParamContext& context) {
  auto range = read_range(wanted);
  if (!range) return range.status();
  return context.ranks != 0 && context.ranks >= range->low && context.ranks <= range->high;
}

// Whether one of `names` (none of them: never) fits one of the patterns, which are separated by
// bars.
Result<bool> name_fits(std::string_view term, std::string_view patterns,
                       std::initializer_list<std::string_view> names) {
  if (patterns.starts_with('=')) patterns = text::trim(patterns.substr(1));
  if (patterns.empty())
    return Status::failure(
        Errc::argument,
        fmt::format("`{0}` needs a name or a pattern, such as `{0} node*|login1`", term));
  bool fits = false;
  for (std::string_view part : text::split(patterns, '|')) {
    const std::string pattern(text::trim(part));
    for (const std::string_view name : names)
      fits = fits || (!name.empty() && fnmatch(pattern.c_str(), std::string(name).c_str(), 0) == 0);
  }
  return fits;
}

Result<bool> host_holds(std::string_view patterns, const ParamContext& context) {
  const std::string_view host = context.host;
  return name_fits("host", patterns, {host, host.substr(0, host.find('.'))});
}

Status unknown_term(std::string_view word) {
  static const std::array<std::string, 3> known = {"host", "ranks", "communicator"};
  return Status::failure(
      Errc::argument,
      fmt::format(
          "'{}' is no condition{}; there is: host PATTERN, ranks >= N, communicator PATTERN", word,
          text::did_you_mean(word, known)));
}

std::string_view first_word(std::string_view term) noexcept {
  return term.substr(0, std::min(term.find_first_of(" \t=<>"), term.size()));
}

Result<bool> term_holds(std::string_view term, const ParamContext& context) {
  const std::string_view word = first_word(term);
  const std::string_view rest = text::trim(term.substr(word.size()));
  if (word == "host") return host_holds(rest, context);
  if (word == "ranks") return ranks_hold(rest, context);
  if (word == "communicator") return name_fits(word, rest, {context.communicator});
  return unknown_term(word);
}

}  // namespace

std::string host_name() {
  utsname system{};
  return uname(&system) == 0 ? system.nodename : "";
}

Result<bool> condition_holds(std::string_view condition, const ParamContext& context) {
  bool holds = true;
  if (text::trim(condition).empty()) return true;
  for (std::string_view term : text::split(condition, ',')) {
    auto one = term_holds(text::trim(term), context);
    if (!one) return one.status();
    holds = holds && *one;
  }
  return holds;
}

bool about_communicators(std::string_view condition) noexcept {
  for (std::string_view term : text::split(condition, ','))
    if (first_word(text::trim(term)) == "communicator") return true;
  return false;
}

}  // namespace tessera
