// SPDX-License-Identifier: BSD-3-Clause
// Reductions on the shared segment: reduce, allreduce, reduce_scatter.
//
// Each process publishes its operand; who needs a result combines the operands where they lie, in
// the order of ranks: a0 op (a1 op (... op ap)). An operand of n bytes goes one of three ways:
//
// - in_one_round(): everybody who wants the result computes all of it; p - 1 operations per
//   element. Short ones, all between two processes, and every reduce where processes take turns,
//   since nobody but its receiver waits then.
// - in_two_rounds(): every process computes a part and publishes it; (p - 1) / p operations per
//   element. (Cf. reduce-scatter and allgather as in Rabenseifner 2004, on common memory.)
// - through_one(): one process computes all and publishes it. An allreduce in between, where
//   processes take turns: all others need a turn before and one after it, and none in which they
//   compute.
#include "division.h"
#include "operations.h"
#include "reduction.h"

namespace tessera::coll::sm {

namespace {

// One chunk of an allreduce (receiver < 0) or of a reduce to `receiver`, computed by everybody
// who wants it.
void in_one_round(Reduction& reduction, int receiver, Count first, Count elements,
                  std::byte* result) noexcept {
  SharedSegment& segment = reduction.segment;
  const bool alone = receiver == segment.rank();
  const Round round = segment.enter();
  const std::size_t start = reduction.bytes(first), bytes = reduction.bytes(elements);
  const bool staged = !alone || reduction.in_place;
  const std::byte* const own =
      staged ? reduction.stage(round, start, bytes) : reduction.input + start;
  if (!alone) segment.publish(round);
  if (receiver < 0 || alone)
    reduction.combine(round, bytes, {0, bytes, elements}, own, result + start);
  segment.leave(round);
}

// Collects the parts that were computed into `result`.
void fetch(Reduction& reduction, Round round, Count elements, std::byte* result) noexcept {
  SharedSegment& segment = reduction.segment;
  for (int i = 0; i < segment.size(); ++i) {
    const int rank = (segment.rank() + i) % segment.size();
    const Count begin = first_of(elements, segment.size(), rank);
    const std::size_t bytes = reduction.bytes(first_of(elements, segment.size(), rank + 1) - begin);
    copy_near(result + reduction.bytes(begin), segment.chunk(round, rank, bytes), bytes);
  }
}

// As in_one_round(), each process computing a part.
void in_two_rounds(Reduction& reduction, int receiver, Count first, Count elements,
                   std::byte* result) noexcept {
  SharedSegment& segment = reduction.segment;
  const Round operands = segment.enter();
  const std::byte* own =
      reduction.stage(operands, reduction.bytes(first), reduction.bytes(elements));
  segment.publish(operands);
  const Round results = segment.enter();
  const Count begin = first_of(elements, segment.size(), segment.rank());
  const Count part = first_of(elements, segment.size(), segment.rank() + 1) - begin;
  std::byte* slot = segment.slot(results, reduction.bytes(part));
  reduction.combine(operands, reduction.bytes(elements), reduction.part(begin, part),
                    own + reduction.bytes(begin), slot);
  segment.leave(operands);
  segment.publish(results);
  if (receiver < 0 || receiver == segment.rank()) {
    fetch(reduction, results, elements, result + reduction.bytes(first));
  }
  segment.leave(results);
}

// As in_one_round(), of an allreduce.
void through_one(Reduction& reduction, int, Count first, Count elements,
                 std::byte* result) noexcept {
  constexpr int kOne = 0;
  in_one_round(reduction, kOne, first, elements, result);
  const Bytes data(result + reduction.bytes(first), elements, reduction.type);
  if (reduction.segment.rank() == kOne) return stream_out(reduction.segment, data);
  stream_in(reduction.segment, kOne, data);
}

using Way = void (*)(Reduction&, int receiver, Count first, Count elements,
                     std::byte* result) noexcept;

Way way_of(const SharedSegment& segment, int receiver, std::size_t bytes) noexcept {
  switch (combining(segment.size(), segment.oversubscribed(), receiver >= 0, bytes)) {
    case Combining::by_all:
      return in_one_round;
    case Combining::by_parts:
      return in_two_rounds;
    case Combining::by_one:
      return through_one;
  }
  return in_one_round;
}

// Between two processes what a reduce needs goes one way.
bool goes_one_way(const Reduction& reduction, int receiver) noexcept {
  return receiver >= 0 && reduction.segment.size() == 2;
}

void several_chunks(Reduction& reduction, int receiver, Count count, std::byte* result) noexcept {
  const Count most =
      goes_one_way(reduction, receiver) ? reduction.chunk_elements() : reduction.most(1);
  for (Count first = 0; first < count; first += most) {
    const Count elements = std::min(most, count - first);
    const Way way = way_of(reduction.segment, receiver, reduction.bytes(elements));
    way(reduction, receiver, first, elements, result);
  }
}

void all_chunks(Reduction& reduction, int receiver, Count count, void* to) noexcept {
  const SharedSegment& segment = reduction.segment;
  auto* const result = static_cast<std::byte*>(to);
  const std::size_t bytes = reduction.bytes(count);
  const std::size_t most =
      goes_one_way(reduction, receiver) ? chunk_bytes(segment) : segment.slot_bytes();
  if (bytes > most) return several_chunks(reduction, receiver, count, result);
  if (count > 0) way_of(segment, receiver, bytes)(reduction, receiver, 0, count, result);
}

}  // namespace

Status allreduce(SharedSegment& segment, const Call& call) noexcept {
  Reduction reduction(segment, call, operand_of(call));
  all_chunks(reduction, -1, call.receive.count, call.receive.buffer);
  return reduction.status;
}

Status reduce(SharedSegment& segment, const Call& call) noexcept {
  Reduction reduction(segment, call,
                      call.root == segment.rank() ? operand_of(call) : call.send.buffer);
  all_chunks(reduction, call.root, call.receive.count, call.receive.buffer);
  return reduction.status;
}

namespace {

// Publishes of the others' parts the elements from `first` on, at most `most`, each at its own
// place in the chunk. Where this process's may be read while the result is written.
const std::byte* publish_parts(Reduction& reduction, const ResultParts& parts, Round round,
                               Count first, Count most) noexcept {
  SharedSegment& segment = reduction.segment;
  const std::byte* own = nullptr;
  std::byte* slot =
      segment.slot(round, reduction.bytes(most) * static_cast<std::size_t>(segment.size()));
  Count start = 0;
  for (int rank = 0; rank < segment.size(); ++rank) {
    const bool mine = rank == segment.rank();
    const std::byte* part = reduction.input + reduction.bytes(start + first);
    if (mine) own = reduction.in_place ? slot : part;
    const Count elements = std::min(most, parts.count(rank) - first);
    if (elements > 0 && (!mine || reduction.in_place))
      copy_near(slot, part, reduction.bytes(elements));
    slot += reduction.bytes(most);
    start += parts.count(rank);
  }
  segment.publish(round);
  return own;
}

}  // namespace

// In place, the result overwrites only elements that were published or staged in this round or
// before.
Status reduce_scatter(SharedSegment& segment, const Call& call) noexcept {
  Reduction reduction(segment, call, operand_of(call));
  const ResultParts parts{call};
  const Count longest = parts.longest();
  const Count most = std::min(longest, reduction.most(segment.size()));
  const std::size_t size = reduction.bytes(most) * static_cast<std::size_t>(segment.size());
  for (Count first = 0; first < longest; first += most) {
    const Round round = segment.enter();
    const std::byte* own = publish_parts(reduction, parts, round, first, most);
    const Count elements = std::min(most, parts.count(segment.rank()) - first);
    if (elements > 0) {
      auto* result = static_cast<std::byte*>(call.receive.buffer) + reduction.bytes(first);
      reduction.combine(round, size, reduction.part(segment.rank() * most, elements), own, result);
    }
    segment.leave(round);
  }
  return reduction.status;
}

}  // namespace tessera::coll::sm
