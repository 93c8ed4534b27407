// SPDX-License-Identifier: BSD-3-Clause
// Finding a way to the price of an algorithm.
#include "tools/schedules/price.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tessera::coll::schedules {

namespace {

constexpr int kFewest = 16;     // ranks to extrapolate from
constexpr int kSurveyed = 512;  // ranks; up to here all questions are small

// How many steps there are: in the busiest schedule, and in all.
struct Volume {
  double busiest = 0;
  double all = 0;
};

Question with_ranks(Question question, int ranks) {
  question.root =
      static_cast<int>(static_cast<std::int64_t>(question.root) * ranks / question.ranks);
  question.ranks = ranks;
  return question;
}

// The root apart, because it may have more to do than all others.
Volume count_steps(const Algorithm& algorithm, const Question& question) {
  const Problem problem(question);
  Schedule schedule;
  const auto steps_of = [&](int rank) {
    emit(algorithm, problem, rank, schedule);
    return static_cast<double>(schedule.steps().size());
  };
  const int samples = std::min(question.ranks, 33);
  double busiest = 0, others = 0;
  for (int i = 0; i < samples; ++i) {
    const double steps = steps_of(
        (question.root + 1 + static_cast<int>(std::int64_t{question.ranks} * i / samples)) %
        question.ranks);
    busiest = std::max(busiest, steps);
    others += steps;
  }
  const double root = steps_of(question.root);
  return {std::max(busiest, root), others / samples * question.ranks + root};
}

// Beyond what was surveyed, either in proportion to the ranks or to their logarithm.
Volume volume_of(const Algorithm& algorithm, const Question& question) {
  if (question.ranks <= kSurveyed) return count_steps(algorithm, question);
  const Volume half = count_steps(algorithm, with_ranks(question, kSurveyed / 2));
  const Volume full = count_steps(algorithm, with_ranks(question, kSurveyed));
  const double times = static_cast<double>(question.ranks) / kSurveyed;
  const auto grown = [&](double before, double now) {
    return now > 1.4 * before ? now * times
                              : now * std::log2(question.ranks) / std::log2(kSurveyed);
  };
  const double each = grown(half.all / (kSurveyed / 2), full.all / kSurveyed);
  return {grown(half.busiest, full.busiest), each * question.ranks};
}

// A number of ranks near `ranks` / 2^halvings of the same kind: a power of two, or made of whole
// nodes.
int smaller(int ranks, int halvings, int node) {
  const int about = ranks >> halvings;
  if (std::has_single_bit(static_cast<unsigned>(ranks)) || node == 0) return about;
  return std::max(1, (about + node / 2) / node) * node;
}

// The value at p of c + a log2 p + b p through three points, of which times do not fall.
double continued(const double (&p)[3], const double (&time)[3], double at) {
  const double log01 = std::log2(p[1] / p[0]), log12 = std::log2(p[2] / p[1]);
  const double rise01 = time[1] - time[0], rise12 = time[2] - time[1];
  const double bend = (p[2] - p[1]) * log01 - (p[1] - p[0]) * log12;
  double b = std::max((rise12 * log01 - rise01 * log12) / bend, 0.0);
  // Trees grow by leaps, which is no growth in proportion; what is left is the mean slope.
  if (time[2] < 1.25 * time[1]) b = 0;
  const double a = std::max((rise01 + rise12 - b * (p[2] - p[0])) / (log01 + log12), 0.0);
  return time[2] + a * std::log2(at / p[2]) + b * (at - p[2]);
}

}  // namespace

double simulated_price(const Algorithm& algorithm, const Problem& problem, const Machine& machine) {
  const int ranks = problem.asked().ranks;
  return simulate(make_plan(algorithm, problem, machine, {Symmetry::Kind::none, ranks, ranks}),
                  machine)
      .end;
}

std::optional<double> symmetric_price(const Algorithm& algorithm, const Problem& problem,
                                      const Machine& machine, int most) {
  const Symmetry symmetry = find_symmetry(algorithm, problem, machine, most);
  if (symmetry.kind == Symmetry::Kind::none) return std::nullopt;
  return simulate(make_plan(algorithm, problem, machine, symmetry), machine).end;
}

std::optional<Price> Pricer::look_closely(const Algorithm& algorithm,
                                          const Question& question) const {
  const Problem problem(question);
  if (!fits(algorithm, problem)) return std::nullopt;
  const Volume volume = volume_of(algorithm, question);
  if (volume.all <= effort_)
    return Price{simulated_price(algorithm, problem, machine_), Way::simulated, question.ranks};
  const int affordable = static_cast<int>(std::min<double>(effort_ / volume.busiest, 1e9));
  const auto found = symmetric_price(algorithm, problem, machine_, affordable);
  if (!found) return std::nullopt;
  return Price{*found, Way::symmetric, question.ranks};
}

std::optional<Price> Pricer::look(const Algorithm& algorithm, const Question& question) {
  const Key key{&algorithm,           question.ranks,          question.root,
                question.bytes,       question.element,        question.in_place,
                question.commutative, question.tuning.segment, question.tuning.radix};
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  return known_[key] = look_closely(algorithm, question);
}

std::optional<Price> Pricer::extrapolate(const Algorithm& algorithm, const Question& question) {
  const int period = machine_.period(question.ranks);
  for (int halvings = 1;; ++halvings) {
    double ranks[3], times[3];
    int found = 0;
    for (; found < 3; ++found) {
      const int fewer = smaller(question.ranks, halvings + found, machine_.levels.front().ranks);
      if (fewer < kFewest || machine_.period(fewer) != period ||
          (found > 0 && fewer >= ranks[3 - found]))
        break;
      const auto known = look(algorithm, with_ranks(question, fewer));
      if (!known) break;
      ranks[2 - found] = fewer;
      times[2 - found] = known->nanoseconds;
    }
    if (found == 3)
      return Price{continued(ranks, times, question.ranks), Way::extrapolated,
                   static_cast<int>(ranks[2])};
    if (question.ranks >> halvings < kFewest) return std::nullopt;
  }
}

std::optional<Price> Pricer::price(const Algorithm& algorithm, const Question& question) {
  if (!fits(algorithm, Problem(question))) return std::nullopt;
  if (const auto found = look(algorithm, question)) return found;
  return extrapolate(algorithm, question);
}

Offer Pricer::best(const Question& question) {
  Offer offer;
  for (const Algorithm* each : algorithms_of(question.operation)) {
    const auto found = price(*each, question);
    if (found && (offer.algorithm == nullptr || found->nanoseconds < offer.price.nanoseconds))
      offer = {each, *found};
  }
  return offer;
}

}  // namespace tessera::coll::schedules
