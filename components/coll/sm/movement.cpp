// SPDX-License-Identifier: BSD-3-Clause
// Data movement through the shared segment: barrier, bcast, gather, scatter, allgather, alltoall.
//
// Cost per process for p processes and blocks of n bytes, with c(x) the time to copy x bytes: one
// round per chunk; barrier a round; bcast, gather, scatter c(n), at the root of the latter two
// c(pn); allgather c(n) + c(pn); alltoall 2 c(pn). Every byte is copied once into and once out of
// shared memory. Its own block a process copies between showing it and reading the others': these
// then come faster than right after they were written.
#include "block_chunks.h"
#include "operations.h"

namespace tessera::coll::sm {

Status barrier(SharedSegment& segment, const Call&) noexcept {
  const Round round = segment.enter();
  static_cast<void>(segment.slot(round, 0));
  segment.publish(round);
  for_others(segment, [&](int rank) { static_cast<void>(segment.chunk(round, rank, 0)); });
  segment.seen_all(round);
  segment.leave_barrier(round);
  return {};
}

Status bcast(SharedSegment& segment, const Call& call) noexcept {
  const Bytes data = block(call.receive, 0);
  call.root == segment.rank() ? stream_out(segment, data) : stream_in(segment, call.root, data);
  return {};
}

namespace {

void collect(SharedSegment& segment, const Side& blocks) noexcept {
  in_chunks(block(blocks, 0).total(), chunk_bytes(segment),
            [&](std::size_t position, std::size_t bytes) {
              const Round round = segment.enter();
              for_others(segment, [&](int rank) {
                block(blocks, rank).write(position, segment.chunk(round, rank, bytes), bytes);
              });
              segment.leave(round);
            });
}

}  // namespace

Status gather(SharedSegment& segment, const Call& call) noexcept {
  if (call.root != segment.rank()) return stream_out(segment, block(call.send, 0)), Status{};
  if (!call.in_place) block(call.receive, segment.rank()).copy(block(call.send, 0));
  collect(segment, call.receive);
  return {};
}

namespace {

void scatter_blocks(SharedSegment& segment, const Side& blocks) noexcept {
  in_chunks(block(blocks, 0).total(), scatter_chunk(segment),
            [&](std::size_t position, std::size_t bytes) {
              const Round round = segment.enter();
              publish_blocks(segment, round, blocks, position, bytes);
              segment.leave(round);
            });
}

void receive_scattered(SharedSegment& segment, int root, const Bytes& data) noexcept {
  in_chunks(data.total(), scatter_chunk(segment), [&](std::size_t position, std::size_t bytes) {
    const Round round = segment.enter();
    data.write(position, my_block(segment, round, root, bytes), bytes);
    segment.leave(round);
  });
}

}  // namespace

// Between two processes there is one block to give. The root copies its own while the others take
// theirs.
Status scatter(SharedSegment& segment, const Call& call) noexcept {
  const bool pair = segment.size() == 2;
  if (call.root != segment.rank()) {
    const Bytes mine = block(call.receive, 0);
    pair ? stream_in(segment, call.root, mine) : receive_scattered(segment, call.root, mine);
    return {};
  }
  if (pair) {
    stream_out(segment, block(call.send, 1 - segment.rank()));
  } else {
    scatter_blocks(segment, call.send);
  }
  if (!call.in_place) block(call.receive, 0).copy(block(call.send, segment.rank()));
  return {};
}

Status allgather(SharedSegment& segment, const Call& call) noexcept {
  const Bytes mine = block(call.receive, segment.rank());
  const Bytes shown = call.in_place ? mine : block(call.send, 0);
  in_chunks(mine.total(), segment.slot_bytes(), [&](std::size_t position, std::size_t bytes) {
    const Round round = segment.enter();
    shown.read(position, segment.slot(round, bytes), bytes);
    segment.publish(round);
    if (position == 0 && !call.in_place) mine.copy(shown);
    for_others(segment, [&](int rank) {
      block(call.receive, rank).write(position, segment.chunk(round, rank, bytes), bytes);
    });
    segment.seen_all(round);
    segment.leave(round);
  });
  return {};
}

// In place, a block is overwritten in the very round in which it was published.
Status alltoall(SharedSegment& segment, const Call& call) noexcept {
  const Bytes mine = block(call.receive, segment.rank());
  const Side& outgoing = call.in_place ? call.receive : call.send;
  in_chunks(mine.total(), share(segment), [&](std::size_t position, std::size_t bytes) {
    const Round round = segment.enter();
    publish_blocks(segment, round, outgoing, position, bytes);
    if (position == 0 && !call.in_place) mine.copy(block(call.send, segment.rank()));
    for_others(segment, [&](int rank) {
      block(call.receive, rank).write(position, my_block(segment, round, rank, bytes), bytes);
    });
    segment.seen_all(round);
    segment.leave(round);
  });
  return {};
}

}  // namespace tessera::coll::sm
