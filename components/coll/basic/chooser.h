// SPDX-License-Identifier: BSD-3-Clause
// Which algorithm carries out a call: Chooser.
#pragma once
//
// Contract. A parameter that names an algorithm comes first, where the algorithm fits the call;
// then the first rule of coll/basic that admits the call and whose algorithm fits it. Segment and
// radix come from their parameters, else from the rule, else from the algorithm.
//
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "algorithms.h"

namespace tessera::coll::basic {

struct Choice {
  const Algorithm* algorithm;  // null: there is none for this call
  Tuning tuning;
  const char* rule;  // owned by the chooser or the rules
  bool refused;      // the user asked for an algorithm that does not fit; `rule` says so
};

class Chooser {
 public:
  // With `comm`, the info keys tessera.coll_basic_<operation>_{algorithm,segment,radix} of this
  // communicator come before parameters; the engine has checked their values. May throw
  // std::bad_alloc.
  Chooser(const Params& params, const Rules& rules, const Communicator* comm = nullptr);
  Choice choose(const Call& call, const Layout& layout) const noexcept;
  // True once for each operation.
  bool to_be_told(Operation operation) const noexcept {
    return !std::exchange(told_[static_cast<std::size_t>(operation)], true);
  }
  // Whether the user asked for an algorithm for this operation.
  bool asked(Operation operation) const noexcept {
    return wishes_[static_cast<std::size_t>(operation)].algorithm != nullptr;
  }

 private:
  struct Row {
    const Rule* rule;
    const Algorithm* algorithm;
  };
  struct Wish {
    const Algorithm* algorithm = nullptr;
    Tuning tuning;
    std::string text;
    std::string fallback_text;
  };
  void read_rules(const Rules& rules, Operation operation);
  void read_parameters(const Params& params, const Communicator* comm, Operation operation);
  bool may_run(const Algorithm& algorithm, const CallSignature& call) const noexcept;
  const Row* by_rule(const CallSignature& call, const Layout& layout) const noexcept;

  bool reproducible_;
  std::array<std::vector<Row>, kOperations> rows_;
  std::array<Wish, kOperations> wishes_;
  mutable std::array<bool, kOperations> told_{};
};

}  // namespace tessera::coll::basic
