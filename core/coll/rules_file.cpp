// SPDX-License-Identifier: BSD-3-Clause
// Reading files of rules that choose collective algorithms.
#include "core/coll/rules_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

#include "framework/text.h"
#include "tessera/yaml.h"

namespace tessera::coll {
namespace {

struct Problem {
  int line;
  std::string text;
};

std::string word_of(const yaml::Node& node, std::string_view what) {
  if (!node.is_scalar()) throw Problem{node.line(), fmt::format("{} must be a plain value", what)};
  return node.text();
}

[[noreturn]] void unknown(const yaml::Node& node, std::string_view what,
                          const std::vector<std::string>& known) {
  const std::string word = node.text();
  throw Problem{node.line(), fmt::format("there is no {} '{}'{}; there are {}", what, word,
                                         text::did_you_mean(word, known), text::join(known, ", "))};
}

// A number with K, M or G behind it where it counts bytes.
template <class T>
std::optional<T> number(std::string_view word, bool bytes) {
  T scale = 1;
  if (bytes && !word.empty()) {
    const std::size_t unit = std::string_view("KMG").find(word.back());
    if (unit != std::string_view::npos) {
      scale = static_cast<T>(T{1} << (10 * (unit + 1)));
      word.remove_suffix(1);
    }
  }
  T value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value < 0) return std::nullopt;
  if (value > std::numeric_limits<T>::max() / scale) return std::nullopt;
  return static_cast<T>(value * scale);
}

template <class T>
Rule::Range<T> range(const yaml::Node& node, std::string_view key) {
  constexpr bool bytes = sizeof(T) > sizeof(int);
  const std::string word = word_of(node, key);
  const std::size_t dots = word.find("..");
  Rule::Range<T> range;
  const auto read = [&](std::string_view part, T& value) {
    const auto parsed = number<T>(part, bytes);
    if (!parsed)
      throw Problem{node.line(),
                    fmt::format("{}: '{}' is not a range such as 8, 2..8, ..{} or {}..", key, word,
                                bytes ? "64K" : "8", bytes ? "64K" : "8")};
    value = *parsed;
  };
  const std::string_view view = word;
  if (dots == std::string::npos) {
    read(view, range.least);
    range.most = range.least;
    return range;
  }
  if (dots > 0 || word.size() == 2) read(view.substr(0, dots), range.least);
  if (dots + 2 < word.size()) read(view.substr(dots + 2), range.most);
  if (range.least > range.most)
    throw Problem{node.line(),
                  fmt::format("{}: '{}' holds no number; the smaller end comes first", key, word)};
  return range;
}

Rule::Only only(const yaml::Node& node, std::string_view key) {
  const std::string word = word_of(node, key);
  if (word == "yes" || word == "true") return Rule::Only::yes;
  if (word == "no" || word == "false") return Rule::Only::no;
  throw Problem{node.line(), fmt::format("{}: '{}' is neither yes nor no", key, word)};
}

template <class T>
T tuning_value(const yaml::Node& node, std::string_view key, bool bytes) {
  const std::string word = word_of(node, key);
  const auto value = number<T>(word, bytes);
  if (!value || *value < 1)
    throw Problem{node.line(),
                  fmt::format("{}: '{}' is not a {}", key, word,
                              bytes ? "number of bytes such as 64K" : "positive number")};
  return *value;
}

const std::vector<std::string>& keys() {
  static const std::vector<std::string> all = {
      "component", "algorithm", "segment",  "radix",          "bytes",
      "processes", "nodes",     "per_node", "oversubscribed", "commutative"};
  return all;
}

void read_entry(const yaml::Node& key, const yaml::Node& value, RuleLine& line) {
  const std::string name = word_of(key, "a key");
  Rule& rule = line.rule;
  if (name == "component")
    line.component = word_of(value, name);
  else if (name == "algorithm")
    line.algorithm = word_of(value, name);
  else if (name == "segment")
    rule.tuning.segment = tuning_value<Count>(value, name, true);
  else if (name == "radix")
    rule.tuning.radix = tuning_value<int>(value, name, false);
  else if (name == "bytes")
    rule.bytes = range<Count>(value, name);
  else if (name == "processes")
    rule.processes = range<int>(value, name);
  else if (name == "nodes")
    rule.nodes = range<int>(value, name);
  else if (name == "per_node")
    rule.per_node = range<int>(value, name);
  else if (name == "oversubscribed" || name == "crowded")  // the second is its old name
    rule.oversubscribed = only(value, name);
  else if (name == "commutative")
    rule.commutative = only(value, name);
  else if (name == "contiguous")
    throw Problem{key.line(),
                  "'contiguous' is no condition: processes may describe the data of one operation "
                  "by different datatypes, and then would not choose alike; leave it out"};
  else
    unknown(key, "key", keys());
}

RuleLine read_rule(const std::string& path, Operation operation, const yaml::Node& map,
                   const RuleJudge& judge) {
  if (!map.is_map())
    throw Problem{map.line(),
                  "a rule is a map such as {algorithm: ring, bytes: 64K.., processes: 3..}"};
  RuleLine line;
  line.operation = operation;
  line.where = fmt::format("{}:{}", path, map.line());
  std::vector<std::string> seen;
  for (const auto& entry : map.entries()) {
    const std::string name = word_of(entry.key, "a key");
    if (std::find(seen.begin(), seen.end(), name) != seen.end())
      throw Problem{entry.key.line(), fmt::format("'{}' stands there twice", name)};
    seen.push_back(name);
    read_entry(entry.key, entry.value, line);
  }
  if (const std::string complaint = judge ? judge(line) : ""; !complaint.empty())
    throw Problem{map.line(), complaint};
  return line;
}

Operation operation_of(const yaml::Node& key) {
  const std::string word = word_of(key, "an operation");
  for (std::size_t i = 0; i < kOperations; ++i) {
    if (word == kOperationNames[i]) return static_cast<Operation>(i);
  }
  unknown(key, "operation", {std::begin(kOperationNames), std::end(kOperationNames)});
}

std::vector<RuleLine> read_all(const std::string& path, const yaml::Node& root,
                               const RuleJudge& judge) {
  std::vector<RuleLine> lines;
  if (root.is_null()) return lines;
  if (!root.is_map())
    throw Problem{root.line(), "the file must be a map from operations to lists of rules"};
  for (const auto& entry : root.entries()) {
    const Operation operation = operation_of(entry.key);
    if (!entry.value.is_sequence())
      throw Problem{entry.key.line(),
                    fmt::format("what follows {} must be a list of rules", name(operation))};
    for (const yaml::Node& rule : entry.value.elements())
      lines.push_back(read_rule(path, operation, rule, judge));
  }
  return lines;
}

}  // namespace

Result<std::vector<RuleLine>> parse_rules(const std::string& path, const std::string& text,
                                          const RuleJudge& judge) {
  const auto wrong = [&path](int line, const std::string& why) {
    return Status::failure(Errc::argument, fmt::format("{}:{}: {}", path, line, why));
  };
  const yaml::Document document(text);
  if (!document.ok()) return wrong(document.error_line(), document.error());
  try {
    return read_all(path, document.root(), judge);
  } catch (const Problem& problem) {
    return wrong(problem.line, problem.text);
  }
}

Result<std::vector<RuleLine>> read_rules(const std::string& path, const RuleJudge& judge) {
  std::ifstream file(path);
  if (!file)
    return Status::failure(Errc::not_found,
                           fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return Status::failure(Errc::refused, fmt::format("cannot read '{}'", path));
  return parse_rules(path, text.str(), judge);
}

}  // namespace tessera::coll
