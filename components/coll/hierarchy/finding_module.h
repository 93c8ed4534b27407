// SPDX-License-Identifier: BSD-3-Clause
// coll/hierarchy on a communicator whose processes find out the levels themselves; and where they
// are not to be had.
#pragma once

#include <string>

#include "module.h"
#include "places.h"

namespace tessera::coll::hierarchy {

// At the first blocking operation, which all processes come to together, they tell each other where
// they run. Until then, and if there are no levels, everything is left to what lies below.
class FindingModule final : public HierarchyModule {
 public:
  // `mine` is found out when it is needed first, and kept.
  FindingModule(const Settings& settings, const Rules* rules, Communicator& comm,
                std::optional<Place>& mine)
      : HierarchyModule(settings, rules, layout_of(comm), {}), comm_(comm), mine_(mine) {}
  Status run(const Call& call) noexcept override;

 private:
  Status meet() noexcept;

  Communicator& comm_;
  std::optional<Place>& mine_;
  bool met_ = false;
};

// The user's description is wrong: every operation fails, and says why.
class BrokenModule final : public Module {
 public:
  BrokenModule(Errc code, const std::string& why) : code_(code), why_(why) {}
  bool serves(Operation) const noexcept override { return true; }
  int priority(Operation, int) const noexcept override { return 1000; }  // above all others
  Status emit(const Call&, Schedule&) noexcept override { return Status::failure(code_, why_); }

 private:
  Errc code_;
  std::string why_;
};

}  // namespace tessera::coll::hierarchy
