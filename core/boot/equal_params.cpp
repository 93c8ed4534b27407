// SPDX-License-Identifier: BSD-3-Clause
// Comparison of parameters among ranks.
#include "core/boot/equal_params.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <string>

#include "framework/help.h"
#include "framework/help_topics.h"
#include "framework/text.h"

namespace tessera {
namespace {

constexpr std::size_t slot_bytes =
    4096;  // values of one rank; what does not fit is compared but not shown
constexpr std::uint64_t rank_mask = 0xffff;

struct Value {
  std::string text;
  std::string source;
};
using Values = std::map<std::string, Value, std::less<>>;

Values parse(std::string_view lines) {
  Values values;
  for (std::string_view line : text::split(lines, '\n')) {
    const auto fields = text::split(line, '\t');
    if (fields.size() == 3)
      values[std::string(fields[0])] = {text::unescape(fields[1]), text::unescape(fields[2])};
  }
  return values;
}

// FNV-1a over names and values; where they came from may differ. The low bits make room for the
// rank.
std::uint64_t opinion(const Values& values, std::uint32_t rank) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](std::string_view text) {
    for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    hash = hash * 0x100000001b3;
  };
  for (const auto& [name, value] : values) add(name), add(value.text);
  hash ^= hash << 16;  // the low bits count too
  return (hash & ~rank_mask) | std::uint64_t{1} << 63 | rank;
}

// Where a rank writes its values for others to read, or null.
char* slot(const JobView& view, std::uint32_t rank) noexcept {
  auto region = view.segment().region("tessera.params", slot_bytes * view.segment().ranks());
  return region.ok() ? reinterpret_cast<char*>(region.value().base()) + slot_bytes * rank : nullptr;
}

void publish(const JobView& view, std::string_view lines) noexcept {
  if (lines.empty()) return;
  char* const mine = slot(view, view.rank());
  if (mine != nullptr) lines.copy(mine, slot_bytes - 1);
}

Values published(const JobView& view, std::uint32_t rank) {
  const char* const theirs = slot(view, rank);
  return theirs == nullptr ? Values() : parse({theirs, strnlen(theirs, slot_bytes - 1)});
}

class Comparison {
 public:
  Comparison(const ParamRegistry& params, std::uint32_t first, std::uint32_t second)
      : params_(params), first_(first), second_(second) {}

  std::string text(const Values& of_first, const Values& of_second) {
    for (const auto& [name, value] : of_first) compare(name, of_first, of_second);
    for (const auto& [name, value] : of_second)
      if (!of_first.contains(name)) compare(name, of_first, of_second);
    if (more_ > 0) text_ += fmt::format("; and {} more", more_);
    return text_.empty() ? "too many to be shown" : text_;
  }

 private:
  Value value_of(const std::string& name, const Values& values) const {
    if (const auto found = values.find(name); found != values.end()) return found->second;
    return {
        plain_text(
            parse_value(params_.find(name)->spec, params_.find(name)->spec.default_text).value()),
        "default"};
  }

  void compare(const std::string& name, const Values& of_first, const Values& of_second) {
    constexpr int most_shown = 4;
    if (params_.find(name) == nullptr) return;
    const Value a = value_of(name, of_first);
    const Value b = value_of(name, of_second);
    if (a.text == b.text) return;
    if (++shown_ > most_shown) return void(++more_);
    text_ += fmt::format("{}{} is '{}' on rank {} ({}) and '{}' on rank {} ({})",
                         text_.empty() ? "" : "; ", name, a.text, first_, a.source, b.text, second_,
                         b.source);
  }

  const ParamRegistry& params_;
  std::uint32_t first_;
  std::uint32_t second_;
  std::string text_;
  int shown_ = 0;
  int more_ = 0;
};

}  // namespace

Status check_equal_params(const ParamRegistry& params, const JobView& view) {
  const std::string lines = params.uniform_values();
  const Values mine = parse(lines);
  publish(view, lines);
  const std::uint64_t own = opinion(mine, view.rank());
  const std::uint64_t first = view.segment().first_opinion(own);
  if ((first & ~rank_mask) == (own & ~rank_mask)) return {};
  const auto other = static_cast<std::uint32_t>(first & rank_mask);
  const std::uint32_t theirs = view.segment().id_of(other);
  return help_failure(Errc::argument, topics::param_ranks_differ, std::to_string(theirs),
                      std::to_string(view.id()),
                      Comparison(params, theirs, view.id()).text(published(view, other), mine));
}

std::uint64_t opinion_of(const JobSegment& segment) noexcept {
  return segment.first_opinion(0) & ~rank_mask;
}

}  // namespace tessera
