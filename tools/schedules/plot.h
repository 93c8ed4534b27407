// SPDX-License-Identifier: BSD-3-Clause
// Tables of prices, as text, JSON and pictures: curves and decision maps.
#pragma once

#include "framework/json.h"
#include "tools/schedules/price.h"

namespace tessera::coll::schedules {

// The prices of some algorithms for some numbers of ranks and amounts of data, on one machine.
struct Table {
  Operation operation = Operation::barrier;
  std::string machine;
  std::vector<const Algorithm*> algorithms;
  std::vector<int> ranks;
  std::vector<Count> bytes;
  std::vector<std::optional<Price>>
      prices;  // algorithm by algorithm, amount by amount, ranks fastest

  const std::optional<Price>& at(std::size_t algorithm, std::size_t amount,
                                 std::size_t rank) const {
    return prices[(algorithm * bytes.size() + amount) * ranks.size() + rank];
  }
  // The index of the cheapest, or -1.
  int winner(std::size_t amount, std::size_t rank) const;
};

// `like` says all but ranks, bytes and root (scaled with the ranks).
Table price_all(const std::vector<const Algorithm*>& algorithms, const Question& like,
                const std::vector<int>& ranks, const std::vector<Count>& bytes, Pricer& pricer);

std::string prices_text(const Table& table);
std::string winners_text(const Table& table);
Json prices_json(const Table& table);

// Time over the number of ranks, or over the amount of data if there is but one number of ranks;
// both axes logarithmic. What was extrapolated is dashed. Throws BadInput if both vary, or neither.
std::string curves(const Table& table);
// The cheapest algorithm for each number of ranks (to the right) and amount of data (upwards).
std::string decision_map(const Table& table);

}  // namespace tessera::coll::schedules
