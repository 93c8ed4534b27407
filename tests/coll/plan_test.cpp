// SPDX-License-Identifier: BSD-3-Clause
// The plan of coll/sm: over a grid of operations, ranks, sizes and processors, against the limits
// as they were measured; and the words that --explain prints.
#include "components/coll/sm/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "components/coll/sm/costs.h"

namespace tessera::coll::sm {

namespace {

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kKi = 1024;

// The limits as tables: what is measured belongs to a kind of operation, and to few or many
// processes with or without a processor each.
struct Measured {
  std::size_t in_slot;
  std::size_t direct_least, direct_most;
};

bool is(Operation operation, std::initializer_list<Operation> list) {
  return std::find(list.begin(), list.end(), operation) != list.end();
}
bool gathers(Operation o) {
  return is(o, {Operation::gather, Operation::gatherv});
}
bool scatters(Operation o) {
  return is(o, {Operation::scatter, Operation::scatterv});
}
bool exchanges(Operation o) {
  return is(o, {Operation::alltoall, Operation::alltoallv, Operation::alltoallw});
}

// Where the cost formulas of costs.h cross, with the default figures.
std::size_t one_way_direct(int size) {
  std::size_t bytes = kNeverDirect + 1;
  while (!worth_it(std::min(single_copy_ns({}, bytes), split_copy_ns({}, size, bytes)),
                   streamed_ns({}, bytes)))
    ++bytes;
  return bytes;
}

Measured measured(Operation o, int size, bool oversubscribed) {
  const bool rooted = gathers(o) || scatters(o);
  Measured m{kNever, kNever, 0};
  if (!oversubscribed && size == 2) {
    m = rooted ? Measured{one_way_direct(2) - 1, one_way_direct(2), kNever}
               : Measured{12 * kKi, 12 * kKi + 1, kNever};
  } else if (!oversubscribed) {
    m = {8191, 12 * kKi, kNever};
  } else if (gathers(o)) {
    m = {size <= 4 ? kKi : 32 * kKi, 48 * kKi, kNever};
  } else if (scatters(o)) {
    const bool varied = o == Operation::scatterv && size > 4;
    m = {size <= 4 ? kKi : 32 * kKi, (varied ? 22 : 32) * kKi, kNever};
  } else if (exchanges(o)) {
    m = size <= 4 ? Measured{kNever, 32 * kKi, kNever} : Measured{kNever, 16 * kKi, 64 * kKi};
  }
  if (oversubscribed && o == Operation::gather)
    m.direct_least = std::max(m.direct_least, 512 * kKi / static_cast<std::size_t>(size) + 1);
  if (size > 32) m.direct_least = kNever, m.direct_most = 0;
  return m;
}

Count vector_limit(Operation o, int size, bool oversubscribed) {
  constexpr Count never = std::numeric_limits<Count>::max();
  if (o == Operation::scan || (o == Operation::exscan && size != 2)) return never;
  if (o == Operation::exscan)
    return oversubscribed ? 48 * 1024 : static_cast<Count>(one_way_direct(2));
  if (o == Operation::reduce && oversubscribed) return never;
  if (o == Operation::reduce && size == 2) {  // by the cost formulas
    Count bytes = 1;
    while (!worth_it(reduced_directly_ns({}, static_cast<std::size_t>(bytes)),
                     reduced_from_chunks_ns({}, static_cast<std::size_t>(bytes))))
      bytes += 1;
    return bytes;
  }
  if (oversubscribed) return size * Count{24 * 1024};
  if (size > 2) return size * Count{8 * 1024};
  return o == Operation::allreduce ? 48 * 1024 : 96 * 1024;
}

Question asked(Operation operation, int size, bool oversubscribed, Count amount) {
  Question question;
  question.operation = operation;
  question.size = size;
  question.oversubscribed = oversubscribed;
  question.amount = amount;
  question.given = true;
  question.cartesian = true;
  question.element = 8;
  question.slot = 32 * kKi;
  return question;
}

Protocol expected(const Question& q) {
  const Measured m = measured(q.operation, q.size, q.oversubscribed);
  const auto amount = static_cast<std::size_t>(q.amount);
  if (q.operation >= Operation::neighbor_allgather) return Protocol::neighbors;
  if (q.operation >= Operation::reduce) {
    return q.amount >= vector_limit(q.operation, q.size, q.oversubscribed)
               ? Protocol::direct_reduction
               : Protocol::reduction;
  }
  if (q.operation == Operation::barrier) return Protocol::chunks;
  if (q.operation == Operation::bcast)  // by the cost formulas (costs_test.cpp)
    return !q.oversubscribed && amount >= one_way_direct(q.size) ? Protocol::direct_bcast
                                                                 : Protocol::chunks;
  if (is(q.operation,
         {Operation::gather, Operation::scatter, Operation::allgather, Operation::alltoall}))
    return m.direct_least <= amount && amount <= m.direct_most ? Protocol::direct_blocks
                                                               : Protocol::chunks;
  return Protocol::blocks;
}

template <class Body>
void over_the_grid(Body body) {
  for (std::size_t o = 0; o < kOperations; ++o) {
    for (const int size : {2, 3, 4, 5, 8, 16, 32, 33, 64}) {
      for (const bool oversubscribed : {false, true}) {
        for (Count amount = 1; amount <= Count{1} << 22; amount *= 2) {
          for (const Count around : {-1, 0, 1})
            body(asked(static_cast<Operation>(o), size, oversubscribed, amount + around));
        }
      }
    }
  }
}

TEST(Plan, ChoosesAsMeasuredOverTheWholeGrid) {
  over_the_grid([](const Question& q) {
    const Plan made = plan(q);
    const std::string where = std::string(name(q.operation)) + " of " + std::to_string(q.amount) +
                              " bytes on " + std::to_string(q.size) +
                              (q.oversubscribed ? ", oversubscribed" : "");
    ASSERT_EQ(made.protocol, expected(q)) << where;
    if (made.protocol != Protocol::blocks) return;
    const Measured m = measured(q.operation, q.size, q.oversubscribed);
    ASSERT_EQ(made.in_slot, m.in_slot) << where;
    ASSERT_EQ(made.direct.least, m.direct_least) << where;
    ASSERT_EQ(made.direct.most, m.direct_most) << where;
  });
}

TEST(Plan, TakesOnlyWhatIsGivenAndFits) {
  Question q = asked(Operation::allreduce, 4, false, 64);
  q.given = false;
  EXPECT_EQ(plan(q).protocol, Protocol::none);
  q.given = true;
  q.contiguous = false;
  EXPECT_EQ(plan(q).protocol, Protocol::none);
  q.contiguous = true;
  q.element = 8 * 1024 + 1;  // a slot has no room for one of each process
  EXPECT_EQ(plan(q).protocol, Protocol::none);
  q.element = 8 * 1024;
  EXPECT_EQ(plan(q).protocol, Protocol::reduction);
  Question n = asked(Operation::neighbor_alltoall, 4, false, 64);
  n.cartesian = false;
  EXPECT_EQ(plan(n).protocol, Protocol::none);
  n.operation = Operation::neighbor_allgather;
  EXPECT_EQ(plan(n).protocol, Protocol::neighbors);
}

TEST(Plan, ParametersStandInPlaceOfMeasurements) {
  Question q = asked(Operation::gatherv, 4, true, 0);
  q.limit = 100;
  q.direct_from = 5000;
  EXPECT_EQ(plan(q).in_slot, 100u);
  EXPECT_EQ(plan(q).direct.least, 5000u);
  q = asked(Operation::reduce, 2, true, 6000);
  q.direct_from = 5000;
  EXPECT_EQ(plan(q).protocol, Protocol::direct_reduction);
}

TEST(Plan, WithoutDirectCopiesLongDataGoesByMessage) {
  Question q = asked(Operation::allreduce, 2, false, 128 * 1024);
  EXPECT_EQ(plan(q).without_direct, Plan::WithoutDirect::slots);
  q.amount += 1;
  EXPECT_EQ(plan(q).without_direct, Plan::WithoutDirect::messages);
  q.limit = 1 << 20;  // who sets the parameter wants it here
  EXPECT_EQ(plan(q).without_direct, Plan::WithoutDirect::slots);
}

TEST(Plan, ReductionsAreCombinedAsMeasured) {
  EXPECT_EQ(combining(2, true, false, 1 << 20), Combining::by_all);
  EXPECT_EQ(combining(4, false, true, 4096), Combining::by_all);
  EXPECT_EQ(combining(4, false, false, 4097), Combining::by_parts);
  EXPECT_EQ(combining(4, true, false, 4096), Combining::by_all);
  EXPECT_EQ(combining(4, true, false, 4097), Combining::by_one);
  EXPECT_EQ(combining(8, true, false, 12289), Combining::by_parts);
  EXPECT_EQ(combining(9, true, false, 12289), Combining::by_one);
  EXPECT_EQ(combining(9, true, true, 12289), Combining::by_all);
}

TEST(Plan, ScansAreComputedAsMeasured) {
  EXPECT_EQ(scanning(4, 0), Scanning::everything);
  EXPECT_EQ(scanning(4, 24), Scanning::few_bytes);
  EXPECT_EQ(scanning(4, 25), Scanning::everything);
  EXPECT_EQ(scanning(4, 4096), Scanning::everything);
  EXPECT_EQ(scanning(4, 4097), Scanning::chain);
  EXPECT_EQ(scanning(2, 25), Scanning::chain);
}

TEST(Plan, SaysWhatItIs) {
  const auto words = [](const Question& q) { return std::string(Words(q, plan(q)).text()); };
  EXPECT_EQ(words(asked(Operation::bcast, 4, false, 4096)),
            "chunks of up to 8 KiB through the shared segment, readers one chunk behind");
  EXPECT_EQ(words(asked(Operation::bcast, 4, false, 1 << 20)),
            "one direct copy (CMA) of the root's buffer, of which the root makes a part; by the "
            "figures stream 6500, single 14500, split 20000, copy_far 50000 MB/s, single_call "
            "1300, split_call 3000, line 38 ns");
  EXPECT_EQ(words(asked(Operation::bcast, 4, true, 1 << 20)),
            "chunks of up to 32 KiB through the shared segment, readers one chunk behind");
  EXPECT_EQ(words(asked(Operation::barrier, 4, false, 0)),
            "sequence numbers in the shared segment");
  EXPECT_EQ(words(asked(Operation::allreduce, 4, false, 8)),
            "operands in the shared segment, computed by every process that wants the result");
  over_the_grid([&](const Question& q) {
    const std::string text = words(q);
    ASSERT_FALSE(text.empty());
    ASSERT_LT(text.size(), 299u) << "cut: " << text;
  });
}

}  // namespace

}  // namespace tessera::coll::sm
