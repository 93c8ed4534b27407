// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhoods on the board: neighbor_allgather, and neighbor_alltoall on Cartesian topologies.
//
// Cost per process for d neighbours, blocks of n bytes and c(x), the time to copy x bytes: one step, in which it waits for
// its neighbours only; c(n) + c(dn), in an alltoall 2 c(dn). Longer blocks are sent. All processes take the same steps
// whatever the lengths, which MPI lets differ where nobody talks to each other; the two of an edge know that of its block.
#include "operations.h"

namespace tessera::coll::sm {

namespace {

// One step; then the messages along those edges whose blocks were not shown. A package has one block, or one for each neighbour.
class Neighbourhood {
 public:
  // `longest`: bytes of a block that is shown, if there is room for its package.
  Neighbourhood(Board& board, const Call& call, std::size_t longest, std::size_t blocks) noexcept
      : board_(board),
        call_(call),
        blocks_(blocks),
        longest_(std::min(longest, board.capacity() / std::max<std::size_t>(blocks, 1))),
        step_(board.enter()) {}

  // What others see: write(room), if blocks of so many bytes are shown.
  template <class Write>
  void show(std::size_t bytes, Write write) noexcept {
    sends_ = bytes > longest_;
    if (bytes * blocks_ == 0 || sends_) return;
    write(board_.room(step_, bytes * blocks_));
    board_.publish(step_);
  }
  // Likewise, read(i, package of source i) for all sources.
  template <class Read>
  void see(std::size_t bytes, Read read) noexcept {
    receives_ = bytes > longest_;
    if (bytes == 0 || receives_) return;
    for (std::size_t i = 0; i < call_.sources.size(); ++i) {
      const int rank = call_.sources[i];
      if (rank != kProcNull) read(static_cast<int>(i), board_.package(step_, rank, bytes * blocks_));
    }
  }
  // `below` knows how to send.
  Status end(const Displaced& below) noexcept {
    board_.leave(step_);
    Schedule messages;
    Status emitted;
    if (sends_ || receives_) {
      Call rest = call_;
      if (!sends_) rest.destinations = {};
      if (!receives_) rest.sources = {};
      emitted = below.emit(rest, messages);
    }
    const Status done = execute(call_, messages);  // also if there is none: all processes count alike
    return emitted.ok() ? done : emitted;
  }

 private:
  Board& board_;
  const Call& call_;
  std::size_t blocks_;
  std::size_t longest_;
  Step step_;
  bool sends_ = false;
  bool receives_ = false;
};

}  // namespace

Status neighbor_allgather(Board& board, const Call& call, std::size_t longest,
                          const Displaced& below) noexcept {
  Neighbourhood neighbours(board, call, longest, 1);
  const Bytes mine = block(call.send, 0);
  const std::size_t theirs = block(call.receive, 0).total();
  neighbours.show(mine.total(), [&](std::byte* room) { mine.read(0, room, mine.total()); });
  neighbours.see(theirs,
                 [&](int i, const std::byte* package) { block(call.receive, i).write(0, package, theirs); });
  return neighbours.end(below);
}

// Blocks are in the order of neighbours: pairs of negative and positive direction. What comes from the negative one is what
// that neighbour has for its positive one.
Status neighbor_alltoall(Board& board, const Call& call, std::size_t longest,
                         const Displaced& below) noexcept {
  const std::size_t degree = call.destinations.size();
  Neighbourhood neighbours(board, call, longest, degree);
  const std::size_t outgoing = block(call.send, 0).total();
  const std::size_t incoming = block(call.receive, 0).total();
  neighbours.show(outgoing, [&](std::byte* room) {
    for (std::size_t i = 0; i < degree; ++i)
      if (call.destinations[i] != kProcNull)
        block(call.send, static_cast<int>(i)).read(0, room + i * outgoing, outgoing);
  });
  neighbours.see(incoming, [&](int i, const std::byte* package) {
    block(call.receive, i).write(0, package + static_cast<std::size_t>(i ^ 1) * incoming, incoming);
  });
  return neighbours.end(below);
}

}  // namespace tessera::coll::sm
