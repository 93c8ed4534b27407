// SPDX-License-Identifier: BSD-3-Clause
// What --explain=select tells of a file: which hints are understood, who carries collective
// accesses out.
#include <fmt/format.h>

#include <algorithm>

#include "core/engine/instance.h"
#include "core/io/collective.h"
#include "core/io/file.h"

namespace tessera::io {
namespace {

constexpr int kExplained = 16;  // of one file; a program may make millions of accesses

Reply reply_of(const char* who, bool chosen, std::string text) {
  return {who, chosen, 0, std::move(text), chosen};
}

// Nothing is written down that nobody will read.
bool explains(Instance& instance) noexcept {
  return instance.job().my_id() == 0 && !instance.params().text("core_explain").empty();
}

std::string cost_text(double nanoseconds) {
  return nanoseconds > 0 ? fmt::format("{:.0f} us by the model", nanoseconds / 1000) : "";
}

}  // namespace

// A key counts as understood if it is among those in force.
void File::explain_hints(const Info* info) noexcept {
  Instance& instance = comm_->instance();
  if (info == nullptr || !explains(instance)) return;
  const auto in_force = hints_.in_force();
  Decision decision{
      "io", fmt::format("which hints for \"{}\" are understood", path_), Shape::ranked, {}};
  for (std::size_t n = 0; const auto key = info->key(n); ++n) {
    const auto found = std::find_if(in_force.begin(), in_force.end(),
                                    [&](const auto& pair) { return pair.first == *key; });
    const bool known = found != in_force.end();
    decision.replies.push_back(
        {*key, known, 0, known ? "in force: " + found->second : "not known here, ignored", known});
  }
  if (!decision.replies.empty()) instance.explanation().record(std::move(decision));
}

void File::explain(const Cooperation& plan, bool writing) noexcept {
  Instance& instance = comm_->instance();
  const std::uint64_t number = std::uint64_t{1} | (plan.together ? 2U : 0U) | (writing ? 4U : 0U) |
                               (plan.copied ? 8U : 0U) |
                               (static_cast<std::uint64_t>(plan.aggregators) << 8);
  if (number == last_plan_ || explained_ == kExplained || !explains(instance)) return;
  last_plan_ = number;
  ++explained_;
  Decision decision{"io",
                    fmt::format("who {} \"{}\" in collective calls: {}",
                                writing ? "writes" : "reads", path_, plan.why),
                    Shape::one_winner,
                    {}};
  decision.replies.push_back(
      reply_of("aggregators", plan.together,
               fmt::format("{} of them, rounds of {} bytes{}{}", plan.aggregators,
                           hints_.shared.collective_buffer, plan.cost_together > 0 ? ", " : "",
                           cost_text(plan.cost_together))));
  std::string alone = cost_text(plan.cost_alone);
  if (plan.copied && !alone.empty()) alone += ", by copies instead of a call for each piece";
  decision.replies.push_back(reply_of("each_alone", !plan.together, std::move(alone)));
  instance.explanation().record(std::move(decision));
}

}  // namespace tessera::io
