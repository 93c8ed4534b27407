// SPDX-License-Identifier: BSD-3-Clause
// Checking one algorithm for many sizes, roots and amounts of data: verify().
#pragma once

#include <functional>
#include <optional>

#include "tools/schedules/catalogue.h"

namespace tessera::coll::schedules {

// Which calls are made. Every size is combined with every root and count; each of these with and
// without in_place, with contiguous and sparse types, commuting and ordered operations (where a
// call has them and the algorithm takes them). Algorithms that have tuning are checked with the
// usual values and with small segments and several radices as well.
struct Sweep {
  std::vector<int> ranks;
  std::optional<std::vector<int>> roots;  // where they are below the size; none: all
  std::optional<std::vector<Count>>
      counts;  // elements; none: 0, 1, few, and a number that cannot be divided evenly
  // false: less of it. In place only with contiguous types and otherwise only sparse ones; only the
  // usual tuning; and no small numbers of elements besides 0 and 1.
  bool crossed = true;
  bool middle_roots = false;  // instead of `roots`: the first, the middle and the last
};

struct Verdict {
  std::size_t checked = 0;  // calls
  std::string wrong;        // the first failure and the call it was found with, or empty
};

// Neighbourhoods are checked on a periodic row. `progress` (may be null) is called after each size.
Verdict verify(const Algorithm& algorithm, const Sweep& sweep,
               const std::function<void(int)>& progress = {});

}  // namespace tessera::coll::schedules
