// SPDX-License-Identifier: BSD-3-Clause
// coll/hierarchy on one communicator: which calls it takes.
#include "module.h"

#include <new>

namespace tessera::coll::hierarchy {

namespace {

// Whether all processes know that nothing is to be done.
bool nothing_to_do(const Call& call) noexcept {
  return call.operation != Operation::barrier && call.operation != Operation::allgatherv &&
         amount(call) == 0;
}

}  // namespace

HierarchyModule::HierarchyModule(const Settings& settings, const Rules* rules, const Layout& layout,
                                 std::optional<Tree> tree)
    : settings_(settings),
      rules_(rules),
      number_(rules != nullptr ? rules->component("hierarchy") : Rules::kNobody),
      layout_(layout),
      tree_(std::move(tree)) {}

// Also operations that it only uses: what lies below is known for operations that are served.
bool HierarchyModule::serves(Operation operation) const noexcept {
  return operation == Operation::gatherv || operation == Operation::scatterv ||
         operation == Operation::alltoallv || way_of(operation) != nullptr;
}

const Rule* HierarchyModule::rule_for(const CallSignature& call, bool& wanted) const noexcept {
  wanted = settings_.asked;
  if (rules_ == nullptr) return nullptr;
  for (const Rule& rule : rules_->of(call.operation)) {
    if (!rule.admits(call, layout_)) continue;
    const bool ours = rule.component == number_;
    wanted = ours || (settings_.asked && rule.shipped);
    return ours ? &rule : nullptr;
  }
  return nullptr;
}

bool HierarchyModule::has_all(const Way& way) noexcept {
  for (const Operation part : way.parts) {
    if (!probe_.emits(below_, part)) return false;
  }
  return true;
}

bool HierarchyModule::fits(const Way& way, const Call& call) noexcept {
  if (call.inter || !has_all(way)) return false;
  if (call.operation == Operation::alltoall && amount(call) > settings_.alltoall_limit)
    return false;
  if (tree_->in_order()) return true;
  return !way.ranks_in_order && (call.op == nullptr || call.op->commutative());
}

Status HierarchyModule::emit(const Call& call, Schedule& schedule) noexcept {
  const Way* way = way_of(call.operation);
  if (!tree_ || way == nullptr || !fits(*way, call)) return Errc::unsupported;
  if (call.op != nullptr && rules_ != nullptr && rules_->reproducible()) return Errc::unsupported;
  bool wanted = false;
  const Rule* rule = rule_for(call, wanted);
  if (!wanted) return Errc::unsupported;
  const Count ruled = rule != nullptr ? rule->tuning.segment : 0;
  try {
    Composer composer(call, schedule, *tree_, below_);
    const Count own = settings_.segment[static_cast<std::size_t>(call.operation)];
    if (!nothing_to_do(call)) way->emit(composer, way->segments ? (ruled != 0 ? ruled : own) : 0);
    schedule.label("hierarchy", rule != nullptr ? rule->where : tree_->words().c_str());
    return composer.status();
  } catch (const std::bad_alloc&) {
    return Status::failure(Errc::no_memory, "no memory for the schedule of a collective operation");
  }
}

}  // namespace tessera::coll::hierarchy
