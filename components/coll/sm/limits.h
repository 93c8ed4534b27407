// SPDX-License-Identifier: BSD-3-Clause
// Which calls coll/sm carries out: Limits.
#pragma once
//
// Contract. Those that the rules give to it. A parameter that says how much data an operation may
// have replaces the rules for that operation.
//
#include <array>

#include "plan.h"

namespace tessera::coll::sm {

class Limits {
 public:
  // clang-format off
  static constexpr Operation kWithLimit[] = {
      Operation::bcast, Operation::gather, Operation::gatherv, Operation::scatter, Operation::scatterv,
      Operation::allgather, Operation::allgatherv, Operation::alltoall, Operation::alltoallv, Operation::alltoallw,
      Operation::reduce, Operation::allreduce, Operation::reduce_scatter, Operation::reduce_scatter_block,
      Operation::scan, Operation::exscan, Operation::neighbor_allgather, Operation::neighbor_allgatherv,
      Operation::neighbor_alltoall, Operation::neighbor_alltoallv, Operation::neighbor_alltoallw};
  // clang-format on

  explicit Limits(const Params& params);  // may throw std::bad_alloc
  void use(const Rules& rules) noexcept {
    rules_ = &rules;
    number_ = rules.component("sm");
  }
  // Rests only on what is equal on all processes of the call.
  bool admit(const Call& call, const Layout& layout) const noexcept;
  // The parameter that stands in place of the rules for the operation, in bytes, or kByRules.
  Count limit(Operation operation) const noexcept {
    return most_[static_cast<std::size_t>(operation)];
  }
  std::size_t direct_from() const noexcept { return direct_limit_; }

 private:
  static constexpr Count kByRules = Question::kByRules;
  std::array<Count, kOperations> most_{};  // bytes
  std::size_t direct_limit_ = 0;           // bytes; 0: own choice
  const Rules* rules_ = nullptr;
  int number_ = Rules::kNobody;
};

}  // namespace tessera::coll::sm
