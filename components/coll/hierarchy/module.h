// SPDX-License-Identifier: BSD-3-Clause
// coll/hierarchy on one communicator.
#pragma once

#include <array>
#include <optional>

#include "operations.h"
#include "probe.h"

namespace tessera::coll::hierarchy {

// What holds for all communicators: set by parameters.
struct Settings {
  std::array<Count, kOperations> segment{};  // bytes; 0: the data goes as a whole
  Count alltoall_limit = 0;                  // bytes of a block
  bool asked = false;  // the user gave the levels: then all operations go this way, unless a rule
                       // of the user's says otherwise
  std::uint64_t system = 0;  // of this process, in a job of several MPI systems
};

// Carries out by a tree that is there from the start.
class HierarchyModule : public Module {
 public:
  // The rules may be null: then everything is asked for.
  HierarchyModule(const Settings& settings, const Rules* rules, const Layout& layout,
                  std::optional<Tree> tree);
  bool serves(Operation operation) const noexcept override;
  void stacked(const Displaced& displaced) noexcept override { below_ = displaced; }
  Status emit(const Call& call, Schedule& schedule) noexcept override;

 protected:
  const Settings& settings() const noexcept { return settings_; }
  void grow(Tree tree) { tree_.emplace(std::move(tree)); }
  const Displaced& below() const noexcept { return below_; }

 private:
  // The rule that gives the call to this component, or null; `wanted` tells whether it is to be
  // carried out here.
  const Rule* rule_for(const CallSignature& call, bool& wanted) const noexcept;
  bool fits(const Way& way, const Call& call) noexcept;
  bool has_all(const Way& way) noexcept;

  const Settings& settings_;
  const Rules* rules_;
  int number_;
  Layout layout_;
  std::optional<Tree> tree_;
  Displaced below_;
  Probe probe_;
};

}  // namespace tessera::coll::hierarchy
