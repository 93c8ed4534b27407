// SPDX-License-Identifier: BSD-3-Clause
// The selection data of collective operations: RuleSet.
#pragma once
//
// Contract. Rules come from files that the parameter coll_rules names, the first file first, and
// after them from those compiled in from mca-params/collectives.yaml, whose last rules admit every
// call. A RuleSet is filled once, by add(), and then constant; Rules point into it.
//
#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/coll.h"

namespace tessera::coll {

// A rule as it is written: with the names that a Rule refers to.
struct RuleLine {
  Operation operation = Operation::barrier;
  std::string component = "basic";
  std::string algorithm;
  std::string where;
  Rule rule;  // all but component, algorithm and where
};

class RuleSet final : public Rules {
 public:
  RuleSet() = default;
  explicit RuleSet(const std::vector<RuleLine>& lines) { add(lines); }
  RuleSet(const RuleSet&) = delete;
  RuleSet& operator=(const RuleSet&) = delete;
  // Behind those that are there. May throw std::bad_alloc.
  void add(const std::vector<RuleLine>& lines);
  void want_reproducible(bool wanted) noexcept { reproducible_ = wanted; }

 private:
  std::uint8_t number_of(const std::string& component);
  const char* keep(const std::string& text);

  std::array<std::vector<Rule>, kOperations> rules_;
  std::vector<const char*> names_;
  std::deque<std::string> texts_;
};

// Those compiled in.
std::vector<RuleLine> builtin_rules();

}  // namespace tessera::coll
