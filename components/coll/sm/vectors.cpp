// SPDX-License-Identifier: BSD-3-Clause
// Operations whose blocks may differ in length: gatherv, scatterv, allgatherv, alltoallv,
// alltoallw; and long blocks of those whose blocks are alike.
//
// Cost per process: one round in gatherv and scatterv (between two processes one for each chunk of
// a block), else two. Every byte of a short block is copied once into and once out of shared
// memory; a long block costs a system call that copies it once. In gather and scatter those are
// made by the others, all at the same time, while the root copies its own block. A block that is
// neither costs a message (blocks.h). In allgatherv, and in alltoallv between two processes,
// everybody knows all lengths: either all blocks are long ones, or all are in_slot, a round per
// chunk of the longest.
#include "block_exchange.h"
#include "operations.h"
#include "stream.h"

namespace tessera::coll::sm {

namespace {

[[gnu::hot]] void copy(const Call& call, const Buffer& from, const Buffer& to) noexcept {
  bytes_of(call, to).copy(bytes_of(call, from));
}

// Negative: there is more than one.
int only_other(const SharedSegment& segment) noexcept {
  return segment.size() == 2 ? 1 - segment.rank() : -1;
}

// The only block of a gatherv or scatterv between two processes, if it is short: both know its
// length, so that it can take as many rounds as it needs.
bool streamed(const SharedSegment& segment, const Buffer& block,
              const BlockLimits& limits) noexcept {
  return segment.size() == 2 && length(block) <= limits.in_slot;
}

// A long one, of which both may copy a part.
bool copied_by_both(const SharedSegment& segment, const Buffer& block,
                    const BlockLimits& limits) noexcept {
  return segment.size() == 2 && limits.cma != nullptr && limits.offered.holds(length(block)) &&
         length(block) > limits.in_slot && length(block) >= limits.split_from;
}

// A chunk with a block for each other process, all of which have a place in it.
template <class BlockOf>
void post_all(SharedSegment& segment, const Call& call, Round round, PostedBlocks& posted,
              const SlotLayout::Room& room, BlockOf block) noexcept {
  posted.fit(room);
  for_others(segment, [&](int rank) {
    const Buffer theirs = block(rank);
    const std::size_t bytes = length(theirs);
    if (bytes > 0) bytes_of(call, theirs).read(0, posted.slot_for(rank, bytes), bytes);
  });
  if (posted.any()) segment.publish(round);
}

// All of a scatterv's blocks that this process has part in have a place in a slot: one round, no
// offers and no messages. The tag counts as in the calls of the others.
Status scatter_in_slots(SharedSegment& segment, const Call& call,
                        const SlotLayout::Room& room) noexcept {
  const auto block = [&](int rank) { return block_of(Space::send, call.send, rank); };
  const Round round = segment.enter();
  PostedBlocks posted(segment, round);
  post_all(segment, call, round, posted, room, block);
  if (!call.in_place) copy(call, block(segment.rank()), whole(Space::receive, call.receive));
  segment.leave(round);
  static_cast<void>(call.comm->next_collective_tag());
  return {};
}

Status take_from_slot(SharedSegment& segment, const Call& call, const Buffer& mine) noexcept {
  const Round round = segment.enter();
  const std::size_t bytes = length(mine);
  if (bytes > 0) {
    PostedBlocks posted(segment, round);
    bytes_of(call, mine).write(0, posted.posted_by(call.root, bytes), bytes);
  }
  segment.leave(round);
  static_cast<void>(call.comm->next_collective_tag());
  return {};
}

Status copy_as_pair(SharedSegment& segment, const Call& call, const BlockLimits& limits) noexcept {
  return segment.unless_broken(direct_pair(segment, *limits.cma, call, true));
}

}  // namespace

Status gatherv(SharedSegment& segment, const Call& call, const BlockLimits& limits) noexcept {
  if (call.root != segment.rank()) {
    const Buffer mine = whole(Space::send, call.send);
    if (streamed(segment, mine, limits)) return stream_out(segment, bytes_of(call, mine)), Status{};
    if (copied_by_both(segment, mine, limits)) return copy_as_pair(segment, call, limits);
    BlockExchange exchange(segment, call, limits, segment.slot_bytes(), false);
    exchange.post(mine);
    exchange.put(call.root, mine);
    exchange.answer();
    if (!exchange.copied(call.root)) exchange.send(call.root, mine);
    return exchange.end();
  }
  const auto block = [&](int rank) { return block_of(Space::receive, call.receive, rank); };
  const auto copy_own = [&] {
    if (!call.in_place) copy(call, whole(Space::send, call.send), block(segment.rank()));
  };
  if (const int other = only_other(segment); other >= 0) {
    const Buffer theirs = block(other);
    if (streamed(segment, theirs, limits)) {
      copy_own();
      return stream_in(segment, other, bytes_of(call, theirs)), Status{};
    }
    if (copied_by_both(segment, theirs, limits)) return copy_as_pair(segment, call, limits);
  }
  BlockExchange exchange(segment, call, limits, segment.slot_bytes(), false);
  for_others(segment, [&](int rank) { exchange.offer(rank, block(rank)); });
  exchange.publish();
  copy_own();
  for_others(segment, [&](int rank) {
    exchange.read_posted(rank, block(rank));
    if (!exchange.copied_by(rank, block(rank))) exchange.receive(rank, block(rank));
  });
  return exchange.end();
}

namespace {

// Not part of scatterv(): an exchange takes half a page of stack, and whoever has just been given
// its CPU pays for each page that it touches.
[[gnu::noinline]] Status take_block(SharedSegment& segment, const Call& call,
                                    const BlockLimits& limits, const Buffer& mine) noexcept {
  BlockExchange exchange(segment, call, limits, SlotLayout(segment).longest(), false);
  exchange.take(call.root, mine);
  exchange.answer();
  if (!exchange.copied(call.root)) exchange.receive(call.root, mine);
  return exchange.end();
}

[[gnu::noinline]] Status give_blocks(SharedSegment& segment, const Call& call,
                                     const BlockLimits& limits) noexcept {
  const auto block = [&](int rank) { return block_of(Space::send, call.send, rank); };
  BlockExchange exchange(segment, call, limits, SlotLayout(segment).longest(), false);
  exchange.lay_out(block);
  for_others(segment, [&](int rank) { exchange.show(rank, block(rank)); });
  exchange.publish();
  if (!call.in_place) copy(call, block(segment.rank()), whole(Space::receive, call.receive));
  for_others(segment, [&](int rank) {
    if (!exchange.copied_by(rank, block(rank))) exchange.send(rank, block(rank));
  });
  return exchange.end();
}

}  // namespace

Status scatterv(SharedSegment& segment, const Call& call, const BlockLimits& limits) noexcept {
  const SlotLayout layout(segment);
  const auto has_place = [&](std::size_t bytes) {
    return bytes <= limits.in_slot && layout.has_room_for_each(bytes);
  };
  if (call.root != segment.rank()) {
    const Buffer mine = whole(Space::receive, call.receive);
    if (streamed(segment, mine, limits))
      return stream_in(segment, call.root, bytes_of(call, mine)), Status{};
    if (has_place(length(mine))) return take_from_slot(segment, call, mine);
    if (copied_by_both(segment, mine, limits)) return copy_as_pair(segment, call, limits);
    return take_block(segment, call, limits, mine);
  }
  const auto block = [&](int rank) { return block_of(Space::send, call.send, rank); };
  if (const int other = only_other(segment); other >= 0) {
    const Buffer theirs = block(other);
    if (streamed(segment, theirs, limits)) {
      stream_out(segment, bytes_of(call, theirs));
      if (!call.in_place) copy(call, block(segment.rank()), whole(Space::receive, call.receive));
      return {};
    }
    if (copied_by_both(segment, theirs, limits)) return copy_as_pair(segment, call, limits);
  }
  std::size_t longest = 0;
  SlotLayout::Room room;
  for_others(segment, [&](int rank) {
    const std::size_t bytes = length(block(rank));
    longest = std::max(longest, bytes);
    room.add(bytes);
  });
  if (has_place(longest)) return scatter_in_slots(segment, call, room);
  return give_blocks(segment, call, limits);
}

namespace {

// The blocks of an alltoallv. With MPI_IN_PLACE a process sends what it then overwrites.
Buffer incoming(const Call& call, int rank) noexcept {
  return block_of(Space::receive, call.receive, rank);
}
Buffer outgoing(const Call& call, int rank) noexcept {
  return call.in_place ? incoming(call, rank) : block_of(Space::send, call.send, rank);
}

// The same for an alltoallv. Nobody answers, but the round of the answers is taken: another process
// may have long blocks.
Status exchange_in_slots(SharedSegment& segment, const Call& call,
                         const SlotLayout::Room& room) noexcept {
  const Round round = segment.enter();
  PostedBlocks posted(segment, round);
  post_all(segment, call, round, posted, room, [&](int rank) { return outgoing(call, rank); });
  if (!call.in_place) copy(call, outgoing(call, segment.rank()), incoming(call, segment.rank()));
  int chunks_read = 0;
  for_others(segment, [&](int rank) {
    const Buffer mine = incoming(call, rank);
    const std::size_t bytes = length(mine);
    if (bytes == 0) return;
    bytes_of(call, mine).write(0, posted.posted_by(rank, bytes), bytes);
    ++chunks_read;
  });
  if (chunks_read == segment.size() - 1) segment.seen_all(round);
  segment.leave(segment.enter());
  static_cast<void>(call.comm->next_collective_tag());
  return {};
}

// In position, the blocks that two processes have for each other are equally long, so that both go
// the same way; and none is offered, since it is overwritten while the other process would read it.
[[gnu::noinline]] Status exchange_blocks(SharedSegment& segment, const Call& call,
                                         const BlockLimits& limits) noexcept {
  const BlockLimits possible{limits.in_slot, limits.offered, call.in_place ? nullptr : limits.cma};
  BlockExchange exchange(segment, call, possible, SlotLayout(segment).longest(), true);
  const auto theirs = [&](int rank) { return incoming(call, rank); };
  const auto mine = [&](int rank) { return outgoing(call, rank); };
  exchange.lay_out(mine);
  for_others(segment, [&](int rank) { exchange.show(rank, mine(rank)); });
  exchange.publish();
  if (!call.in_place) copy(call, mine(segment.rank()), theirs(segment.rank()));
  for_others(segment, [&](int rank) { exchange.take(rank, theirs(rank)); });
  exchange.answer();
  if (!exchange.has_long()) return exchange.end();
  for_others(segment, [&](int rank) {
    StepId saved = kNoStep;
    if (!exchange.copied_by(rank, mine(rank))) saved = exchange.send(rank, mine(rank));
    if (!exchange.copied(rank)) exchange.receive(rank, theirs(rank), saved);
  });
  return exchange.end();
}

// Between two processes, which both know how long both blocks are.
[[gnu::noinline]] Status exchange_in_chunks(SharedSegment& segment, const Call& call) noexcept {
  const int me = segment.rank(), other = only_other(segment);
  stream_both(segment, bytes_of(call, outgoing(call, other)),
              bytes_of(call, incoming(call, other)));
  if (!call.in_place) copy(call, outgoing(call, me), incoming(call, me));
  return {};
}

}  // namespace

Status alltoallv(SharedSegment& segment, const Call& call, const BlockLimits& limits) noexcept {
  std::size_t longest = 0;
  SlotLayout::Room room;
  for_others(segment, [&](int rank) {
    const std::size_t bytes = length(outgoing(call, rank));
    longest = std::max({longest, bytes, length(incoming(call, rank))});
    room.add(bytes);
  });
  if (longest <= std::min(limits.in_slot, SlotLayout(segment).longest()))
    return exchange_in_slots(segment, call, room);
  if (longest <= limits.in_slot && segment.size() == 2) return exchange_in_chunks(segment, call);
  return exchange_blocks(segment, call, limits);
}

namespace {

std::size_t longest_block(const Call& call) noexcept {
  std::size_t most = 0;
  for (int rank = 0; rank < call.size; ++rank)
    most = std::max(most, length(block_of(Space::receive, call.receive, rank)));
  return most;
}

Status post_in_chunks(SharedSegment& segment, const Call& call, std::size_t longest) noexcept {
  const auto block = [&](int rank) {
    return bytes_of(call, block_of(Space::receive, call.receive, rank));
  };
  const Bytes mine = block(segment.rank());
  const Bytes in_slot = call.in_place ? mine : bytes_of(call, whole(Space::send, call.send));
  in_chunks(longest, segment.slot_bytes(), [&](std::size_t position, std::size_t bytes) {
    const Round round = segment.enter();
    if (const std::size_t chunk = overlap(mine.total(), position, bytes); chunk > 0) {
      in_slot.read(position, segment.slot(round, chunk), chunk);
      segment.publish(round);
    }
    if (position == 0 && !call.in_place) mine.copy(in_slot);
    for_others(segment, [&](int rank) {
      const Bytes theirs = block(rank);
      if (const std::size_t chunk = overlap(theirs.total(), position, bytes); chunk > 0)
        theirs.write(position, segment.chunk(round, rank, chunk), chunk);
    });
    segment.leave(round);
  });
  return {};
}

// All blocks, however short. Nobody overwrites its own.
Status offer_all(SharedSegment& segment, const Call& call, const CmaAccess& cma) noexcept {
  BlockExchange exchange(segment, call, {0, {}, &cma}, 0, true);
  const auto block = [&](int rank) { return block_of(Space::receive, call.receive, rank); };
  const Buffer mine = call.in_place ? block(segment.rank()) : whole(Space::send, call.send);
  exchange.lay_out([&](int) { return mine; });
  for_others(segment, [&](int rank) { exchange.show(rank, mine); });
  exchange.publish();
  if (!call.in_place) copy(call, mine, block(segment.rank()));
  for_others(segment, [&](int rank) { exchange.take(rank, block(rank)); });
  exchange.answer();
  for_others(segment, [&](int rank) {
    if (!exchange.copied_by(rank, mine)) exchange.send(rank, mine);
    if (!exchange.copied(rank)) exchange.receive(rank, block(rank));
  });
  return exchange.end();
}

}  // namespace

Status allgatherv(SharedSegment& segment, const Call& call, const BlockLimits& limits) noexcept {
  const std::size_t longest = longest_block(call);
  if (limits.cma != nullptr && limits.offered.holds(longest))
    return offer_all(segment, call, *limits.cma);
  if (longest > limits.in_slot) return Errc::unsupported;
  return post_in_chunks(segment, call, longest);
}

}  // namespace tessera::coll::sm
