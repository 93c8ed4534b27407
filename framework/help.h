// SPDX-License-Identifier: BSD-3-Clause
// Help topics: what went wrong and what to do next, as constants checked by the compiler.
#pragma once
//
// Contract. A topic is a constant of type HelpTopic<number of arguments>, declared beside the code
// that uses it (this folder's are in help_topics.h). Its texts contain {0}, {1}, ... for the
// arguments; their number is checked when the topic is compiled, and the number given when it is
// used. A topic that does not exist cannot be used; a test finds those that nobody uses.
//
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "tessera/status.h"

namespace tessera {

// How many arguments the pattern needs: one more than the greatest index in {0}, {1}, ...
constexpr std::size_t count_placeholders(std::string_view pattern) {
  std::size_t count = 0;
  for (std::size_t i = 0; i + 2 < pattern.size(); ++i) {
    if (pattern[i] != '{') continue;
    if (pattern[i + 1] < '0' || pattern[i + 1] > '9' || pattern[i + 2] != '}')
      throw "write {0}, {1}, ...";
    const auto index = static_cast<std::size_t>(pattern[i + 1] - '0');
    if (index + 1 > count) count = index + 1;
  }
  return count;
}

template <std::size_t Arguments>
struct HelpTopic {
  std::string_view name;       // stable, for searching: "param-bad-value"
  std::string_view what;       // what is wrong
  std::string_view next_step;  // what to do about it

  constexpr HelpTopic(std::string_view name_, std::string_view what_, std::string_view next_step_)
      : name(name_), what(what_), next_step(next_step_) {
    const std::size_t count = std::max(count_placeholders(what), count_placeholders(next_step));
    if (count != Arguments) throw "the number of arguments is not that of the placeholders";
  }
};

// The text of a topic: what is wrong, then "What to do:" and the next step if there is one, then
// the topic's name. Lines are not wrapped.
std::string format_help(std::string_view name, std::string_view what, std::string_view next_step,
                        std::span<const std::string_view> arguments);

template <std::size_t Arguments, class... Args>
std::string help_text(const HelpTopic<Arguments>& topic, const Args&... args) {
  static_assert(sizeof...(Args) == Arguments, "the topic takes another number of arguments");
  const std::array<std::string_view, Arguments> list = {std::string_view(args)...};
  return format_help(topic.name, topic.what, topic.next_step, list);
}

// A failure whose text is that of the topic.
template <std::size_t Arguments, class... Args>
Status help_failure(Errc code, const HelpTopic<Arguments>& topic, const Args&... args) {
  return Status::failure(code, help_text(topic, args...));
}

// Writes a text to standard error as one block, each line after "tessera: " or indented below it,
// wrapped (framework/terminal.h).
void print_help(std::string_view text);

template <std::size_t Arguments, class... Args>
void show_help(const HelpTopic<Arguments>& topic, const Args&... args) {
  print_help(help_text(topic, args...));
}

}  // namespace tessera
