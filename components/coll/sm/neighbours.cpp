// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhoods on the board: neighbor_allgather(v), and neighbor_alltoall(v, w) on Cartesian
// topologies.
//
// Cost per process for d neighbours, blocks of n bytes and c(x), the time to copy x bytes: one
// step, in which it waits for its neighbours only; c(n) + c(dn), in an alltoall 2 c(dn). Only the
// two of an edge know how long its block is: all processes take the same step, and what has no room
// in a package is sent.
#include <algorithm>

#include "blocks.h"
#include "operations.h"

namespace tessera::coll::sm {

namespace {

class Neighbourhood {
 public:
  // `longest`: bytes of a block that is shown, if there is room.
  Neighbourhood(Board& board, const Call& call, std::size_t longest) noexcept
      : board_(board),
        call_(call),
        gathers_(call.operation == Operation::neighbor_allgather ||
                 call.operation == Operation::neighbor_allgatherv),
        part_(gathers_ ? board.capacity() : part(board.capacity(), call.destinations.size())),
        longest_(std::min(longest, part_)),
        step_(board.enter()) {}

  Status run() noexcept {
    for (int i = 0; i < static_cast<int>(call_.destinations.size()); ++i) give(i);
    if (shown_) board_.publish(step_);
    for (int i = 0; i < static_cast<int>(call_.sources.size()); ++i) {
      take(i);
      receive(call_.cartesian ? i ^ 1 : i);
    }
    board_.leave(step_);
    if (board_.broken()) return board_.intact();  // the others send nothing then
    return execute(call_, messages_);  // also if there is none: all processes count alike
  }

 private:
  static constexpr std::size_t kWord = 8;
  static constexpr std::size_t kLine = 64;
  static std::size_t part(std::size_t capacity, std::size_t blocks) noexcept {
    return blocks == 0 ? 0 : capacity / blocks / kLine * kLine;
  }

  // A package has one block for all neighbours, or one for each.
  struct Place {
    std::size_t package;  // bytes
    std::size_t offset;
  };
  Place place(std::size_t bytes, int i) const noexcept {
    const auto number = static_cast<std::size_t>(i);
    if (gathers_) return {bytes, 0};
    if (bytes <= kWord && call_.destinations.size() * kWord <= Board::kInline)
      return {Board::kInline, number * kWord};
    return {board_.capacity(), number * part_};
  }

  void give(int i) noexcept {
    const int to = call_.destinations[static_cast<std::size_t>(i)];
    const Buffer block =
        gathers_ ? whole(Space::send, call_.send) : block_of(Space::send, call_.send, i);
    if (to == kProcNull || length(block) == 0) return;
    if (length(block) > longest_) return in_order(messages_.send(to, block));
    if (gathers_ && shown_) return;
    const Place there = place(length(block), i);
    bytes_of(call_, block).read(0, board_.room(step_, there.package) + there.offset, length(block));
    shown_ = true;
  }
  // What comes from the negative direction is what that neighbour has for its positive one. Where
  // several edges join two processes, messages match in the order in which they are sent.
  void take(int i) noexcept {
    const int from = call_.sources[static_cast<std::size_t>(i)];
    const Buffer block = block_of(Space::receive, call_.receive, i);
    if (from == kProcNull || length(block) == 0 || length(block) > longest_) return;
    const Place there = place(length(block), i ^ 1);
    bytes_of(call_, block)
        .write(0, board_.package(step_, from, there.package) + there.offset, length(block));
  }
  void receive(int i) noexcept {
    const int from = call_.sources[static_cast<std::size_t>(i)];
    const Buffer block = block_of(Space::receive, call_.receive, i);
    if (from != kProcNull && length(block) > longest_) in_order(messages_.recv(from, block));
  }
  void in_order(StepId message) noexcept {
    if (last_ != kNoStep) messages_.issue_in_order(last_, message);
    last_ = message;
  }

  Board& board_;
  const Call& call_;
  bool gathers_;
  std::size_t part_;  // bytes of a package that a block has
  std::size_t longest_;
  Step step_;
  bool shown_ = false;  // whether there is anything in this process's package
  Schedule messages_;
  StepId last_ = kNoStep;
};

}  // namespace

Status to_neighbours(Board& board, const Call& call, std::size_t longest) noexcept {
  return Neighbourhood(board, call, longest).run();
}

}  // namespace tessera::coll::sm
