// SPDX-License-Identifier: BSD-3-Clause
// What an algorithm costs on a machine, for any number of ranks: price().
#pragma once
//
// Contract. The price is the time until the last rank has done its last step, all having begun at
// once. It is found in the first of these ways that takes no more than `effort` steps:
//   simulated      every rank, step by step (simulation.h)
//   symmetric      the representatives of all ranks (symmetry.h), in the same way. The result is
//                  the same, except where pieces of a vector differ in length by an element: then
//                  those of the representatives count
//   extrapolated   c + a log2(p) + b p laid through the prices of three smaller numbers of ranks p,
//                  each about half the next one. They span the same levels of the machine as the
//                  number asked for
// No price: the algorithm does not fit the question, or none of these ways leads there.
// A Pricer remembers what it simulated. It is not thread safe; several may be used at once.
//
#include <map>
#include <optional>
#include <tuple>

#include "tools/schedules/simulation.h"

namespace tessera::coll::schedules {

enum class Way { simulated, symmetric, extrapolated };

struct Price {
  double nanoseconds = 0;
  Way way = Way::simulated;
  int from_ranks = 0;  // the most that were simulated for it, or stood for
};

inline constexpr double kUsualEffort = 1e6;  // steps; takes well under a second

struct Offer {
  const Algorithm* algorithm = nullptr;
  Price price;
};

class Pricer {
 public:
  explicit Pricer(Machine machine, double effort = kUsualEffort)
      : machine_(std::move(machine)), effort_(effort) {}

  const Machine& machine() const noexcept { return machine_; }
  std::optional<Price> price(const Algorithm& algorithm, const Question& question);
  // The cheapest algorithm that has a price: what a tuner asks. Null pointer if there is none.
  Offer best(const Question& question);

 private:
  using Key = std::tuple<const Algorithm*, int, int, Count, Count, bool, bool, Count, int>;
  std::optional<Price> look(const Algorithm& algorithm, const Question& question);
  std::optional<Price> look_closely(const Algorithm& algorithm, const Question& question) const;
  std::optional<Price> extrapolate(const Algorithm& algorithm, const Question& question);

  Machine machine_;
  double effort_;
  std::map<Key, std::optional<Price>> known_;
};

// For tests: in one way only.
double simulated_price(const Algorithm& algorithm, const Problem& problem, const Machine& machine);
std::optional<double> symmetric_price(const Algorithm& algorithm, const Problem& problem,
                                      const Machine& machine, int most);

}  // namespace tessera::coll::schedules
