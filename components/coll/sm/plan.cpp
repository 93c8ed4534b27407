// SPDX-License-Identifier: BSD-3-Clause
// The limits between the protocols of coll/sm, all in one place. Byte counts without a derivation
// were measured with bench/collectives on 2 cores that share a cache (docs/performance.md), best of
// many runs; where each process has a processor, they move with the figures of the machine
// (costs.h).
#include "plan.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>

#include "costs.h"

namespace tessera::coll::sm {

namespace {

constexpr std::size_t kAnyLength = std::numeric_limits<std::size_t>::max();
using Lengths = Rule::Range<std::size_t>;
constexpr Lengths kNone{kAnyLength, 0};

// Two processes with a processor each that exchange blocks: through the slots each block is copied
// twice, one copy after the other. What goes one way is streamed, the reader one chunk behind the
// writer, and priced by costs.h.
constexpr std::size_t kExchanged = 12 * 1024;

bool one_way(Operation operation) noexcept {
  return operation == Operation::gather || operation == Operation::gatherv ||
         operation == Operation::scatter || operation == Operation::scatterv;
}

bool exchanges(Operation operation) noexcept {
  return operation == Operation::alltoall || operation == Operation::alltoallv ||
         operation == Operation::alltoallw;
}

bool moves_equal_blocks(Operation operation) noexcept {
  return operation == Operation::gather || operation == Operation::scatter ||
         operation == Operation::allgather || operation == Operation::alltoall;
}

bool moves(Operation operation) noexcept {
  return operation == Operation::barrier || operation == Operation::bcast ||
         moves_equal_blocks(operation);
}

std::size_t direct_between_two_from(const Question& q) noexcept {
  if (one_way(q.operation)) return one_way_direct_from(q.machine);
  return direct_exchange_pays(q.machine) ? scaled(kExchanged, q.machine) + 1 : kNever;
}

// The longest block of an operation of blocks of any length that goes into a slot.
std::size_t longest_in_slot(const Question& q) noexcept {
  constexpr std::size_t kToEachNeighbor = 12 * 1024;
  constexpr std::size_t kOfMore = 8191;  // as the rules have it for blocks of one length
  // Measured: docs/decisions/0065.
  constexpr std::size_t kFromFew = 1024;
  constexpr std::size_t kOneWay = 32 * 1024;
  if (q.limit != Question::kByRules) return static_cast<std::size_t>(q.limit);
  if (among_neighbours(q.operation) && q.size == 2 && !q.oversubscribed &&
      !direct_exchange_pays(q.machine))
    return kNever;
  if (exchanges_with_neighbours(q.operation) && !q.oversubscribed) return kToEachNeighbor;
  if (among_neighbours(q.operation) && !q.oversubscribed) return q.slot;
  if (among_neighbours(q.operation)) return kAnyLength;
  if (!q.oversubscribed) return q.size == 2 ? direct_between_two_from(q) - 1 : kOfMore;
  if (one_way(q.operation)) return q.size <= 4 ? kFromFew : kOneWay;
  return kAnyLength;  // all wait for all: messages take more turns
}

// With a processor for each, a direct copy costs what a message of that length costs, and a
// handshake less. Where processors are shared, the copies of all wait for one another, and an
// alltoall beyond the caches is better off without.
Lengths copied_directly(const Question& q) noexcept {
  // Measured: docs/decisions/0065.
  constexpr int kMany = 32;  // then algorithms of fewer messages do better
  if (q.direct_from != 0) return {.least = q.direct_from};
  if (q.size > kMany) return kNone;
  if (!q.oversubscribed && q.size == 2) {
    const std::size_t least = direct_between_two_from(q);
    return least == kNever ? kNone : Lengths{.least = least};
  }
  if (!q.oversubscribed) return {.least = scaled(12 * 1024, q.machine)};
  const bool few = q.size <= 4;
  if (q.operation == Operation::gather) {  // from the caches the root reads faster
    constexpr std::size_t kCached = 512 * 1024;
    return {.least = std::max<std::size_t>(48 * 1024, kCached / q.size + 1)};
  }
  if (q.operation == Operation::gatherv) return {.least = 48 * 1024};
  if (one_way(q.operation)) {  // the root had better go on than wait until all have read
    const bool varied = q.operation == Operation::scatterv && !few;
    return {.least = varied ? std::size_t{22 * 1024} : std::size_t{32 * 1024}};
  }
  if (!exchanges(q.operation)) return kNone;
  return few ? Lengths{.least = 32 * 1024} : Lengths{.least = 16 * 1024, .most = 64 * 1024};
}

// Where a direct copy gains nothing, long blocks that go both ways among more than two are
// messages, whose receivers choose how to copy by trial.
bool exchanged_by_message(const Question& q) noexcept {
  return !q.oversubscribed && q.size > 2 && q.direct_from == 0 && q.limit == Question::kByRules &&
         !one_way(q.operation) && !direct_copy_pays(q.machine);
}

// What the part of a process must have to be worth two system calls for every other process, more
// where a round costs a turn on a processor; and what a vector must have for two processes, which
// need one call.
Count directly_reduced_from(const Question& q) noexcept {
  constexpr Count kPart = 8 * 1024;
  constexpr Count kPartInTurns = 24 * 1024;
  constexpr Count kVectorOfTwo = 48 * 1024;
  if (q.direct_from != 0) return static_cast<Count>(q.direct_from);
  if (q.operation == Operation::reduce && q.oversubscribed)
    return std::numeric_limits<Count>::max();
  if (q.oversubscribed) return q.size * kPartInTurns;
  if (q.operation == Operation::exscan) return static_cast<Count>(one_way_direct_from(q.machine));
  const bool pays = q.size == 2 ? direct_combining_pays(q.machine) : direct_copy_pays(q.machine);
  if (!pays) return std::numeric_limits<Count>::max();
  const auto here = [&](Count bytes) {
    return static_cast<Count>(scaled(static_cast<std::size_t>(bytes), q.machine));
  };
  if (q.size > 2) return q.size * here(kPart);
  return here(q.operation == Operation::allreduce ? kVectorOfTwo : 2 * kVectorOfTwo);
}

// What only the root waits for goes one way, and mostly faster through the slots.
bool reduce_of_two_is_direct(const Question& q) noexcept {
  const auto bytes = static_cast<std::size_t>(q.amount);
  return bytes > kNeverDirect &&
         worth_it(reduced_directly_ns(q.machine, bytes), reduced_from_chunks_ns(q.machine, bytes));
}

bool reduces_directly(const Question& q) noexcept {
  const bool has_way =
      q.operation == Operation::exscan ? q.size == 2 : q.operation != Operation::scan;
  if (!has_way || q.element > static_cast<Count>(kDirectBlock)) return false;
  if (q.operation == Operation::reduce && q.size == 2 && !q.oversubscribed && q.direct_from == 0)
    return reduce_of_two_is_direct(q);
  return q.amount >= directly_reduced_from(q);
}

bool fits(const Question& q) noexcept {
  if (!q.given) return false;
  if (exchanges_with_neighbours(q.operation)) return q.cartesian;
  if (!reduces(q.operation)) return true;
  return q.contiguous && q.element > 0 && q.element <= static_cast<Count>(q.slot) / q.size;
}

// Where processors are shared the root had better go on with its turn than wait for all.
bool is_direct_bcast(const Question& q) noexcept {
  const auto bytes = static_cast<std::size_t>(q.amount);
  if (q.operation != Operation::bcast || bytes == 0) return false;
  if (q.direct_from != 0) return bytes >= q.direct_from;
  if (q.oversubscribed || bytes <= kOneWayChunk) return false;
  const double direct =
      std::min(single_copy_ns(q.machine, bytes), split_copy_ns(q.machine, q.size, bytes));
  return worth_it(direct, streamed_ns(q.machine, bytes));
}

// Bytes from which both of two processes copy a part of what goes from one to the other.
std::size_t split_from(const Question& q) noexcept {
  const bool scatters = q.operation == Operation::scatter || q.operation == Operation::scatterv;
  return scatters ? split_scatter_from(q.machine) : split_copy_from(q.machine);
}

bool splits(const Question& q, Protocol protocol) noexcept {
  const auto bytes = static_cast<std::size_t>(q.amount);
  if (q.oversubscribed) return false;
  if (protocol == Protocol::direct_bcast)
    return split_copy_ns(q.machine, q.size, bytes) < single_copy_ns(q.machine, bytes);
  const bool blocks = protocol == Protocol::direct_blocks &&
                      (q.operation == Operation::gather || q.operation == Operation::scatter);
  const bool operand = protocol == Protocol::direct_reduction && q.operation == Operation::exscan;
  return q.size == 2 && (blocks || operand) && bytes >= split_from(q);
}

Protocol protocol(const Question& q) noexcept {
  if (!fits(q)) return Protocol::none;
  if (among_neighbours(q.operation)) return Protocol::neighbors;
  if (reduces(q.operation))
    return reduces_directly(q) ? Protocol::direct_reduction : Protocol::reduction;
  if (!moves(q.operation)) return Protocol::blocks;
  if (is_direct_bcast(q)) return Protocol::direct_bcast;
  const bool is_long = moves_equal_blocks(q.operation) &&
                       copied_directly(q).holds(static_cast<std::size_t>(q.amount));
  if (!is_long) return Protocol::chunks;
  return exchanged_by_message(q) ? Protocol::none : Protocol::direct_blocks;
}

}  // namespace

bool needs_figures(const Question& q) noexcept {
  if (!q.given || q.oversubscribed) return false;
  if (among_neighbours(q.operation)) return q.size == 2;
  return q.amount > static_cast<Count>(kNeverDirect) ||
         !(moves(q.operation) || reduces(q.operation));
}

// Plan::split_from; below `least` bytes nothing is copied directly.
static std::uint32_t split_blocks_from(std::size_t least, const Question& q) noexcept {
  const std::size_t from = std::max(least, split_from(q));
  return from <= std::numeric_limits<std::uint32_t>::max() ? static_cast<std::uint32_t>(from) : 0;
}

Plan plan(const Question& question) noexcept {
  constexpr Count kMostWithoutDirect = 128 * 1024;  // up to here the slots do well without
  Plan made;
  made.protocol = protocol(question);
  made.split = splits(question, made.protocol);
  if (question.amount > kMostWithoutDirect && question.limit == Question::kByRules)
    made.without_direct = Plan::WithoutDirect::messages;
  if (made.protocol == Protocol::blocks || made.protocol == Protocol::neighbors)
    made.in_slot = longest_in_slot(question);
  if (made.protocol == Protocol::blocks) {
    made.direct = exchanged_by_message(question) ? kNone : copied_directly(question);
    const bool one_block =
        question.operation == Operation::gatherv || question.operation == Operation::scatterv;
    if (one_block && question.size == 2 && !question.oversubscribed)
      made.split_from = split_blocks_from(made.direct.least, question);
  }
  return made;
}

// Beyond kEverythingBytes it takes longer to read p / 2 operands than to wait for p / 2 ranks.
Scanning scanning(int size, std::size_t bytes) noexcept {
  if (bytes > 0 && bytes <= kFewBytes) return Scanning::few_bytes;
  return bytes <= kEverythingBytes && size > 2 ? Scanning::everything : Scanning::chain;
}

namespace {

const char* words_of(Combining how) noexcept {
  switch (how) {
    case Combining::by_all:
      return "computed by every process that wants the result";
    case Combining::by_parts:
      return "each process computes a part";
    case Combining::by_one:
      return "computed by one process";
  }
  return "";
}

unsigned long kib(std::size_t bytes) noexcept {
  return static_cast<unsigned long>(bytes / 1024);
}

}  // namespace

Words::Words(const Question& q, const Plan& plan) noexcept {
  const bool both_ways = q.operation == Operation::allgather || q.operation == Operation::alltoall;
  const std::size_t chunk = both_ways ? q.slot : one_way_chunk(q.oversubscribed, q.slot);
  const auto vector = static_cast<std::size_t>(q.amount);
  const bool rooted = q.operation == Operation::reduce;
  switch (plan.protocol) {
    case Protocol::none:
      std::snprintf(text_, sizeof text_, "not by coll/sm");
      break;
    case Protocol::chunks:
      if (q.operation == Operation::barrier) {
        std::snprintf(text_, sizeof text_, "sequence numbers in the shared segment");
        break;
      }
      std::snprintf(text_, sizeof text_, "chunks of up to %lu KiB through the shared segment%s",
                    kib(chunk), both_ways ? "" : ", readers one chunk behind");
      break;
    case Protocol::blocks:
      if (plan.direct.least > plan.direct.most) {
        std::snprintf(text_, sizeof text_,
                      "blocks through the shared segment, long ones by message");
      } else {
        std::snprintf(text_, sizeof text_,
                      "short blocks through the shared segment, from %zu bytes on a direct copy "
                      "(CMA), others by message",
                      plan.direct.least);
        add_split(plan.split_from);
      }
      break;
    case Protocol::direct_bcast:
      std::snprintf(text_, sizeof text_, "one direct copy (CMA) of the root's buffer%s",
                    plan.split ? ", of which the root makes a part" : "");
      break;
    case Protocol::direct_blocks:
      std::snprintf(text_, sizeof text_, "one direct copy (CMA) of each block, %s",
                    plan.split ? "of which both processes make a part" : "no shared segment");
      break;
    case Protocol::reduction:
      std::snprintf(
          text_, sizeof text_, "operands in the shared segment, %s",
          words_of(combining(q.size, q.oversubscribed, rooted, std::min(vector, q.slot))));
      break;
    case Protocol::direct_reduction:
      std::snprintf(text_, sizeof text_,
                    "operands read from the memory of the other processes (CMA), %lu KiB at a time",
                    kib(kDirectBlock));
      break;
    case Protocol::neighbors:
      std::snprintf(text_, sizeof text_,
                    "blocks for neighbors through the shared segment, longer ones by message");
      break;
  }
  if (needs_figures(q)) add_figures(q.machine);
}

void Words::add_split(std::size_t from) noexcept {
  if (from == 0) return;
  const std::size_t used = std::strlen(text_);
  std::snprintf(text_ + used, sizeof text_ - used, "; from %zu bytes on both copy a part", from);
}

void Words::add_figures(const MachineFigures& f) noexcept {
  const std::size_t used = std::strlen(text_);
  std::snprintf(
      text_ + used, sizeof text_ - used,
      "; by the figures stream %u, single %u, split %u, copy_far %u MB/s, single_call %u, "
      "split_call %u, line %u ns",
      f.stream, f.single, f.split, f.copy_far, f.single_call_ns, f.split_call_ns, f.line_ns);
}

}  // namespace tessera::coll::sm
