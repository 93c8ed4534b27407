// SPDX-License-Identifier: BSD-3-Clause
// Prints the record of decisions.
#include "framework/explanation.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace tessera {
namespace {

std::string reply_line(const Reply& reply) {
  const std::string_view mark = reply.chosen ? "*" : " ";
  const std::string said = reply.accepted ? fmt::format("yes, score {:g}", reply.score) : "no";
  const std::string_view separator = reply.text.empty() ? "" : ": ";
  return fmt::format("  {} {:<12} {}{}{}\n", mark, reply.component, said, separator, reply.text);
}

nlohmann::json reply_json(const Reply& reply) {
  return {{"component", reply.component},
          {"accepted", reply.accepted},
          {"chosen", reply.chosen},
          {"score", reply.score},
          {"text", reply.text}};
}

nlohmann::json decision_json(const Decision& decision) {
  nlohmann::json replies = nlohmann::json::array();
  for (const Reply& reply : decision.replies) replies.push_back(reply_json(reply));
  return {{"framework", decision.framework},
          {"question", decision.question},
          {"shape", shape_name(decision.shape)},
          {"replies", replies}};
}

}  // namespace

std::string Explanation::text() const {
  std::string result;
  for (const Decision& decision : decisions_) {
    result += fmt::format("{}: {} ({})\n", decision.framework, decision.question,
                          shape_name(decision.shape));
    for (const Reply& reply : decision.replies) result += reply_line(reply);
    if (decision.replies.empty()) result += "    nobody to ask\n";
  }
  return result;
}

std::string Explanation::json() const {
  nlohmann::json list = nlohmann::json::array();
  for (const Decision& decision : decisions_) list.push_back(decision_json(decision));
  return nlohmann::json{{"decisions", list}}.dump(2, ' ', false,
                                                  nlohmann::json::error_handler_t::replace);
}

}  // namespace tessera
