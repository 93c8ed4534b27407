// SPDX-License-Identifier: BSD-3-Clause
// Operations whose blocks differ in length, through the board: gatherv, scatterv, allgatherv, alltoallv, alltoallw.
//
// Cost per process: one step, and every byte copied once into and once out of shared memory, as long as no block is
// above the limit; such ones cost a message each (blocks.h). allgatherv, of which everybody knows all lengths, takes a
// step per package of the longest block.
#include "blocks.h"
#include "operations.h"
#include "round.h"

namespace tessera::coll::sm {

namespace {

// The step in which blocks of up to `most` bytes are shown, and the messages with the others. They go when the step is
// over: then nobody who waits on the board waits for a message.
class Exchange {
 public:
  Exchange(Board& board, const Call& call, std::size_t most) noexcept
      : board_(board), call_(call), most_(most), places_(board), step_(board.enter()) {}

  // A package with one block in it; and the one in the package of `rank`.
  void show(const Buffer& block) noexcept {
    if (!shown(block)) return;
    bytes_of(call_, block).read(0, board_.room(step_, length(block)), length(block));
    board_.publish(step_);
  }
  void see(int rank, const Buffer& block) noexcept {
    if (shown(block)) take(block, board_.package(step_, rank, length(block)));
  }

  // A package with a block for each other process, until publish(); and this process's in the package of `rank`.
  void deal(int rank, const Buffer& block) noexcept {
    if (!shown(block)) return;
    const Places::Place place = places_.of(length(block), rank);
    bytes_of(call_, block).read(0, board_.room(step_, place.package) + place.offset, length(block));
    dealt_ = true;
  }
  void publish() noexcept {
    if (dealt_) board_.publish(step_);
  }
  void pick(int rank, const Buffer& block) noexcept {
    if (!shown(block)) return;
    const Places::Place place = places_.of(length(block), board_.rank());
    take(block, board_.package(step_, rank, place.package) + place.offset);
  }

  // A message, for a block that is too long for the board. After the returned step the block may be overwritten.
  StepId send(int rank, const Buffer& block) noexcept {
    if (length(block) <= most_) return kNoStep;
    if (block.space == Space::send) return messages_.send(rank, block), kNoStep;
    const Buffer copy = messages_.scratch(block.bytes(), nullptr);
    const StepId copied = messages_.copy(block, copy);
    messages_.send(rank, copy, {copied});
    return copied;
  }
  void receive(int rank, const Buffer& block, StepId after = kNoStep) noexcept {
    if (length(block) > most_) messages_.recv(rank, block, {after});
  }

  Status end() noexcept {
    if (taken_ == board_.size() - 1) board_.seen_all(step_);
    board_.leave(step_);
    return execute(call_, messages_);  // also if there is none: all processes count alike
  }

 private:
  bool shown(const Buffer& block) const noexcept { return length(block) > 0 && length(block) <= most_; }
  void take(const Buffer& block, const std::byte* data) noexcept {
    bytes_of(call_, block).write(0, data, length(block));
    ++taken_;
  }

  Board& board_;
  const Call& call_;
  std::size_t most_;
  Places places_;
  Step step_;
  int taken_ = 0;
  bool dealt_ = false;
  Schedule messages_;
};

void copy(const Call& call, const Buffer& from, const Buffer& to) noexcept {
  bytes_of(call, to).copy(bytes_of(call, from));
}

}  // namespace

Status gatherv(Board& board, const Call& call, std::size_t most) noexcept {
  Exchange exchange(board, call, std::min(most, board.capacity()));
  if (call.root != board.rank()) {
    const Buffer mine = whole(Space::send, call.send);
    exchange.show(mine);
    exchange.send(call.root, mine);
    return exchange.end();
  }
  for_others(board, [&](int rank) {
    const Buffer theirs = block_of(Space::receive, call.receive, rank);
    exchange.see(rank, theirs);
    exchange.receive(rank, theirs);
  });
  if (!call.in_place)
    copy(call, whole(Space::send, call.send), block_of(Space::receive, call.receive, board.rank()));
  return exchange.end();
}

Status scatterv(Board& board, const Call& call, std::size_t most) noexcept {
  Exchange exchange(board, call, std::min(most, Places(board).longest()));
  if (call.root != board.rank()) {
    const Buffer mine = whole(Space::receive, call.receive);
    exchange.pick(call.root, mine);
    exchange.receive(call.root, mine);
    return exchange.end();
  }
  for_others(board, [&](int rank) {
    const Buffer theirs = block_of(Space::send, call.send, rank);
    exchange.deal(rank, theirs);
    exchange.send(rank, theirs);
  });
  exchange.publish();
  if (!call.in_place)
    copy(call, block_of(Space::send, call.send, board.rank()), whole(Space::receive, call.receive));
  return exchange.end();
}

// In place, the blocks that two processes have for each other are equally long, so that both go the same way.
Status alltoallv(Board& board, const Call& call, std::size_t most) noexcept {
  Exchange exchange(board, call, std::min(most, Places(board).longest()));
  const auto outgoing = [&](int rank) {
    return call.in_place ? block_of(Space::receive, call.receive, rank)
                         : block_of(Space::send, call.send, rank);
  };
  for_others(board, [&](int rank) { exchange.deal(rank, outgoing(rank)); });
  exchange.publish();
  if (!call.in_place)
    copy(call, outgoing(board.rank()), block_of(Space::receive, call.receive, board.rank()));
  for_others(board, [&](int rank) {
    const Buffer theirs = block_of(Space::receive, call.receive, rank);
    const StepId saved = exchange.send(rank, outgoing(rank));
    exchange.pick(rank, theirs);
    exchange.receive(rank, theirs, saved);
  });
  return exchange.end();
}

namespace {

std::size_t longest_block(const Call& call) noexcept {
  std::size_t most = 0;
  for (int rank = 0; rank < call.size; ++rank)
    most = std::max(most, length(block_of(Space::receive, call.receive, rank)));
  return most;
}

// The part of a block of `total` bytes that lies in a piece.
std::size_t overlap(std::size_t total, std::size_t position, std::size_t bytes) noexcept {
  return total > position ? std::min(bytes, total - position) : 0;
}

}  // namespace

Status allgatherv(Board& board, const Call& call, std::size_t most) noexcept {
  const std::size_t longest = longest_block(call);
  if (longest > most) return Errc::unsupported;
  const auto block = [&](int rank) { return bytes_of(call, block_of(Space::receive, call.receive, rank)); };
  const Bytes mine = block(board.rank());
  if (!call.in_place) mine.copy(bytes_of(call, whole(Space::send, call.send)));
  in_pieces(longest, board.capacity(), [&](std::size_t position, std::size_t bytes) {
    const Step step = board.enter();
    if (const std::size_t piece = overlap(mine.total(), position, bytes); piece > 0) {
      mine.read(position, board.room(step, piece), piece);
      board.publish(step);
    }
    for_others(board, [&](int rank) {
      const Bytes theirs = block(rank);
      if (const std::size_t piece = overlap(theirs.total(), position, bytes); piece > 0)
        theirs.write(position, board.package(step, rank, piece), piece);
    });
    board.leave(step);
  });
  return {};
}

}  // namespace tessera::coll::sm
