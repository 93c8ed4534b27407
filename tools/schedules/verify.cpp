// SPDX-License-Identifier: BSD-3-Clause
// Checking one algorithm for many sizes, roots and amounts of data.
#include "tools/schedules/verify.h"

#include <fmt/format.h>

#include "tools/schedules/cases.h"
#include "tools/schedules/checker.h"

namespace tessera::coll::schedules {

namespace {

using enum Operation;

class Sweeper {
 public:
  Sweeper(const Algorithm& algorithm, const Sweep& sweep) : algorithm_(algorithm), sweep_(sweep) {}

  void size(int ranks) {
    if (algorithm_.operation >= neighbor_allgather) return neighbourhood(ranks);
    for (const int root : roots(ranks)) {
      for (const Count count : counts(ranks)) {
        for (const Tuning& tuning : variants())
          all_flags({algorithm_.operation, ranks, 0, root, count}, tuning);
      }
    }
  }
  const Verdict& verdict() const { return verdict_; }

 private:
  std::vector<int> roots(int ranks) const {
    if (!rooted(algorithm_.operation)) return {0};
    std::vector<int> list;
    if (sweep_.middle_roots) {
      for (const int root : {0, ranks / 2, ranks - 1}) {
        if (list.empty() || list.back() != root) list.push_back(root);
      }
    } else if (!sweep_.roots) {
      for (int root = 0; root < ranks; ++root) list.push_back(root);
    } else {
      for (const int root : *sweep_.roots) {
        if (root < ranks) list.push_back(root);
      }
    }
    return list;
  }

  // Vectors are cut into pieces, one for each rank or pair of ranks; blocks are not.
  std::vector<Count> counts(int ranks) const {
    if (algorithm_.operation == barrier) return {0};
    if (sweep_.counts) return *sweep_.counts;
    const bool vector = algorithm_.operation == bcast || algorithm_.operation == allreduce;
    if (vector && !sweep_.crossed) return {0, 1, Count{2} * ranks + 1};
    if (vector) return {0, 1, 7, Count{2} * ranks + 1};
    return sweep_.crossed ? std::vector<Count>{0, 1, 3} : std::vector<Count>{0, 3};
  }

  std::vector<Tuning> variants() const {
    std::vector<Tuning> list = {{}};
    if (!sweep_.crossed) return list;
    if (algorithm_.usual.segment != 0) list.push_back({.segment = 24});
    if (algorithm_.usual.radix != 0) {
      list.push_back({.segment = algorithm_.usual.segment != 0 ? 48 : 0, .radix = 2});
      for (const int radix : {3, 5}) list.push_back({.radix = radix});
    }
    return list;
  }

  void all_flags(Shape shape, const Tuning& tuning) {
    for (const bool in_place : {false, true}) {
      if (in_place && !has_in_place(shape.operation)) continue;
      for (const bool sparse : {false, true}) {
        if (sparse && shape.operation == barrier) continue;
        if (in_place == sparse && !sweep_.crossed && has_in_place(shape.operation)) continue;
        shape.in_place = in_place;
        shape.sparse = sparse;
        shape.wide = in_place != sparse;
        for (const ModelOp* op : {&commuting_, &ordered_}) {
          if (reduces(shape.operation) || op == &commuting_) one(shape, *op, tuning);
        }
      }
    }
  }

  void one(const Shape& shape, const ModelOp& op, const Tuning& tuning) {
    if (!verdict_.wrong.empty()) return;
    std::vector<Process> processes = make_processes(shape, &op);
    if (!algorithm_.fits(processes.front().call)) return;
    judge(processes, tuning,
          fmt::format("{}{}", describe(shape), op.commutative() ? "" : ", ordered operation"));
  }

  void neighbourhood(int ranks) {
    Neighbours neighbours;
    neighbours.cartesian = true;
    std::vector<std::vector<Origin>> origins;
    for (int me = 0; me < ranks; ++me) {
      const int before = (me + ranks - 1) % ranks, after = (me + 1) % ranks;
      neighbours.destinations.push_back({before, after});
      neighbours.sources.push_back({before, after});
      origins.push_back({{before, 1}, {after, 0}});
    }
    for (const Count count : counts(ranks)) {
      for (const bool sparse : {false, true}) {
        if (!verdict_.wrong.empty()) return;
        std::vector<Process> processes =
            make_neighbour_processes(algorithm_.operation, neighbours, count, sparse, origins);
        judge(processes, {}, fmt::format("a ring of {} processes, count {}", ranks, count));
      }
    }
  }

  void judge(std::vector<Process>& processes, const Tuning& tuning, const std::string& call) {
    const auto emit = [&](const Call& of, Schedule& schedule) {
      algorithm_.emit(of, tuning, schedule);
      return schedule.status();
    };
    const std::string wrong = check(processes, emit);
    ++verdict_.checked;
    if (wrong.empty()) return;
    verdict_.wrong = fmt::format("{} {}: {}", name(algorithm_.operation), algorithm_.name, call);
    if (tuning.segment != 0) verdict_.wrong += fmt::format(", segment {}", tuning.segment);
    if (tuning.radix != 0) verdict_.wrong += fmt::format(", radix {}", tuning.radix);
    verdict_.wrong += ": " + wrong;
  }

  const Algorithm& algorithm_;
  const Sweep& sweep_;
  ModelOp commuting_{true};
  ModelOp ordered_{false};
  Verdict verdict_;
};

}  // namespace

Verdict verify(const Algorithm& algorithm, const Sweep& sweep,
               const std::function<void(int)>& progress) {
  Sweeper sweeper(algorithm, sweep);
  for (const int ranks : sweep.ranks) {
    sweeper.size(ranks);
    if (progress) progress(ranks);
    if (!sweeper.verdict().wrong.empty()) break;
  }
  return sweeper.verdict();
}

}  // namespace tessera::coll::schedules
