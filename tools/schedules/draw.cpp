// SPDX-License-Identifier: BSD-3-Clause
// A schedule as a picture.
#include "tools/schedules/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/schedules/show.h"
#include "tools/schedules/svg.h"

namespace tessera::coll::schedules {

namespace {

constexpr double kLeft = 70, kTop = 58, kRight = 20, kBottom = 64, kWidth = 900;

struct Look {
  const char* name;
  const char* fill;
};
// In the order of StepKind.
constexpr Look kLooks[] = {
    {"send", "#0072b2"}, {"receive", "#009e73"}, {"reduce", "#d55e00"}, {"copy", "#999999"}};

class Drawing {
 public:
  Drawing(const Plan& plan, const Outcome& outcome, std::string_view title)
      : plan_(plan),
        outcome_(outcome),
        row_height_(plan.ranks() <= 8    ? 40
                    : plan.ranks() <= 16 ? 30
                                         : 22),
        height_(kTop + row_height_ * plan.ranks() + kBottom),
        scale_(kWidth / std::max(outcome.end, 1.0)),
        svg_(kLeft + kWidth + kRight, height_, title) {
    svg_.text(kLeft, 24, title, Svg::Anchor::start, 15);
  }

  std::string finish() && {
    axis();
    for (int rank = 0; rank < plan_.ranks(); ++rank) {
      svg_.line(kLeft, y(rank), kLeft + kWidth, y(rank), "#ccc");
      svg_.text(kLeft - 10, y(rank) + 4, fmt::format("rank {}", rank), Svg::Anchor::end);
    }
    for (std::uint32_t id = 0; id < plan_.size(); ++id) arrow(id);
    for (std::uint32_t id = 0; id < plan_.size(); ++id) box(id);
    legend();
    return std::move(svg_).finish();
  }

 private:
  double x(double time) const { return kLeft + time * scale_; }
  double y(int rank) const { return kTop + row_height_ * (rank + 0.5); }

  // About eight marks at round times.
  void axis() {
    const double rough = std::max(outcome_.end, 1.0) / 8;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double step = power * (rough / power > 5   ? 10
                                 : rough / power > 2 ? 5
                                 : rough / power > 1 ? 2
                                                     : 1);
    const double bottom = kTop + row_height_ * plan_.ranks();
    for (double time = 0; time <= outcome_.end; time += step) {
      svg_.line(x(time), kTop, x(time), bottom + 5, "#eee");
      svg_.text(x(time), bottom + 18, time_text(time), Svg::Anchor::middle, 11);
    }
  }

  void arrow(std::uint32_t id) {
    const Plan::Step& step = plan_.steps[id];
    if (step.kind != StepKind::send) return;
    const Moment& moment = outcome_.moments[id];
    const auto from = static_cast<int>(step.rank);
    svg_.arrow(x(moment.leaves), y(from), x(moment.arrives), y(step.peer), "#444",
               fmt::format("{} from {} to {}: {} to {}", amount_text(step.bytes), from, step.peer,
                           time_text(moment.leaves), time_text(moment.arrives)));
  }

  void box(std::uint32_t id) {
    const Plan::Step& step = plan_.steps[id];
    const Moment& moment = outcome_.moments[id];
    if (step.kind == StepKind::copy && step.bytes == 0) return;
    const Look& look = kLooks[static_cast<int>(step.kind)];
    const auto rank = static_cast<int>(step.rank);
    const bool message = step.kind == StepKind::send || step.kind == StepKind::recv;
    svg_.box(x(moment.begin), y(rank) - row_height_ / 4,
             std::max((moment.until - moment.begin) * scale_, 1.5), row_height_ / 2, look.fill,
             fmt::format("rank {} step {}: {} {}{}, {} to {}", rank, id - plan_.first[step.rank],
                         look.name, amount_text(step.bytes),
                         message ? fmt::format(", peer {}", step.peer) : "",
                         time_text(moment.begin), time_text(moment.until)));
  }

  void legend() {
    double at = kLeft;
    for (const Look& look : kLooks) {
      svg_.box(at, height_ - 24, 14, 14, look.fill);
      svg_.text(at + 20, height_ - 12, look.name);
      at += 90;
    }
    svg_.arrow(at, height_ - 17, at + 30, height_ - 17, "#444", {});
    svg_.text(at + 38, height_ - 12, "message, from port to port");
    svg_.text(kLeft + kWidth, height_ - 12, fmt::format("done after {}", time_text(outcome_.end)),
              Svg::Anchor::end);
  }

  const Plan& plan_;
  const Outcome& outcome_;
  double row_height_, height_, scale_;
  Svg svg_;
};

}  // namespace

std::string draw(const Algorithm& algorithm, const Problem& problem, const Machine& machine) {
  const int ranks = problem.asked().ranks;
  if (ranks > kMostLanes)
    throw BadInput(
        fmt::format("a picture of {} ranks cannot be read; {} are the most", ranks, kMostLanes));
  const Plan plan = make_plan(algorithm, problem, machine, {Symmetry::Kind::none, ranks, ranks});
  const Outcome outcome = simulate(plan, machine, true);
  return Drawing(plan, outcome,
                 fmt::format("{}, machine {}", title(algorithm, problem), machine.name))
      .finish();
}

}  // namespace tessera::coll::schedules
