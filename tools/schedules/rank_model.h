// SPDX-License-Identifier: BSD-3-Clause
// One process of an operation that is being checked, with its schedule: RankModel.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/schedules/model.h"

namespace tessera::coll::schedules {

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline std::string text(const Step& step, StepId id) {
  static const char* const kNames[] = {"send", "recv", "reduce", "copy"};
  const bool message = step.kind == StepKind::send || step.kind == StepKind::recv;
  return "step " + std::to_string(id) + " (" + kNames[static_cast<int>(step.kind)] +
         (message ? ", peer " + std::to_string(step.peer) : "") + ")";
}

struct RankModel {
  Process* process = nullptr;
  int number = 0;
  std::unique_ptr<Schedule> schedule = std::make_unique<Schedule>();
  Memory scratch;
  std::vector<StepId> order;           // some order of the steps that respects all edges
  std::vector<std::uint32_t> waiting;  // predecessors that are not done, per step
  std::vector<StepId> ready;           // steps, in the order in which they became ready
  std::vector<StepId> behind;          // per posted step: the next one in its queue
  std::size_t issued = 0;              // of `ready`
  std::size_t done = 0;

  std::span<const Step> steps() const { return schedule->steps(); }
  template <class Act>
  void each_edge(StepId id, Act act) const {
    for (std::uint32_t i = steps()[id].first_edge; i != kNoEdge; i = schedule->edge(i).next)
      act(schedule->edge(i));
  }
  Memory& memory(Space space) {
    return space == Space::send      ? process->send
           : space == Space::receive ? process->receive
                                     : scratch;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Failure("process " + std::to_string(number) + ": " + what);
  }
};

// What must hold for the schedule alone; throws Failure. Fills `order`. Takes time and memory in
// the square of the number of steps over 64: 5,000 steps are a matter of milliseconds.
//   no step waits for itself; steps that touch the same bytes, one writing, are ordered; nothing
//   writes to the send buffer; sends to one process are ordered, and receives
void check_order(RankModel& model);

}  // namespace tessera::coll::schedules
