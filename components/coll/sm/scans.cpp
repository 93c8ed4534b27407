// SPDX-License-Identifier: BSD-3-Clause
// Scans on the board: scan, exscan. All go from the left, ((a0 op a1) op a2) ..., whatever the
// length.
//
// - Few bytes, few_bytes(): a chain where the ranks keep up, otherwise everybody combines what is
// there.
// - Up to kEverythingBytes, everything(): everybody combines the operands of all lower ranks.
// - More, and between two processes, chain(): rank by rank, in segments.
#include "division.h"
#include "operations.h"
#include "reduction.h"

namespace tessera::coll::sm {

namespace {

static_assert(kFewBytes == Board::kWithSecond);

// sum = left op right; `sum` may be `right`.
void add(Reduction& reduction, const std::byte* left, const std::byte* right, Count elements,
         std::byte* sum) noexcept {
  if (sum != right) std::memcpy(sum, right, reduction.bytes(elements));
  const Status applied = reduction.op.apply(left, sum, elements, reduction.type);
  if (reduction.status.ok()) reduction.status = applied;
}

struct alignas(16) Room {
  std::byte bytes[Board::kWithSecond];
};

// The sum of all lower ranks, from the highest one on that shows its own. It lies on the board or
// in one of `rooms`.
const std::byte* lower_sum(Reduction& reduction, Step step, Count elements,
                           Room (&rooms)[2]) noexcept {
  Board& board = reduction.board;
  const std::size_t bytes = reduction.bytes(elements);
  int rank = board.rank() - 1;
  while (rank > 0 && board.second(step, rank, bytes) == nullptr) --rank;
  const std::byte* lowest = board.package(step, rank, bytes);
  const std::byte* sum = board.second(step, rank, bytes);
  if (sum == nullptr) sum = lowest;  // only on a broken board
  while (++rank < board.rank()) {
    const std::byte* operand = board.package(step, rank, bytes);
    if (const std::byte* theirs = board.second(step, rank, bytes)) {
      sum = theirs;
    } else {
      std::byte* room = rooms[rank % 2].bytes;
      add(reduction, sum, operand, elements, room);
      sum = room;
    }
  }
  return sum;
}

// Each process shows the sum up to itself as the second part of its package, as soon as it has it.
// Called back to back, the scan is a chain: who finds the sum of the rank before it reads that line
// only. Otherwise it shows its operand at once and does the work of those that have not done
// theirs, so that nobody waits for one rank after the other. Either way the operations are the
// same, and so are the bits.
void few_bytes(Reduction& reduction, bool inclusive, Count elements, std::byte* result) noexcept {
  Board& board = reduction.board;
  const Step step = board.enter();
  const std::size_t bytes = reduction.bytes(elements);
  const bool first = board.rank() == 0;
  const bool last = board.rank() == board.size() - 1;
  std::byte* operand = board.room(step, bytes);
  std::byte* sum = board.second_room(step, bytes);
  const bool late = !first && board.second(step, board.rank() - 1, bytes) == nullptr;
  if (late) {
    std::memcpy(operand, reduction.input, bytes);
    board.publish(step);
  }
  Room rooms[2];
  const std::byte* lower = first ? nullptr : lower_sum(reduction, step, elements, rooms);
  if (first) {
    std::memcpy(sum, reduction.input, bytes);
  } else if (inclusive || !last) {
    add(reduction, lower, reduction.input, elements, sum);
  }
  board.publish_second(step);
  if (!late) board.publish(step);  // nobody reads the operand now
  if (inclusive || !first) std::memcpy(result, inclusive ? sum : lower, bytes);
  if (last) board.seen_all(step);  // who shows its sum has come after all lower ranks
  board.leave(step);
}

// One step for everybody, and p / 2 operations on average.
void everything(Reduction& reduction, bool inclusive, Count elements, std::byte* result) noexcept {
  Board& board = reduction.board;
  const std::size_t bytes = reduction.bytes(elements);
  alignas(16) std::byte rooms[2][kEverythingBytes];
  const Step step = board.enter();
  std::memcpy(board.room(step, bytes), reduction.input, bytes);
  board.publish(step);
  const int last = inclusive ? board.rank() : board.rank() - 1;
  const std::byte* sum = last < 0 ? nullptr : board.package(step, 0, bytes);
  if (last == 0) std::memcpy(result, sum, bytes);
  for (int rank = 1; rank <= last; ++rank) {
    std::byte* next = rank == last ? result : rooms[rank % 2];
    add(reduction, sum, board.package(step, rank, bytes), elements, next);
    sum = next;
  }
  board.leave(step);
}

// Bytes of a segment that are combined at a time: what is copied is then still in the first-level
// cache for the next use.
constexpr std::size_t kAtATime = 8192;

// Each process shows the sum up to itself, and reads that of the rank before only, which alone has
// to make room for it again: segment by segment, so that all have work at the same time.
void chain(Reduction& reduction, bool inclusive, Count count, std::byte* result) noexcept {
  Board& board = reduction.board;
  const int rank = board.rank();
  const bool last = rank == board.size() - 1;
  const Count most = reduction.piece();
  const auto at_a_time = static_cast<Count>(std::max<std::size_t>(kAtATime / reduction.element, 1));
  Step segment = 0;
  for (Count first = 0; first < count; first += most, ++segment) {
    const Count elements = std::min(most, count - first);
    const std::size_t bytes = reduction.bytes(elements);
    const std::byte* input = reduction.input + reduction.bytes(first);
    std::byte* output = result + reduction.bytes(first);
    const Step step = board.enter();
    std::byte* sum = output;
    if (!last)
      sum =
          segment < Board::kSlots ? board.room(step, bytes) : board.room_for(rank + 1, step, bytes);
    const std::byte* lower = rank == 0 ? nullptr : board.package(step, rank - 1, bytes);
    for (Count begin = 0; begin < elements; begin += at_a_time) {
      const Count some = std::min(at_a_time, elements - begin);
      const std::size_t at = reduction.bytes(begin);
      const std::size_t length = reduction.bytes(some);
      if (lower == nullptr) {
        std::memcpy(sum + at, input + at, length);
      } else if (inclusive || !last) {
        add(reduction, lower + at, input + at, some, sum + at);
      }
      if (!last && begin + some == elements) board.publish(step);
      const std::byte* own = inclusive ? sum : lower;
      if (own != nullptr && own != output) std::memcpy(output + at, own + at, length);
    }
    board.leave(step);
  }
}

}  // namespace

Status scan(Board& board, const Call& call) noexcept {
  Reduction reduction(board, call, operand_of(call));
  const bool inclusive = call.operation == Operation::scan;
  const Count count = call.receive.count;
  const std::size_t bytes = reduction.bytes(count);
  auto* result = static_cast<std::byte*>(call.receive.buffer);
  switch (scanning(board.size(), bytes)) {
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
