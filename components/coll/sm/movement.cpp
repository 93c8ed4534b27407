// SPDX-License-Identifier: BSD-3-Clause
// Data movement through the board: barrier, bcast, gather, scatter, allgather, alltoall.
//
// Cost per process for p processes and blocks of n bytes, with c(x) the time to copy x bytes: one
// step per package; barrier a step; bcast, gather, scatter c(n), at the root of the latter two
// c(pn); allgather c(n) + c(pn); alltoall 2 c(pn). Every byte is copied once into and once out of
// shared memory. Its own block a process copies between showing it and reading the others': these
// then come faster than right after they were written.
#include "bytes.h"
#include "operations.h"
#include "round.h"
#include "stream.h"

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
  const std::byte* pieces =
      board.package(step, rank, bytes * static_cast<std::size_t>(board.size()));
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
  if (call.root == board.rank()) return give(board, data);
  take(board, call.root, data);
}

namespace {

void collect(Board& board, const Side& blocks) noexcept {
  in_pieces(block(blocks, 0).total(), piece_of(board),
            [&](std::size_t position, std::size_t bytes) {
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

// The packages of a scatter have a piece for every process.
std::size_t dealt_piece(const Board& board) noexcept {
  return std::min(share(board), piece_of(board));
}

void deal(Board& board, const Side& blocks) noexcept {
  in_pieces(block(blocks, 0).total(), dealt_piece(board),
            [&](std::size_t position, std::size_t bytes) {
              const Step step = board.enter();
              publish_pieces(board, step, blocks, position, bytes);
              board.leave(step);
            });
}

void take_dealt(Board& board, int root, const Bytes& data) noexcept {
  in_pieces(data.total(), dealt_piece(board), [&](std::size_t position, std::size_t bytes) {
    const Step step = board.enter();
    data.write(position, my_piece(board, step, root, bytes), bytes);
    board.leave(step);
  });
}

}  // namespace

// Between two processes there is one block to give. The root copies its own while the others take
// theirs.
void scatter(Board& board, const Call& call) noexcept {
  const bool pair = board.size() == 2;
  if (call.root != board.rank()) {
    const Bytes mine = block(call.receive, 0);
    return pair ? take(board, call.root, mine) : take_dealt(board, call.root, mine);
  }
  if (pair) {
    give(board, block(call.send, 1 - board.rank()));
  } else {
    deal(board, call.send);
  }
  if (!call.in_place) block(call.receive, 0).copy(block(call.send, board.rank()));
}

void allgather(Board& board, const Call& call) noexcept {
  const Bytes mine = block(call.receive, board.rank());
  const Bytes shown = call.in_place ? mine : block(call.send, 0);
  in_pieces(mine.total(), board.capacity(), [&](std::size_t position, std::size_t bytes) {
    const Step step = board.enter();
    shown.read(position, board.room(step, bytes), bytes);
    board.publish(step);
    if (position == 0 && !call.in_place) mine.copy(shown);
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
  const Side& outgoing = call.in_place ? call.receive : call.send;
  in_pieces(mine.total(), share(board), [&](std::size_t position, std::size_t bytes) {
    const Step step = board.enter();
    publish_pieces(board, step, outgoing, position, bytes);
    if (position == 0 && !call.in_place) mine.copy(block(call.send, board.rank()));
    for_others(board, [&](int rank) {
      block(call.receive, rank).write(position, my_piece(board, step, rank, bytes), bytes);
    });
    board.seen_all(step);
    board.leave(step);
  });
}

}  // namespace tessera::coll::sm
