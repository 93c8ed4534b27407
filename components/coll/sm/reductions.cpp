// SPDX-License-Identifier: BSD-3-Clause
// Reductions on the board: reduce, allreduce, reduce_scatter, scan.
//
// Each process publishes its operand; who needs a result combines the operands where they lie, in the order of ranks:
// a0 op (a1 op (... op ap)). Of a short vector, and between two processes, everybody who wants the result computes all
// of it: one step, p - 1 operations per element. Of a longer one every process computes one part and publishes it: two
// steps, and the operations are shared out. (Cf. reduce-scatter and allgather as in Rabenseifner 2004, on common memory.)
//
// Scans of few bytes go from the left, ((a0 op a1) op a2) ...: see few_bytes().
#include "bytes.h"
#include "division.h"
#include "operations.h"

namespace tessera::coll::sm {

namespace {

constexpr std::size_t kShortBytes =
    4096;  // up to here a second step costs more than computing everything everywhere

// What is combined, and what has gone wrong so far; the steps go on then, so that nobody waits for ever.
struct Reduction {
  Board& board;
  const Op& op;
  const Datatype& type;
  const std::byte* input;
  std::size_t element;  // bytes
  Status status;

  Reduction(Board& where, const Call& call, const void* from) noexcept
      : board(where),
        op(*call.op),
        type(*call.receive.type),
        input(static_cast<const std::byte*>(from)),
        element(static_cast<std::size_t>(type.size())) {}

  std::size_t bytes(Count elements) const noexcept { return static_cast<std::size_t>(elements) * element; }
  Count room_for(int pieces) const noexcept {
    return static_cast<Count>(board.capacity() / static_cast<std::size_t>(pieces) / element);
  }

  void publish(Step step, Count first, Count elements) noexcept {
    std::memcpy(board.room(step, bytes(elements)), input + bytes(first), bytes(elements));
    board.publish(step);
  }

  // Combines elements [first, first + elements) of the packages of ranks 0 to `last`, each of `size` bytes.
  void combine(Step step, int last, std::size_t size, Count first, Count elements, void* result) noexcept {
    std::memcpy(result, board.package(step, last, size) + bytes(first), bytes(elements));
    for (int rank = last - 1; rank >= 0; --rank) {
      const std::byte* operand = board.package(step, rank, size) + bytes(first);
      const Status applied = op.apply(operand, result, elements, type);
      if (status.ok()) status = applied;
    }
    if (last == board.size() - 1) board.seen_all(step);
  }
};

bool whole(const Board& board, std::size_t bytes) noexcept {
  return board.size() == 2 || bytes <= kShortBytes;
}

// One package of an allreduce (receiver < 0) or of a reduce to `receiver`, computed by everybody who wants it.
void in_one_step(Reduction& reduction, int receiver, Count first, Count elements,
                 std::byte* result) noexcept {
  Board& board = reduction.board;
  const Step step = board.enter();
  reduction.publish(step, first, elements);
  if (receiver < 0 || receiver == board.rank()) {
    reduction.combine(step, board.size() - 1, reduction.bytes(elements), 0, elements,
                      result + reduction.bytes(first));
  }
  board.leave(step);
}

// Collects the parts that were computed into `result`.
void fetch(Reduction& reduction, Step step, Count elements, std::byte* result) noexcept {
  Board& board = reduction.board;
  for (int i = 0; i < board.size(); ++i) {
    const int rank = (board.rank() + i) % board.size();
    const Count begin = first_of(elements, board.size(), rank);
    const std::size_t bytes = reduction.bytes(first_of(elements, board.size(), rank + 1) - begin);
    std::memcpy(result + reduction.bytes(begin), board.package(step, rank, bytes), bytes);
  }
}

// As in_one_step(), each process computing a part.
void in_two_steps(Reduction& reduction, int receiver, Count first, Count elements,
                  std::byte* result) noexcept {
  Board& board = reduction.board;
  const Step operands = board.enter();
  reduction.publish(operands, first, elements);
  const Step results = board.enter();
  const Count begin = first_of(elements, board.size(), board.rank());
  const Count part = first_of(elements, board.size(), board.rank() + 1) - begin;
  std::byte* room = board.room(results, reduction.bytes(part));
  reduction.combine(operands, board.size() - 1, reduction.bytes(elements), begin, part, room);
  board.leave(operands);
  board.publish(results);
  if (receiver < 0 || receiver == board.rank()) {
    fetch(reduction, results, elements, result + reduction.bytes(first));
  }
  board.leave(results);
}

void all_packages(Reduction& reduction, int receiver, Count count, void* result) noexcept {
  const Count most = reduction.room_for(1);
  for (Count first = 0; first < count; first += most) {
    const Count elements = std::min(most, count - first);
    const auto step = whole(reduction.board, reduction.bytes(elements)) ? in_one_step : in_two_steps;
    step(reduction, receiver, first, elements, static_cast<std::byte*>(result));
  }
}

}  // namespace

Status allreduce(Board& board, const Call& call) noexcept {
  Reduction reduction(board, call, operand_of(call));
  all_packages(reduction, -1, call.receive.count, call.receive.buffer);
  return reduction.status;
}

Status reduce(Board& board, const Call& call) noexcept {
  Reduction reduction(board, call, call.root == board.rank() ? operand_of(call) : call.send.buffer);
  all_packages(reduction, call.root, call.receive.count, call.receive.buffer);
  return reduction.status;
}

namespace {

// sum = left op right; room for `bytes`.
void add(Reduction& reduction, const std::byte* left, const std::byte* right, Count elements,
         std::byte* sum) noexcept {
  std::memcpy(sum, right, reduction.bytes(elements));
  const Status applied = reduction.op.apply(left, sum, elements, reduction.type);
  if (reduction.status.ok()) reduction.status = applied;
}

struct alignas(16) Room {
  std::byte bytes[Board::kWithSecond];
};

// The sum of all lower ranks, from the highest one on that shows its own. It lies on the board or in one of `rooms`.
const std::byte* lower_sum(Reduction& reduction, Step step, Count elements, Room (&rooms)[2]) noexcept {
  Board& board = reduction.board;
  const std::size_t bytes = reduction.bytes(elements);
  int rank = board.rank() - 1;
  while (rank > 0 && board.second(step, rank, bytes) == nullptr) --rank;
  static_cast<void>(board.package(step, rank, bytes));
  const std::byte* sum = board.second(step, rank, bytes);
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

// Each process shows the sum up to itself as the second part of its package, as soon as it has it. Called back to back,
// the scan is a chain: who finds the sum of the rank before it reads that line only. Otherwise it shows its operand at
// once and does the work of those that have not done theirs, so that nobody waits for one rank after the other. Either
// way the operations are the same, and so are the bits.
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

}  // namespace

Status scan(Board& board, const Call& call) noexcept {
  Reduction reduction(board, call, operand_of(call));
  const Count count = call.receive.count;
  if (count > 0 && reduction.bytes(count) <= Board::kWithSecond) {
    few_bytes(reduction, call.operation == Operation::scan, count,
              static_cast<std::byte*>(call.receive.buffer));
    return reduction.status;
  }
  const int last = call.operation == Operation::scan ? board.rank() : board.rank() - 1;
  const Count most = reduction.room_for(1);
  for (Count first = 0; first < call.receive.count; first += most) {
    const Count elements = std::min(most, call.receive.count - first);
    const Step step = board.enter();
    reduction.publish(step, first, elements);
    if (last >= 0) {
      auto* result = static_cast<std::byte*>(call.receive.buffer) + reduction.bytes(first);
      reduction.combine(step, last, reduction.bytes(elements), 0, elements, result);
    }
    board.leave(step);
  }
  return reduction.status;
}

namespace {

// Publishes of every segment the elements from `first` on, at most `most`, each at its own place in the package.
void publish_segments(Reduction& reduction, const Segments& segments, Step step, Count first,
                      Count most) noexcept {
  Board& board = reduction.board;
  std::byte* room = board.room(step, reduction.bytes(most) * static_cast<std::size_t>(board.size()));
  Count start = 0;
  for (int rank = 0; rank < board.size(); ++rank) {
    const Count elements = std::min(most, segments.count(rank) - first);
    if (elements > 0)
      std::memcpy(room, reduction.input + reduction.bytes(start + first), reduction.bytes(elements));
    room += reduction.bytes(most);
    start += segments.count(rank);
  }
  board.publish(step);
}

}  // namespace

// In place, the result overwrites only elements that were published in this step or before.
Status reduce_scatter(Board& board, const Call& call) noexcept {
  Reduction reduction(board, call, operand_of(call));
  const Segments segments{call};
  const Count longest = segments.longest();
  const Count most = std::min(longest, reduction.room_for(board.size()));
  const std::size_t size = reduction.bytes(most) * static_cast<std::size_t>(board.size());
  for (Count first = 0; first < longest; first += most) {
    const Step step = board.enter();
    publish_segments(reduction, segments, step, first, most);
    const Count elements = std::min(most, segments.count(board.rank()) - first);
    if (elements > 0) {
      auto* result = static_cast<std::byte*>(call.receive.buffer) + reduction.bytes(first);
      reduction.combine(step, board.size() - 1, size, board.rank() * most, elements, result);
    }
    board.leave(step);
  }
  return reduction.status;
}

}  // namespace tessera::coll::sm
