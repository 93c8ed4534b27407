// SPDX-License-Identifier: BSD-3-Clause
// What the schedules of all processes send from one system to another.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <utility>

#include "tests/coll/cases.h"

namespace tessera::coll::test {

struct Load {
  Count bytes = 0;
  int messages = 0;
  bool operator==(const Load& other) const = default;
};
inline std::ostream& operator<<(std::ostream& out, const Load& load) {
  return out << load.bytes << " bytes in " << load.messages << " messages";
}
// From one system to another.
using Loads = std::map<std::pair<int, int>, Load>;

// emit(call, schedule) -> Status; system(rank) is equal for ranks of one system.
template <class Emit, class System>
Loads loads_between(const std::vector<Process>& processes, Emit emit, System system) {
  Loads loads;
  for (const Process& process : processes) {
    Schedule schedule;
    EXPECT_TRUE(emit(process.call, schedule).ok());
    for (const Step& step : schedule.steps()) {
      if (step.kind != StepKind::send || system(step.peer) == system(process.call.rank)) continue;
      Load& load = loads[{system(process.call.rank), system(step.peer)}];
      load.bytes += step.from.bytes();
      ++load.messages;
    }
  }
  return loads;
}

}  // namespace tessera::coll::test
