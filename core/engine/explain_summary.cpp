// SPDX-License-Identifier: BSD-3-Clause
// The first lines of --explain.
#include "core/engine/explain_summary.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "framework/terminal.h"
#include "framework/text.h"

namespace tessera {
namespace {

constexpr std::size_t kIndent = 15;

// "  sm           text", continued below the text.
std::string line(std::string_view name, std::string_view content) {
  const std::string head = fmt::format("  {:<12} ", name);
  std::string body = text::wrap(content, output_columns(STDERR_FILENO), kIndent);
  body.replace(0, std::min(kIndent, body.size()), head);
  return body + '\n';
}

// What a question about a call is about: "which algorithm runs OPERATION[ of A..B bytes] on COMM",
// as core/coll/explain.cpp words it.
struct Asked {
  std::string_view operation;
  std::string_view amount;  // "A..B bytes"; empty when the operation moves none
  std::string_view communicator;
};

std::optional<Asked> read_question(std::string_view question) {
  constexpr std::string_view kLead = "which algorithm runs ", kOf = " of ", kOn = " on ";
  if (!question.starts_with(kLead)) return std::nullopt;
  question.remove_prefix(kLead.size());
  const std::size_t on = question.find(kOn);
  if (on == std::string_view::npos) return std::nullopt;
  Asked asked{question.substr(0, on), {}, question.substr(on + kOn.size())};
  if (const std::size_t of = asked.operation.find(kOf); of != std::string_view::npos) {
    asked.amount = asked.operation.substr(of + kOf.size());
    asked.operation = asked.operation.substr(0, of);
  }
  return asked;
}

// One way in which operations were carried out on a communicator.
struct Way {
  std::string_view communicator;
  std::string_view component;
  std::string_view algorithm;
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>> operations;  // amounts

  void add(const Asked& asked) {
    auto known = std::find_if(operations.begin(), operations.end(),
                              [&](const auto& one) { return one.first == asked.operation; });
    if (known == operations.end()) known = operations.insert(known, {asked.operation, {}});
    if (!asked.amount.empty()) known->second.push_back(asked.amount);
  }
};

class Ways {
 public:
  void add(const Decision& decision) {
    const auto asked = read_question(decision.question);
    if (!asked) return;
    for (const Reply& reply : decision.replies)
      if (reply.chosen) way(asked->communicator, reply).add(*asked);
  }

  std::string text() const {
    std::string result;
    std::string_view communicator;
    for (const Way& way : ways_) {
      if (way.communicator != communicator)
        result += fmt::format("tessera: collective operations on {}\n", way.communicator);
      communicator = way.communicator;
      result += line(way.component, fmt::format("{}: {}", way.algorithm, operations_of(way)));
    }
    return result;
  }

 private:
  // Ways of one communicator stand together, in the order in which they were first used.
  Way& way(std::string_view communicator, const Reply& reply) {
    const auto same = [&](const Way& one) {
      return one.communicator == communicator && one.component == reply.component &&
             one.algorithm == reply.text;
    };
    if (const auto known = std::find_if(ways_.begin(), ways_.end(), same); known != ways_.end())
      return *known;
    auto place = std::find_if(ways_.rbegin(), ways_.rend(), [&](const Way& one) {
                   return one.communicator == communicator;
                 }).base();
    if (place == ways_.begin()) place = ways_.end();
    return *ways_.insert(place, {communicator, reply.component, reply.text, {}});
  }

  bool in_several_ways(std::string_view communicator, std::string_view operation) const {
    return 1 < std::count_if(ways_.begin(), ways_.end(), [&](const Way& way) {
             return way.communicator == communicator &&
                    std::any_of(way.operations.begin(), way.operations.end(),
                                [&](const auto& one) { return one.first == operation; });
           });
  }

  std::string operations_of(const Way& way) const {
    std::vector<std::string> words;
    for (const auto& [operation, amounts] : way.operations) {
      const bool exact = !amounts.empty() && in_several_ways(way.communicator, operation);
      words.push_back(exact ? fmt::format("{} of {}", operation, fmt::join(amounts, " or "))
                            : std::string(operation));
    }
    return fmt::format("{}", fmt::join(words, ", "));
  }

  std::vector<Way> ways_;
};

}  // namespace

std::string transports_in_short(const Decision& use, const Decision* opened) {
  std::string result = "tessera: messages between the ranks\n";
  for (const Reply& reply : use.replies) {
    if (!reply.chosen) continue;
    std::string content = reply.text;
    if (opened != nullptr)
      for (const Reply& other : opened->replies)
        if (other.component == reply.component && other.chosen && !other.text.empty())
          content += " (" + other.text + ")";
    result += line(reply.component, content);
  }
  return result;
}

std::string collectives_in_short(std::span<const Decision> decisions) {
  Ways ways;
  for (const Decision& decision : decisions)
    if (decision.framework == "coll") ways.add(decision);
  return ways.text();
}

}  // namespace tessera
