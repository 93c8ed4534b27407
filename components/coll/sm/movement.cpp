// SPDX-License-Identifier: BSD-3-Clause
// Data movement through the board: barrier, bcast, gather, scatter, allgather, alltoall.
//
// Cost per process for p processes and blocks of n bytes, with c(x) the time to copy x bytes: one step per package;
// barrier a step; bcast, gather, scatter c(n), at the root of the latter two c(pn); allgather c(n) + c(pn); alltoall
// 2 c(pn). Every byte is copied once into and once out of shared memory.
#include "bytes.h"
#include "operations.h"
#include "round.h"

namespace tessera::coll::sm {

namespace {

std::size_t share(const Board& board) noexcept {
  return board.capacity() / static_cast<std::size_t>(board.size());
}

// Publishes, for every process, its piece of `bytes` bytes at `position` of its block.
void publish_pieces(Board& board, Step step, const Side& side, std::size_t position,
                    std::size_t bytes) noexcept {
  std::byte* room = board.room(step, bytes * static_cast<std::size_t>(board.size()));
  for (int rank = 0; rank < board.size(); ++rank) {
    if (rank != board.rank())
      block(side, rank).read(position, room + static_cast<std::size_t>(rank) * bytes, bytes);
  }
  board.publish(step);
}

// This process's piece in the package of `rank`.
const std::byte* my_piece(Board& board, Step step, int rank, std::size_t bytes) noexcept {
  const std::byte* pieces = board.package(step, rank, bytes * static_cast<std::size_t>(board.size()));
  return pieces + static_cast<std::size_t>(board.rank()) * bytes;
}

}  // namespace

void barrier(Board& board, const Call&) noexcept {
  const Step step = board.enter();
  static_cast<void>(board.room(step, 0));
  board.publish(step);
  for_others(board, [&](int rank) { static_cast<void>(board.package(step, rank, 0)); });
  board.seen_all(step);
  board.leave(step);
}

void bcast(Board& board, const Call& call) noexcept {
  const Bytes data = block(call.receive, 0);
  in_pieces(data.total(), board.capacity(), [&](std::size_t position, std::size_t bytes) {
    const Step step = board.enter();
    if (call.root == board.rank()) {
      data.read(position, board.room(step, bytes), bytes);
      board.publish(step);
    } else {
      data.write(position, board.package(step, call.root, bytes), bytes);
    }
    board.leave(step);
  });
}

namespace {

void give(Board& board, const Bytes& data) noexcept {
  in_pieces(data.total(), board.capacity(), [&](std::size_t position, std::size_t bytes) {
    const Step step = board.enter();
    data.read(position, board.room(step, bytes), bytes);
    board.publish(step);
    board.leave(step);
  });
}

void collect(Board& board, const Side& blocks) noexcept {
  in_pieces(block(blocks, 0).total(), board.capacity(), [&](std::size_t position, std::size_t bytes) {
    const Step step = board.enter();
    for_others(board, [&](int rank) {
      block(blocks, rank).write(position, board.package(step, rank, bytes), bytes);
    });
    board.leave(step);
  });
}

}  // namespace

void gather(Board& board, const Call& call) noexcept {
  if (call.root != board.rank()) return give(board, block(call.send, 0));
  if (!call.in_place) block(call.receive, board.rank()).copy(block(call.send, 0));
  collect(board, call.receive);
}

namespace {

void deal(Board& board, const Side& blocks) noexcept {
  in_pieces(block(blocks, 0).total(), share(board), [&](std::size_t position, std::size_t bytes) {
    const Step step = board.enter();
    publish_pieces(board, step, blocks, position, bytes);
    board.leave(step);
  });
}

void take(Board& board, int root, const Bytes& data) noexcept {
  in_pieces(data.total(), share(board), [&](std::size_t position, std::size_t bytes) {
    const Step step = board.enter();
    data.write(position, my_piece(board, step, root, bytes), bytes);
    board.leave(step);
  });
}

}  // namespace

void scatter(Board& board, const Call& call) noexcept {
  if (call.root != board.rank()) return take(board, call.root, block(call.receive, 0));
  if (!call.in_place) block(call.receive, 0).copy(block(call.send, board.rank()));
  deal(board, call.send);
}

void allgather(Board& board, const Call& call) noexcept {
  const Bytes mine = block(call.receive, board.rank());
  if (!call.in_place) mine.copy(block(call.send, 0));
  in_pieces(mine.total(), board.capacity(), [&](std::size_t position, std::size_t bytes) {
    const Step step = board.enter();
    mine.read(position, board.room(step, bytes), bytes);
    board.publish(step);
    for_others(board, [&](int rank) {
      block(call.receive, rank).write(position, board.package(step, rank, bytes), bytes);
    });
    board.seen_all(step);
    board.leave(step);
  });
}

// In place, a block is overwritten in the very step in which it was published.
void alltoall(Board& board, const Call& call) noexcept {
  const Bytes mine = block(call.receive, board.rank());
  if (!call.in_place) mine.copy(block(call.send, board.rank()));
  const Side& outgoing = call.in_place ? call.receive : call.send;
  in_pieces(mine.total(), share(board), [&](std::size_t position, std::size_t bytes) {
    const Step step = board.enter();
    publish_pieces(board, step, outgoing, position, bytes);
    for_others(board, [&](int rank) {
      block(call.receive, rank).write(position, my_piece(board, step, rank, bytes), bytes);
    });
    board.seen_all(step);
    board.leave(step);
  });
}

}  // namespace tessera::coll::sm
