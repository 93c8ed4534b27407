// SPDX-License-Identifier: BSD-3-Clause
// What --explain is told about collectives: who was asked, and what ran for which operation and
// size.
#include <algorithm>
#include <bit>
#include <exception>

#include "core/coll/table.h"
#include "framework/explanation.h"

namespace tessera::coll {

namespace {

std::string name_of(const Communicator& comm) {
  const char* given = comm.name();
  if (given != nullptr && *given != '\0') return given;
  return "communicator with context " + std::to_string(comm.context());
}

Count bytes(const Side& side) noexcept {
  return side.type != nullptr ? side.count * side.type->size() : 0;
}

// The amount of data by which a call is classified; v-variants differ from rank to rank and are
// not.
Count weight(const Call& call) noexcept {
  return std::max(bytes(call.receive), call.in_place ? 0 : bytes(call.send));
}

// 0 for no bytes, else n for 2^(n-1) .. 2^n - 1 bytes.
int size_class(const Call& call) noexcept {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(weight(call))));
}

std::string size_text(int size_class) {
  if (size_class == 0) return "";
  const std::uint64_t low = std::uint64_t{1} << (size_class - 1);
  return " of " + std::to_string(low) + ".." + std::to_string(2 * low - 1) + " bytes";
}

std::string operations_of(const Module& module) {
  std::string list;
  for (std::size_t i = 0; i < kOperations; ++i) {
    if (module.serves(static_cast<Operation>(i)))
      list += (list.empty() ? "" : " ") + std::string(kOperationNames[i]);
  }
  return list;
}

std::string choice_text(const Call& call, Module& module, const Schedule* schedule) {
  if (schedule == nullptr) {
    const std::string text = module.describe(call);
    return text.empty() ? "its own way, without a schedule" : text;
  }
  const std::string rule = schedule->rule();
  return schedule->algorithm() + (rule.empty() ? "" : " (" + rule + ")");
}

}  // namespace

void Table::note_query(const Communicator& comm) const {
  Decision decision{"coll", "which components serve " + name_of(comm), Shape::stacked, {}};
  for (const Layer& layer : layers_) {
    decision.replies.push_back({layer.name, true, static_cast<double>(layer.priority),
                                operations_of(*layer.module), true});
  }
  for (const auto& [component, reason] : refusals_)
    decision.replies.push_back({component, false, 0, reason, false});
  explanation_->record(std::move(decision));
}

Decision Table::describe(const Call& call, Module& module, const Schedule* schedule) const {
  Decision decision{"coll",
                    "which algorithm runs " + std::string(name(call.operation)) +
                        size_text(size_class(call)) + " on " + name_of(*call.comm),
                    Shape::stacked,
                    {}};
  for (const Layer& layer : layers_) {
    if (!layer.module->serves(call.operation)) continue;
    const bool chosen = layer.module.get() == &module;
    decision.replies.push_back(
        {layer.name, chosen,
         static_cast<double>(layer.module->priority(call.operation, layer.priority)),
         chosen ? choice_text(call, module, schedule) : "not used for this call", chosen});
  }
  return decision;
}

void Table::note_choice(const Call& call, Module& module, const Schedule* schedule) noexcept {
  try {
    if (!seen_
             .insert(
                 {call.operation, size_class(call), &module, choice_text(call, module, schedule)})
             .second)
      return;
    explanation_->record(describe(call, module, schedule));
  } catch (
      const std::exception&) {  // out of memory: the operation matters, its explanation does not
  }
}

}  // namespace tessera::coll
