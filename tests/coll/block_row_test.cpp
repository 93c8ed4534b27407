// SPDX-License-Identifier: BSD-3-Clause
// allgatherv where the receive buffer has the blocks in the order of ranks without gaps, on all
// processes or on some: what the other checks, whose blocks lie in reverse order with gaps, do not
// see.
#include <gtest/gtest.h>

#include "components/coll/basic/algorithms.h"
#include "tools/schedules/builder.h"
#include "tools/schedules/checker.h"

namespace tessera::coll::schedules {
namespace {

Layout without_gaps(const std::vector<Count>& counts) {
  Layout layout{counts, {}, {}, 0};
  for (const Count count : counts) {
    layout.displacements.push_back(layout.elements);
    layout.elements += count;
  }
  return layout;
}

// Every `gaps`-th process has gaps; 0: none.
std::vector<Process> processes_of(int size, int gaps, bool in_place, bool sparse) {
  std::vector<Count> counts;
  for (int i = 0; i < size; ++i) counts.push_back(varied(i, 0, 7));
  const ModelType& type = sparse ? sparse_int() : dense_int();
  std::vector<Process> processes;
  processes.reserve(static_cast<std::size_t>(size));
  for (int me = 0; me < size; ++me) {
    Process& process = processes.emplace_back(
        blank({.operation = Operation::allgatherv, .size = size}, me, nullptr));
    Builder builder(process, false);
    process.call.in_place = in_place;
    const Count mine = counts[static_cast<std::size_t>(me)];
    builder.one_count(Space::send, mine, 1, dense_int());
    const Layout layout = gaps != 0 && me % gaps == 0 ? layout_of(counts) : without_gaps(counts);
    builder.layout(Space::receive, layout, type);
    const Buffer own = in_place ? block_of(process.call.receive, Space::receive, me)
                                : Buffer{Space::send, 0, mine, process.call.send.type};
    builder.put(own.space, own, tokens(me, 0, mine));
    builder.start_expectation();
    for (int i = 0; i < size; ++i) {
      builder.expect(block_of(process.call.receive, Space::receive, i),
                     tokens(i, 0, counts[static_cast<std::size_t>(i)]));
    }
    builder.finish();
  }
  return processes;
}

TEST(BlockRow, BlocksWithoutGapsNeedNoOtherMemory) {
  for (const basic::Algorithm* algorithm : basic::algorithms()) {
    if (algorithm->operation != Operation::allgatherv) continue;
    for (int size = 1; size <= 9; ++size) {
      for (int variant = 0; variant < 12; ++variant) {
        std::vector<Process> processes =
            processes_of(size, variant / 4, variant % 2 != 0, variant % 4 > 1);
        if (!algorithm->fits(processes.front().call)) continue;
        const std::string wrong = check(processes, [&](const Call& call, Schedule& schedule) {
          algorithm->emit(call, {}, schedule);
          return schedule.status();
        });
        ASSERT_EQ(wrong, "") << algorithm->name << ", " << size << " processes, variant "
                             << variant;
      }
    }
  }
}

TEST(BlockRow, ReceivesIntoTheReceiveBuffer) {
  const basic::Algorithm* algorithm =
      basic::find_algorithm(Operation::allgatherv, "recursive_exchange");
  ASSERT_NE(algorithm, nullptr);
  const auto scratch = [&](int gaps) {
    const std::vector<Process> processes = processes_of(4, gaps, false, false);
    Schedule schedule;
    algorithm->emit(processes.front().call, {}, schedule);
    return schedule.scratch_bytes();
  };
  EXPECT_EQ(scratch(0), 0u);
  EXPECT_GT(scratch(1), 0u);
}

}  // namespace
}  // namespace tessera::coll::schedules
