// SPDX-License-Identifier: BSD-3-Clause
// What --explain prints: the decisions recorded so far, and which transport carries whose messages.
#include <fmt/format.h>
#include <unistd.h>

#include <string>

#include "core/comm/agreement.h"
#include "core/engine/explain_summary.h"
#include "core/engine/instance.h"
#include "core/op/components.h"
#include "core/transport/transport_matrix.h"
#include "framework/terminal.h"

namespace tessera {
namespace {

// Names of components travel in records of this size; longer ones are cut.
constexpr std::size_t kNameBytes = 32;

void print(const std::string& text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // nobody is left to be told
}

// Wrapped for people alone: where the lines do not end at a terminal they stay whole, for grep.
std::size_t columns() noexcept {
  return output_columns(STDERR_FILENO, Explanation::kUnlimited);
}

}  // namespace

// What carries messages from every rank to every other one; all processes take part. Empty when it
// cannot be found out.
std::vector<std::string> Instance::gather_transports() {
  const std::uint32_t n = job().size();
  std::vector<char> mine(n * kNameBytes);
  for (std::uint32_t id = 0; id < n; ++id)
    router_->serves(job().peer(id)).copy(&mine[id * kNameBytes], kNameBytes - 1);
  std::vector<char> all(n * mine.size());
  if (n == 1) {
    all = mine;
  } else if (!allgather(everybody(kExplainTag), mine.data(), mine.size(), all.data()).ok()) {
    return {};
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < all.size(); i += kNameBytes) names.emplace_back(&all[i]);
  return names;
}

Decision Instance::describe(const TransportMatrix& matrix) const {
  Decision decision{
      "btl", "which transport carries messages between which ranks", Shape::ranked, {}};
  const std::span<const BtlRouter::Opened> modules = router_->modules();
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const BtlRouter::Opened& opened = modules[i];
    if (i > 0 && modules[i - 1].component == opened.component) continue;  // of the same component
    const std::string use = matrix.use_of(opened.component);
    decision.replies.push_back(
        {opened.component, true, 0, use.empty() ? "nothing" : use, !use.empty()});
  }
  return decision;
}

void Instance::explain_boot() {
  const std::string component = boot_->component();
  if (component.empty()) return;
  explanation_.record({"boot",
                       "who started this process",
                       Shape::one_winner,
                       {{component, true, 0, boot_->story(), true}}});
}

void Instance::explain_start() {
  if (!explains("select") && !explains("summary")) return;
  std::vector<std::string> names = gather_transports();
  if (job().my_id() != 0 || names.empty()) return;
  const TransportMatrix matrix(job().size(), std::move(names));
  const Decision use = describe(matrix);
  if (!explains("json")) {
    const Decision* opened = nullptr;
    for (const Decision& decision : explanation_.decisions())
      if (decision.framework == use.framework) opened = &decision;
    print(transports_in_short(use, opened));
  }
  explanation_.record(use);
  if (explains("select") && !explains("json"))
    print("tessera: what was selected at start-up, in detail\n" + explanation_.text(columns()) +
          matrix.text());
  explained_ = explains("json") ? 0 : explanation_.decisions().size();
}

// Collective, reduction and topology components are asked on first use, so their story is told at
// the end.
void Instance::explain_end() {
  if (params().text("core_explain").empty() || job().my_id() != 0) return;
  if (reductions_) {
    for (const Decision& decision : reductions_->explanation().decisions())
      explanation_.record(decision);
  }
  if (explains("json")) return print(explanation_.json() + "\n");
  if (const std::string summary = collectives_in_short(explanation_.decisions()); !summary.empty())
    print(summary);
  Explanation rest;
  for (std::size_t i = explained_; i < explanation_.decisions().size(); ++i) {
    const Decision& decision = explanation_.decisions()[i];
    if (explains("select") || (explains("coll") && decision.framework == "coll"))
      rest.record(decision);
  }
  if (!rest.decisions().empty())
    print("tessera: what was selected on first use, in detail\n" + rest.text(columns()));
}

}  // namespace tessera
