// SPDX-License-Identifier: BSD-3-Clause
// What --explain prints: the decisions recorded so far, and which transport goes where.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "core/instance.h"

namespace tessera {
namespace {

// "0", "2-5": ranks that are reached the same way, as ranges.
std::string ranges(const std::vector<std::uint32_t>& ids) {
  std::string text;
  for (std::size_t i = 0; i < ids.size();) {
    std::size_t last = i;
    while (last + 1 < ids.size() && ids[last + 1] == ids[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", ids[i]);
    if (last > i) text += fmt::format("-{}", ids[last]);
    i = last + 1;
  }
  return text;
}

void print(const std::string& text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // nobody is left to be told
}

}  // namespace

// Ranks are grouped by the component that carries messages to them.
Decision Instance::transports() const {
  Decision decision{"btl",
                    fmt::format("which transport carries messages from rank {} to whom", job().my_id()),
                    Shape::ranked,
                    {}};
  std::vector<std::pair<std::string, std::vector<std::uint32_t>>> groups;
  for (std::uint32_t id = 0; id < job().size(); ++id) {
    const std::string name(router_->serves(job().peer(id)));
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == name; });
    if (group == groups.end()) group = groups.insert(groups.end(), {name, {}});
    group->second.push_back(id);
  }
  for (const auto& [name, ids] : groups)
    decision.replies.push_back({name, true, 0, "ranks " + ranges(ids), true});
  return decision;
}

void Instance::explain_start() {
  if (!explains("select") || job().my_id() != 0) return;
  explanation_.record(transports());
  if (!explains("json")) print("tessera: what was selected at start-up\n" + explanation_.text());
  explained_ = explains("json") ? 0 : explanation_.decisions().size();
}

// Collective and topology components are asked on first use, so their story is told at the end.
void Instance::explain_end() {
  if (params().text("core_explain").empty() || job().my_id() != 0) return;
  if (explains("json")) return print(explanation_.json() + "\n");
  Explanation rest;
  for (std::size_t i = explained_; i < explanation_.decisions().size(); ++i) {
    const Decision& decision = explanation_.decisions()[i];
    if (explains("select") || decision.framework == "coll") rest.record(decision);
  }
  if (!rest.decisions().empty()) print("tessera: what was selected on first use\n" + rest.text());
}

}  // namespace tessera
