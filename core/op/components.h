// SPDX-License-Identifier: BSD-3-Clause
// The op components of one Instance, and which of them serves a reduction.
#pragma once

#include <memory>
#include <string_view>

#include "core/op/predefined.h"
#include "framework/framework.h"

namespace tessera::op {

// What a component's priority must exceed to be asked before the engine's own loops; the user may
// also name it.
inline constexpr int kOwnPriority = 20;

// Asked on the first use of an operation on a type; opens components on the first question. Made
// only where there is somebody to ask or something to explain, so that a job without op components
// pays nothing.
class Components final : public LoopSource {
 public:
  // What a Host needs besides parameters.
  struct Lent {
    const Job& job;
    Progress& progress;
    Bootstrap& bootstrap;
  };
  // Whether any component would be asked before the engine's own loops.
  static bool wanted(const Microkernel& kernel);

  Components(const Microkernel& kernel, const Lent& lent);
  ~Components();  // the reductions use the engine's own loops again

  // One thread at a time: the reductions see to it.
  Status choose(const Wanted& wanted, Loop& loop) noexcept override;
  // What was chosen so far; once nobody reduces any more.
  const Explanation& explanation() const noexcept { return explanation_; }

 private:
  Status open();
  Status admit(const Candidate& candidate, Decision& decision);
  Status declined(Member& member, const Status& why, Decision& decision);
  Loop ask(const Wanted& wanted, Decision& decision);

  const Microkernel& kernel_;
  Lent lent_;
  Explanation explanation_;
  Framework<Component> framework_;
  bool opened_ = false;
};

}  // namespace tessera::op
