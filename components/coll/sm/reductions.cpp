// SPDX-License-Identifier: BSD-3-Clause
// Reductions on the board: reduce, allreduce, reduce_scatter.
//
// Each process publishes its operand; who needs a result combines the operands where they lie, in
// the order of ranks: a0 op (a1 op (... op ap)). An operand of n bytes goes one of three ways:
//
// - in_one_step(): everybody who wants the result computes all of it; p - 1 operations per element.
// Short ones, all between
//   two processes, and every reduce where processes take turns, since nobody but its receiver waits
//   then.
// - in_two_steps(): every process computes a part and publishes it; (p - 1) / p operations per
// element. (Cf. reduce-scatter
//   and allgather as in Rabenseifner 2004, on common memory.)
// - through_one(): one process computes all and publishes it. An allreduce in between, where
// processes take turns: all others
//   need a turn before and one after it, and none in which they compute.
#include "division.h"
#include "operations.h"
#include "reduction.h"

namespace tessera::coll::sm {

namespace {

// One package of an allreduce (receiver < 0) or of a reduce to `receiver`, computed by everybody
// who wants it.
void in_one_step(Reduction& reduction, int receiver, Count first, Count elements,
                 std::byte* result) noexcept {
  Board& board = reduction.board;
  const bool receives = receiver < 0 || receiver == board.rank();
  const bool alone = receiver == board.rank();
  const Step step = board.enter();
  const bool staged = !alone || reduction.in_place;
  const std::byte* own =
      staged ? reduction.stage(step, first, elements) : reduction.input + reduction.bytes(first);
  if (!alone) board.publish(step);
  if (receives)
    reduction.combine(step, reduction.bytes(elements), 0, elements, own,
                      result + reduction.bytes(first));
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
  const std::byte* own = reduction.stage(operands, first, elements);
  board.publish(operands);
  const Step results = board.enter();
  const Count begin = first_of(elements, board.size(), board.rank());
  const Count part = first_of(elements, board.size(), board.rank() + 1) - begin;
  std::byte* room = board.room(results, reduction.bytes(part));
  reduction.combine(operands, reduction.bytes(elements), begin, part, own + reduction.bytes(begin),
                    room);
  board.leave(operands);
  board.publish(results);
  if (receiver < 0 || receiver == board.rank()) {
    fetch(reduction, results, elements, result + reduction.bytes(first));
  }
  board.leave(results);
}

// As in_one_step(), of an allreduce.
void through_one(Reduction& reduction, int, Count first, Count elements,
                 std::byte* result) noexcept {
  constexpr int kOne = 0;
  in_one_step(reduction, kOne, first, elements, result);
  const Bytes data(result + reduction.bytes(first), elements, reduction.type);
  if (reduction.board.rank() == kOne) return give(reduction.board, data);
  take(reduction.board, kOne, data);
}

using Way = void (*)(Reduction&, int receiver, Count first, Count elements,
                     std::byte* result) noexcept;

Way way_of(const Board& board, int receiver, std::size_t bytes) noexcept {
  switch (combining(board.size(), board.in_turns(), receiver >= 0, bytes)) {
    case Combining::by_all:
      return in_one_step;
    case Combining::by_parts:
      return in_two_steps;
    case Combining::by_one:
      return through_one;
  }
  return in_one_step;
}

// Elements of a package. Between two processes what a reduce needs goes one way.
Count package_of(const Reduction& reduction, int receiver) noexcept {
  const bool one_way = receiver >= 0 && reduction.board.size() == 2;
  return one_way ? reduction.piece() : reduction.most(1);
}

void all_packages(Reduction& reduction, int receiver, Count count, void* result) noexcept {
  const Count most = package_of(reduction, receiver);
  for (Count first = 0; first < count; first += most) {
    const Count elements = std::min(most, count - first);
    const Way way = way_of(reduction.board, receiver, reduction.bytes(elements));
    way(reduction, receiver, first, elements, static_cast<std::byte*>(result));
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

// Publishes of the others' segments the elements from `first` on, at most `most`, each at its own
// place in the package. Where this process's may be read while the result is written.
const std::byte* publish_segments(Reduction& reduction, const Segments& segments, Step step,
                                  Count first, Count most) noexcept {
  Board& board = reduction.board;
  const std::byte* own = nullptr;
  std::byte* room =
      board.room(step, reduction.bytes(most) * static_cast<std::size_t>(board.size()));
  Count start = 0;
  for (int rank = 0; rank < board.size(); ++rank) {
    const bool mine = rank == board.rank();
    const std::byte* segment = reduction.input + reduction.bytes(start + first);
    if (mine) own = reduction.in_place ? room : segment;
    const Count elements = std::min(most, segments.count(rank) - first);
    if (elements > 0 && (!mine || reduction.in_place))
      std::memcpy(room, segment, reduction.bytes(elements));
    room += reduction.bytes(most);
    start += segments.count(rank);
  }
  board.publish(step);
  return own;
}

}  // namespace

// In place, the result overwrites only elements that were published or staged in this step or
// before.
Status reduce_scatter(Board& board, const Call& call) noexcept {
  Reduction reduction(board, call, operand_of(call));
  const Segments segments{call};
  const Count longest = segments.longest();
  const Count most = std::min(longest, reduction.most(board.size()));
  const std::size_t size = reduction.bytes(most) * static_cast<std::size_t>(board.size());
  for (Count first = 0; first < longest; first += most) {
    const Step step = board.enter();
    const std::byte* own = publish_segments(reduction, segments, step, first, most);
    const Count elements = std::min(most, segments.count(board.rank()) - first);
    if (elements > 0) {
      auto* result = static_cast<std::byte*>(call.receive.buffer) + reduction.bytes(first);
      reduction.combine(step, size, board.rank() * most, elements, own, result);
    }
    board.leave(step);
  }
  return reduction.status;
}

}  // namespace tessera::coll::sm
