// SPDX-License-Identifier: BSD-3-Clause
// Scans on the shared segment: scan, exscan. All go from the left, ((a0 op a1) op a2) ..., whatever
// the length.
//
// - Few bytes, few_bytes(): a chain where the ranks keep up, otherwise everybody combines what is
// there.
// - Up to kEverythingBytes, everything(): everybody combines the operands of all lower ranks.
// - More, and between two processes, chain(): rank by rank, in chunks.
#include "division.h"
#include "operations.h"
#include "reduction.h"

namespace tessera::coll::sm {

namespace {

static_assert(kFewBytes == SharedSegment::kWithSecond);

// sum = left op right; `sum` may be `right`.
void add(Reduction& reduction, const std::byte* left, const std::byte* right, Count elements,
         std::byte* sum) noexcept {
  if (sum != right && elements != 0) copy_near(sum, right, reduction.bytes(elements));
  const Status applied = reduction.op.apply(left, sum, elements, reduction.type);
  if (reduction.status.ok()) reduction.status = applied;
}

struct alignas(16) Partial {
  std::byte bytes[SharedSegment::kWithSecond];
};

// What `rank` shows as the sum up to itself; null: not there yet. The operand of the first rank is
// its sum: see few_bytes().
const std::byte* shown_sum(SharedSegment& segment, Round round, int rank,
                           std::size_t bytes) noexcept {
  return rank == 0 ? segment.chunk_there(round, rank, bytes) : segment.second(round, rank, bytes);
}

// The sum of all lower ranks, from the highest one on that shows its own. It lies on the shared
// segment or in one of `partials`.
const std::byte* lower_sum(Reduction& reduction, Round round, Count elements,
                           Partial (&partials)[2]) noexcept {
  SharedSegment& segment = reduction.segment;
  const std::size_t bytes = reduction.bytes(elements);
  int rank = segment.rank() - 1;
  if (rank == 0) return segment.chunk(round, rank, bytes);
  while (rank > 0 && segment.second(round, rank, bytes) == nullptr) --rank;
  const std::byte* operand = segment.chunk(round, rank, bytes);
  const std::byte* sum = shown_sum(segment, round, rank, bytes);
  if (sum == nullptr) sum = operand;  // only on a broken shared segment
  while (++rank < segment.rank()) {
    operand = segment.chunk(round, rank, bytes);
    if (const std::byte* theirs = segment.second(round, rank, bytes)) {
      sum = theirs;
    } else {
      std::byte* partial = partials[rank % 2].bytes;
      add(reduction, sum, operand, elements, partial);
      sum = partial;
    }
  }
  return sum;
}

// Each process shows the sum up to itself as the second part of its chunk, as soon as it has it.
// Called back to back, the scan is a chain: who finds the sum of the rank before it reads that line
// only. Otherwise it shows its operand at once and does the work of those that have not done
// theirs, so that nobody waits for one rank after the other. Either way the operations are the
// same, and so are the bits. The first rank writes its line once: a process that polls would take
// the line away between two writes. The last rank writes none, since nobody reads it.
void few_bytes(Reduction& reduction, bool inclusive, Count elements, std::byte* result) noexcept {
  SharedSegment& segment = reduction.segment;
  const Round round = segment.enter();
  const std::size_t bytes = reduction.bytes(elements);
  Partial partials[2];
  if (segment.rank() == 0) {
    copy_near(segment.slot(round, bytes), reduction.input, bytes);
    segment.publish(round);
    if (inclusive) copy_near(result, reduction.input, bytes);
  } else if (segment.rank() == segment.size() - 1) {
    if (inclusive && result != reduction.input) copy_near(result, reduction.input, bytes);
    const std::byte* lower = lower_sum(reduction, round, elements, partials);
    if (inclusive) {
      add(reduction, lower, result, elements, result);
    } else {
      copy_near(result, lower, bytes);
    }
    segment.seen_all(round);  // who shows its sum has come after all lower ranks
  } else {
    std::byte* operand = segment.slot(round, bytes);
    std::byte* sum = segment.second_slot(round, bytes);
    const bool late = shown_sum(segment, round, segment.rank() - 1, bytes) == nullptr;
    if (late) {
      copy_near(operand, reduction.input, bytes);
      segment.publish(round);
    }
    const std::byte* lower = lower_sum(reduction, round, elements, partials);
    add(reduction, lower, reduction.input, elements, sum);
    segment.publish_second(round);
    if (!late) segment.publish(round);  // nobody reads the operand now
    copy_near(result, inclusive ? sum : lower, bytes);
  }
  segment.leave(round);
}

// One round for everybody, and p / 2 operations on average.
void everything(Reduction& reduction, bool inclusive, Count elements, std::byte* result) noexcept {
  SharedSegment& segment = reduction.segment;
  const std::size_t bytes = reduction.bytes(elements);
  alignas(16) std::byte partials[2][kEverythingBytes];
  const Round round = segment.enter();
  if (bytes != 0) copy_near(segment.slot(round, bytes), reduction.input, bytes);
  segment.publish(round);
  const int last = inclusive ? segment.rank() : segment.rank() - 1;
  const std::byte* sum = last < 0 ? nullptr : segment.chunk(round, 0, bytes);
  if (last == 0 && bytes != 0) copy_near(result, sum, bytes);
  for (int rank = 1; rank <= last; ++rank) {
    std::byte* next = rank == last ? result : partials[rank % 2];
    add(reduction, sum, segment.chunk(round, rank, bytes), elements, next);
    sum = next;
  }
  segment.leave(round);
}

// Bytes of a index that are combined at a time: what is copied is then still in the first-level
// cache for the next use.
// Measured: docs/decisions/0065.
constexpr std::size_t kAtATime = 8192;

// Each process shows the sum up to itself, and reads that of the rank before only, which alone has
// to make room for it again: chunk by chunk, so that all have work at the same time.
void chain(Reduction& reduction, bool inclusive, Count count, std::byte* result) noexcept {
  SharedSegment& segment = reduction.segment;
  const int rank = segment.rank();
  const bool last = rank == segment.size() - 1;
  const Count most = reduction.chunk_elements();
  const auto at_a_time = static_cast<Count>(std::max<std::size_t>(kAtATime / reduction.element, 1));
  Round since = 0;
  for (Count first = 0; first < count; first += most) {
    const Count elements = std::min(most, count - first);
    const std::size_t bytes = reduction.bytes(elements);
    const std::byte* input = reduction.input + reduction.bytes(first);
    std::byte* output = result + reduction.bytes(first);
    const Round round = segment.enter();
    if (since == 0) since = round;
    std::byte* sum = output;
    if (!last) sum = segment.slot_for(rank + 1, since, round, bytes);
    const std::byte* lower = rank == 0 ? nullptr : segment.chunk(round, rank - 1, bytes);
    for (Count begin = 0; begin < elements; begin += at_a_time) {
      const Count some = std::min(at_a_time, elements - begin);
      const std::size_t at = reduction.bytes(begin);
      const std::size_t length = reduction.bytes(some);
      if (lower == nullptr) {
        copy_near(sum + at, input + at, length);
      } else if (inclusive || !last) {
        add(reduction, lower + at, input + at, some, sum + at);
      }
      if (!last && begin + some == elements) segment.publish(round);
      const std::byte* own = inclusive ? sum : lower;
      if (own != nullptr && own != output) copy_near(output + at, own + at, length);
    }
    segment.leave(round);
  }
}

}  // namespace

Status scan(SharedSegment& segment, const Call& call) noexcept {
  Reduction reduction(segment, call, operand_of(call));
  const bool inclusive = call.operation == Operation::scan;
  const Count count = call.receive.count;
  const std::size_t bytes = reduction.bytes(count);
  auto* result = static_cast<std::byte*>(call.receive.buffer);
  switch (scanning(segment.size(), bytes)) {
    case Scanning::few_bytes:
      few_bytes(reduction, inclusive, count, result);
      break;
    case Scanning::everything:
      everything(reduction, inclusive, count, result);
      break;
    case Scanning::chain:
      chain(reduction, inclusive, count, result);
      break;
  }
  return reduction.status;
}

}  // namespace tessera::coll::sm
