// SPDX-License-Identifier: BSD-3-Clause
// Running a plan against the clock of a machine.
#include "tools/schedules/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>

namespace tessera::coll::schedules {

namespace {

constexpr double kLongCopy = 4096;

// Ties are broken within a rank by kind and step, so that a rank's fortune does not depend on its
// number.
struct Event {
  enum Kind : std::uint8_t { processor, left, at_port, landed };
  double time;
  std::uint32_t step;
  Kind kind;
  bool operator>(const Event& other) const noexcept {
    if (time != other.time) return time > other.time;
    return kind != other.kind ? kind > other.kind : step > other.step;
  }
};

struct Rank {
  double out_free = 0;
  double in_free = 0;
  std::uint32_t ready_head = 0, ready_tail = 0;      // of ready_, from the rank's first step on
  std::uint32_t arrived_head = 0, arrived_tail = 0;  // likewise of arrived_
  bool busy = false;
};

class Simulation {
 public:
  Simulation(const Plan& plan, const Machine& machine, bool with_moments)
      : plan_(plan),
        machine_(machine),
        ranks_(static_cast<std::size_t>(plan.ranks())),
        ready_(plan.size()),
        arrived_(plan.size()),
        waiting_(plan.size()),
        state_(plan.size(), 0) {
    if (with_moments) outcome_.moments.resize(plan.size());
  }

  Outcome run() {
    for (std::uint32_t id = 0; id < plan_.size(); ++id) waiting_[id] = plan_.steps[id].predecessors;
    for (const bool late : {false, true}) {
      for (std::uint32_t id = 0; id < plan_.size(); ++id) {
        if (waiting_[id] == 0 && takes_long(plan_.steps[id]) == late) push_ready(id);
      }
    }
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) work(rank, 0);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      outcome_.end = std::max(outcome_.end, event.time);
      handle(event);
    }
    if (done_ != plan_.size())
      throw BadInput(
          fmt::format("the schedules wait for one another: {} of {} steps are never done",
                      plan_.size() - done_, plan_.size()));
    return std::move(outcome_);
  }

 private:
  enum State : std::uint8_t { kStarted = 1, kLanded = 2 };

  static bool takes_long(const Plan::Step& step) {
    return step.kind == StepKind::copy && step.bytes > kLongCopy;
  }
  const Level& level(const Plan::Step& step) const { return machine_.levels[step.level]; }
  // At a port, without the gap.
  double passage(const Plan::Step& step) const {
    return std::max(step.bytes - 1, 0.0) * level(step).gap_per_byte;
  }
  double processing(const Plan::Step& step) const {
    if (step.kind == StepKind::copy) return machine_.copy.of(step.bytes);
    if (step.kind == StepKind::reduce) return machine_.reduce.of(step.bytes);
    return level(step).overhead;
  }

  void push_ready(std::uint32_t id) {
    Rank& rank = ranks_[plan_.steps[id].rank];
    ready_[plan_.first[plan_.steps[id].rank] + rank.ready_tail++] = id;
  }
  void push_arrived(std::uint32_t id) {
    Rank& rank = ranks_[plan_.steps[id].rank];
    arrived_[plan_.first[plan_.steps[id].rank] + rank.arrived_tail++] = id;
  }

  void release(std::uint32_t id, bool issued) {
    for (std::uint32_t i = plan_.steps[id].first_edge; i != plan_.steps[id + 1].first_edge; ++i) {
      const Plan::Edge& edge = plan_.edges[i];
      if (edge.issue_only == issued && --waiting_[edge.step] == 0) push_ready(edge.step);
    }
  }
  void finish(std::uint32_t id) {
    ++done_;
    release(id, false);
  }

  // What the rank's processor does next, if it is free.
  void work(std::uint32_t number, double now) {
    Rank& rank = ranks_[number];
    const std::uint32_t first = plan_.first[number];
    while (!rank.busy) {
      if (rank.ready_head != rank.ready_tail) {
        start(ready_[first + rank.ready_head++], now);
      } else if (rank.arrived_head != rank.arrived_tail) {
        occupy(arrived_[first + rank.arrived_head++], now);
      } else {
        return;
      }
    }
  }

  void start(std::uint32_t id, double now) {
    const Plan::Step& step = plan_.steps[id];
    if (step.kind == StepKind::recv) {
      state_[id] |= kStarted;
      release(id, true);
      if (state_[id] & kLanded) push_arrived(id);
    } else if (step.kind != StepKind::send && processing(step) == 0) {
      note(id, now, now);
      release(id, true);
      finish(id);
    } else {
      occupy(id, now);
    }
  }

  void occupy(std::uint32_t id, double now) {
    const Plan::Step& step = plan_.steps[id];
    ranks_[step.rank].busy = true;
    const double until = now + processing(step);
    note(id, now, until);
    events_.push({until, id, Event::processor});
  }

  void note(std::uint32_t id, double begin, double until) {
    if (outcome_.moments.empty()) return;
    outcome_.moments[id].begin = begin;
    outcome_.moments[id].until = until;
  }

  void handle(const Event& event) {
    const std::uint32_t rank = plan_.steps[event.step].rank;
    switch (event.kind) {
      case Event::processor:
        ranks_[rank].busy = false;
        if (plan_.steps[event.step].kind == StepKind::send) {
          launch(event.step, event.time);
        } else {
          if (plan_.steps[event.step].kind != StepKind::recv) release(event.step, true);
          finish(event.step);
        }
        break;
      case Event::left:
        finish(event.step);
        break;
      case Event::at_port:
        enter(event.step, event.time);
        break;
      case Event::landed:
        land(event.step);
        break;
    }
    work(rank, event.time);
  }

  void launch(std::uint32_t id, double now) {
    const Plan::Step& step = plan_.steps[id];
    Rank& rank = ranks_[step.rank];
    const double leaves = std::max(now, rank.out_free);
    const double left = leaves + passage(step);
    rank.out_free = left + level(step).gap;
    release(id, true);
    events_.push({left, id, Event::left});
    events_.push({left + level(step).latency, step.match, Event::at_port});
    if (outcome_.moments.empty()) return;
    outcome_.moments[id].leaves = leaves;
    outcome_.moments[id].arrives = left + level(step).latency;
  }

  void enter(std::uint32_t id, double now) {
    const Plan::Step& step = plan_.steps[id];
    Rank& rank = ranks_[step.rank];
    const double there = std::max(now, rank.in_free + passage(step));
    rank.in_free = there + level(step).gap;
    if (!outcome_.moments.empty()) outcome_.moments[step.match].arrives = there;
    there > now ? events_.push({there, id, Event::landed}) : land(id);
  }

  void land(std::uint32_t id) {
    state_[id] |= kLanded;
    if (state_[id] & kStarted) push_arrived(id);
  }

  const Plan& plan_;
  const Machine& machine_;
  std::vector<Rank> ranks_;
  std::vector<std::uint32_t> ready_, arrived_, waiting_;
  std::vector<std::uint8_t> state_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::size_t done_ = 0;
  Outcome outcome_;
};

}  // namespace

Outcome simulate(const Plan& plan, const Machine& machine, bool with_moments) {
  return Simulation(plan, machine, with_moments).run();
}

}  // namespace tessera::coll::schedules
