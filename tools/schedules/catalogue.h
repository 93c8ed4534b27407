// SPDX-License-Identifier: BSD-3-Clause
// The algorithms by name, and what one of them is asked to do: Algorithm, Problem.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "components/coll/basic/algorithms.h"
#include "tools/schedules/model.h"

namespace tessera::coll::schedules {

using basic::Algorithm;

// A message for the user: what was wrong, and what would be right.
struct BadInput : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throw BadInput, with the nearest names.
Operation operation_of(std::string_view name);
const Algorithm& algorithm_of(Operation operation, std::string_view name);
// All of one operation, by name.
std::vector<const Algorithm*> algorithms_of(Operation operation);
// Those of `names` that are most like `wanted`, best first, at most three.
std::vector<std::string> nearest(std::string_view wanted, const std::vector<std::string>& names);

// What a collective operation is called with, on an intracommunicator, in numbers. Neighbourhoods
// are those of a periodic Cartesian topology of one dimension.
struct Question {
  Operation operation = Operation::barrier;
  int ranks = 2;
  int root = 0;
  // Of the vector in bcast and in reductions (reduce_scatter: before it is scattered); of one block
  // elsewhere. All blocks are equally long; in reduce_scatter, as nearly as the element allows.
  Count bytes = 8;
  Count element =
      0;  // bytes of one element of the type; 0: the largest of 8, 4, 2, 1 that divides `bytes`
  bool in_place = false;
  bool commutative = true;
  Tuning tuning = {};  // 0: the algorithm's own choice
};

// The calls of all ranks, without data. Immutable; may be used by several threads.
class Problem {
 public:
  explicit Problem(const Question& question);  // BadInput: ranks < 1, root outside, bytes < 0
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  const Question& asked() const noexcept { return asked_; }
  // Valid as long as the problem.
  Call call(int rank) const;

 private:
  void set_movement(Call& call) const;
  void set_reduction(Call& call) const;

  Question asked_;
  ModelType type_;
  ModelOp op_;
  Count count_ = 0;            // elements of a block or vector
  std::vector<Count> counts_;  // of each rank's block
  std::vector<Count> places_;  // displacements: in elements, for the w-variants in bytes
  std::vector<const Datatype*> types_;
  std::vector<std::vector<int>> neighbours_;  // per rank
};

bool fits(const Algorithm& algorithm, const Problem& problem);
// Throws BadInput if the algorithm does not fit, naming what it needs.
void require(const Algorithm& algorithm, const Problem& problem);
// What a rank does. The schedule is cleared first. Throws BadInput when memory runs out.
void emit(const Algorithm& algorithm, const Problem& problem, int rank, Schedule& schedule);

}  // namespace tessera::coll::schedules
