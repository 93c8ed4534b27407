// SPDX-License-Identifier: BSD-3-Clause
// Prints the record of decisions.
#include "framework/explanation.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/json.h"
#include "framework/text.h"

namespace tessera {
namespace {

// `lead`, and what follows it wrapped under itself.
std::string wrapped(std::string_view lead, std::string_view said, std::size_t columns) {
  std::string block = text::wrap(said, columns, lead.size());
  return std::string(lead) + block.substr(std::min(lead.size(), block.size())) + "\n";
}

std::string reply_lines(const Reply& reply, std::size_t columns) {
  const std::string_view mark = reply.chosen ? "*" : " ";
  const std::string said = reply.accepted ? fmt::format("yes, score {:g}", reply.score) : "no";
  const std::string_view separator = reply.text.empty() ? "" : ": ";
  return wrapped(fmt::format("  {} {:<12} ", mark, reply.component),
                 fmt::format("{}{}{}", said, separator, reply.text), columns);
}

Json reply_json(const Reply& reply) {
  return Json::object({{"component", reply.component},
                       {"accepted", reply.accepted},
                       {"chosen", reply.chosen},
                       {"score", reply.score},
                       {"text", reply.text}});
}

Json decision_json(const Decision& decision) {
  Json replies = Json::array();
  for (const Reply& reply : decision.replies) replies.add(reply_json(reply));
  return Json::object({{"framework", decision.framework},
                       {"question", decision.question},
                       {"shape", shape_name(decision.shape)},
                       {"replies", replies}});
}

}  // namespace

std::string Explanation::text(std::size_t columns) const {
  std::string result;
  for (const Decision& decision : decisions_) {
    result +=
        wrapped(decision.framework + ": ",
                fmt::format("{} ({})", decision.question, shape_name(decision.shape)), columns);
    for (const Reply& reply : decision.replies) result += reply_lines(reply, columns);
    if (decision.replies.empty()) result += "    nobody to ask\n";
  }
  return result;
}

std::string Explanation::json() const {
  Json list = Json::array();
  for (const Decision& decision : decisions_) list.add(decision_json(decision));
  return Json::object({{"decisions", list}}).text();
}

}  // namespace tessera
