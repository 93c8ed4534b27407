// SPDX-License-Identifier: BSD-3-Clause
// What coll/sm carries out.
#include "limits.h"

#include <limits>
#include <string>

#include "operations.h"

namespace tessera::coll::sm {

namespace {

// Measured, bytes. Between two processes with a processor each: what goes one way is streamed over
// the board, the reader one piece behind the writer; what both have for each other takes two copies
// one after the other, and one copy between two address spaces is sooner faster.
constexpr std::size_t kStreamed = 48 * 1024;
constexpr std::size_t kExchanged = 16 * 1024;

// With a processor for each of more processes the rules' limit for equal blocks is taken. Where
// processes take turns, only few of them have done better with messages, and not where all wait for
// all.
constexpr std::size_t kOfFew = 1024;
constexpr std::size_t kOfMore = 8191;
constexpr std::size_t kInTurns = 32 * 1024;

// Likewise, where neighbours exchange blocks. What each has for all of its neighbours goes over the
// board if there is room.
constexpr std::size_t kToEachNeighbour = 12 * 1024;

bool one_way(Operation operation) noexcept {
  return operation == Operation::gather || operation == Operation::gatherv ||
         operation == Operation::scatter || operation == Operation::scatterv;
}

std::size_t of_two(Operation operation) noexcept {
  return one_way(operation) ? kStreamed : kExchanged;
}

std::size_t measured_block(const Call& call, const Layout& layout) noexcept {
  if (exchanges_with_neighbours(call.operation) && !layout.crowded) return kToEachNeighbour;
  if (among_neighbours(call.operation)) return std::numeric_limits<std::size_t>::max();
  if (!layout.crowded) return call.size == 2 ? of_two(call.operation) : kOfMore;
  if (one_way(call.operation)) return call.size <= 4 ? kOfFew : kInTurns;
  return std::numeric_limits<std::size_t>::max();
}

using Lengths = Rule::Range<std::size_t>;
constexpr Lengths kNone{std::numeric_limits<std::size_t>::max(), 0};

// Likewise. With a processor for each, this is what a message of that length costs, and a handshake
// less. Where processes take turns, the copies of all wait for one another, and an alltoall beyond
// the caches is better off without.
Lengths measured_lengths(const Call& call, const Layout& layout) noexcept {
  constexpr int kMany = 32;  // then algorithms of fewer messages do better
  if (call.size > kMany) return kNone;
  if (!layout.crowded && call.size == 2) return {.least = of_two(call.operation) + 1};
  if (!layout.crowded) return {.least = 12 * 1024};
  const bool few = call.size <= 4;
  switch (call.operation) {
    case Operation::gather:
    case Operation::gatherv:
      return {.least = 48 * 1024};
    case Operation::scatter:
    case Operation::scatterv:
      return {.least = few ? std::size_t{32 * 1024} : std::size_t{16 * 1024}};
    case Operation::alltoall:
    case Operation::alltoallv:
    case Operation::alltoallw:
      return few ? Lengths{.least = 32 * 1024} : Lengths{.least = 16 * 1024, .most = 64 * 1024};
    default:
      return kNone;
  }
}

// Likewise: what a part must have to be worth two system calls for every other process, more where
// a step costs a turn; and what a vector must have for two processes, which need one.
Count measured_vector(const Call& call, const Layout& layout) noexcept {
  constexpr Count kPart = 8 * 1024;
  constexpr Count kPartInTurns = 24 * 1024;
  constexpr Count kVectorOfTwo = 48 * 1024;
  constexpr Count kExscanOfTwo = 32 * 1024;
  // What only one process waits for goes one way, and faster over the board.
  if (call.operation == Operation::reduce && (layout.crowded || call.size == 2))
    return std::numeric_limits<Count>::max();
  if (call.operation == Operation::exscan && !layout.crowded) return kExscanOfTwo;
  if (layout.crowded) return call.size * kPartInTurns;
  if (call.size > 2) return call.size * kPart;
  return call.operation == Operation::allreduce ? kVectorOfTwo : 2 * kVectorOfTwo;
}

}  // namespace

Limits::Limits(const Params& params) : direct_limit_(params.size("direct_limit")) {
  most_.fill(kByRules);
  for (const Operation operation : kWithLimit) {
    const std::string name = std::string(coll::name(operation)) + "_limit";
    if (params.chosen(name))
      most_[static_cast<std::size_t>(operation)] = static_cast<Count>(params.size(name));
  }
}

bool Limits::admit(const Call& call, const Layout& layout) const noexcept {
  const Count most = most_[static_cast<std::size_t>(call.operation)];
  if (most != kByRules) return amount(call) <= most;
  return rules_ != nullptr && rules_->chosen(number_, call, layout) != nullptr;
}

std::size_t Limits::longest_block(const Call& call, const Layout& layout) const noexcept {
  if (!replaced(call.operation)) return measured_block(call, layout);
  return static_cast<std::size_t>(most_[static_cast<std::size_t>(call.operation)]);
}

Rule::Range<std::size_t> Limits::offered(const Call& call, const Layout& layout) const noexcept {
  return direct_limit_ != 0 ? Lengths{.least = direct_limit_} : measured_lengths(call, layout);
}

Count Limits::large_vector(const Call& call, const Layout& layout) const noexcept {
  return direct_limit_ != 0 ? static_cast<Count>(direct_limit_) : measured_vector(call, layout);
}

}  // namespace tessera::coll::sm
