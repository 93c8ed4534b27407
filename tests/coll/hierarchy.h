// SPDX-License-Identifier: BSD-3-Clause
// coll/hierarchy without processes: a tree, and below it coll/basic with an algorithm that the test
// chooses.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "components/coll/basic/algorithms.h"
#include "components/coll/hierarchy/description.h"
#include "components/coll/hierarchy/module.h"
#include "tests/coll/cases.h"

namespace tessera::coll::test {

// Of the algorithms of coll/basic that fit a call, the one with this number, counted round.
class BelowModule final : public Module {
 public:
  explicit BelowModule(std::size_t number) : number_(number) {}
  bool serves(Operation) const noexcept override { return true; }
  Status emit(const Call& call, Schedule& schedule) noexcept override {
    if (nothing_to_do(call)) return {};
    std::vector<const basic::Algorithm*> fitting;
    for (const basic::Algorithm* each : basic::algorithms())
      if (each->operation == call.operation && each->fits(call)) fitting.push_back(each);
    fitting[number_ % fitting.size()]->emit(call, {}, schedule);
    return schedule.status();
  }

 private:
  static bool nothing_to_do(const Call& call) noexcept {
    const bool counted =
        call.operation != Operation::barrier && call.operation != Operation::gatherv &&
        call.operation != Operation::scatterv && call.operation != Operation::allgatherv &&
        call.operation != Operation::alltoallv;
    return counted && amount(call) == 0;
  }

  std::size_t number_;
};

// A component that never emits, as coll/sm, lies between.
class SilentModule final : public Module {
 public:
  bool serves(Operation) const noexcept override { return true; }
};

class Stacked {
 public:
  Stacked(const hierarchy::Tree& tree, std::size_t algorithm, Count segment) : below_(algorithm) {
    settings_.asked = true;
    settings_.alltoall_limit = 1 << 20;
    settings_.segment.fill(segment);
    module_.emplace(settings_, nullptr, Layout{}, tree);
    stacks_.fill(modules_);
    module_->stacked(Displaced(stacks_.data()));
  }
  Stacked(const Stacked&) = delete;
  Stacked& operator=(const Stacked&) = delete;
  Status emit(const Call& call, Schedule& schedule) { return module_->emit(call, schedule); }

 private:
  hierarchy::Settings settings_;
  std::optional<hierarchy::HierarchyModule> module_;
  BelowModule below_;
  SilentModule silent_;
  std::array<Module*, 2> modules_{&silent_, &below_};
  std::array<std::span<Module* const>, kOperations> stacks_;
};

// Ranks in order, or, with a stride that has no common divisor with their number, spread.
inline hierarchy::Tree tree_of(const std::string& shape, int processes, int stride = 1) {
  hierarchy::Description levels = hierarchy::read_shape(shape, processes).value();
  for (hierarchy::Level& level : levels) {
    std::vector<int> spread(level.group.size());
    for (std::size_t i = 0; i < spread.size(); ++i)
      spread[i] = level.group[i * static_cast<std::size_t>(stride) % spread.size()];
    level.group = std::move(spread);
  }
  return {processes, levels};
}

}  // namespace tessera::coll::test
