// SPDX-License-Identifier: BSD-3-Clause
// Joining the schedules of ranks.
#include "tools/schedules/plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::coll::schedules {

namespace {

class Planner {
 public:
  Planner(const Machine& machine, const Symmetry& symmetry)
      : machine_(machine), symmetry_(symmetry) {}

  void add(int rank, const Schedule& schedule) {
    const auto base = static_cast<std::uint32_t>(plan_.steps.size());
    plan_.first.push_back(base);
    for (const Step& step : schedule.steps()) {
      const bool sends = step.kind == StepKind::send;
      Plan::Step& made = plan_.steps.emplace_back();
      made.bytes = static_cast<double>((sends ? step.from : step.to).bytes());
      made.rank = static_cast<std::uint32_t>(rank);
      made.peer = step.peer;
      made.predecessors = step.predecessors;
      made.first_edge = static_cast<std::uint32_t>(plan_.edges.size());
      made.kind = step.kind;
      for (std::uint32_t i = step.first_edge; i != kNoEdge; i = schedule.edge(i).next)
        plan_.edges.push_back({base + schedule.edge(i).step, schedule.edge(i).issue_only});
      if (sends || step.kind == StepKind::recv) add_message(rank, made, sends);
    }
  }

  Plan finish() {
    plan_.first.push_back(static_cast<std::uint32_t>(plan_.steps.size()));
    Plan::Step& end = plan_.steps.emplace_back();
    end.first_edge = static_cast<std::uint32_t>(plan_.edges.size());
    join();
    return std::move(plan_);
  }

 private:
  // Who receives, and whom it believes to receive from.
  using Message = std::pair<std::uint64_t, std::uint32_t>;
  static std::uint64_t key(int receiver, int sender) {
    return static_cast<std::uint64_t>(receiver) << 32 | static_cast<std::uint32_t>(sender);
  }

  void add_message(int rank, Plan::Step& step, bool sends) {
    if (step.peer < 0 || step.peer >= symmetry_.ranks)
      throw BadInput(fmt::format("there is no rank {}", step.peer));
    const auto id = static_cast<std::uint32_t>(plan_.steps.size() - 1);
    step.level = static_cast<std::uint8_t>(machine_.level_between(rank, step.peer));
    const int receiver = symmetry_.representative(step.peer);
    sends ? sends_.emplace_back(key(receiver, symmetry_.moved_back(rank, step.peer - receiver)), id)
          : receives_.emplace_back(key(rank, step.peer), id);
  }

  void join() {
    std::sort(sends_.begin(), sends_.end());
    std::sort(receives_.begin(), receives_.end());
    const auto apart =
        std::mismatch(sends_.begin(), sends_.end(), receives_.begin(), receives_.end(),
                      [](const Message& a, const Message& b) { return a.first == b.first; });
    if (apart.first != sends_.end() || apart.second != receives_.end()) {
      throw BadInput(fmt::format("the schedules do not fit together: {} sends, {} receives",
                                 sends_.size(), receives_.size()));
    }
    for (std::size_t i = 0; i < sends_.size(); ++i) {
      Plan::Step& from = plan_.steps[sends_[i].second];
      Plan::Step& to = plan_.steps[receives_[i].second];
      from.match = receives_[i].second;
      to.match = sends_[i].second;
      from.bytes = to.bytes = std::max(from.bytes, to.bytes);
    }
  }

  const Machine& machine_;
  const Symmetry& symmetry_;
  Plan plan_;
  std::vector<Message> sends_, receives_;
};

}  // namespace

Plan make_plan(const Algorithm& algorithm, const Problem& problem, const Machine& machine,
               const Symmetry& symmetry) {
  Planner planner(machine, symmetry);
  Schedule schedule;
  for (int rank = 0; rank < symmetry.period; ++rank) {
    emit(algorithm, problem, rank, schedule);
    planner.add(rank, schedule);
  }
  return planner.finish();
}

}  // namespace tessera::coll::schedules
