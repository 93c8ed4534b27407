// SPDX-License-Identifier: BSD-3-Clause
// Operations whose blocks may differ in length: gatherv, scatterv, allgatherv, alltoallv,
// alltoallw; and long blocks of those whose blocks are alike.
//
// Cost per process: one step in gatherv and scatterv (between two processes one for each piece of a
// block), else two. Every byte of a short block is copied once into and once out of shared memory;
// a long block costs a system call that copies it once. In gather and scatter those are made by the
// others, all at the same time, while the root copies its own block. A block that is neither costs
// a message (blocks.h). In allgatherv everybody knows all lengths: either all blocks are long ones,
// or all are shown, a step per package of the longest.
#include "blocks.h"
#include "operations.h"
#include "round.h"
#include "stream.h"

namespace tessera::coll::sm {

namespace {

// The steps in which blocks are shown or offered and answered, and the messages with what goes
// neither way. They go when the steps are over: then nobody who waits on the board waits for a
// message.
class Exchange {
 public:
  // `room`: bytes of the longest block that has room in a package. `separate`: answers have a step
  // of their own, since those who answer have offers as well.
  Exchange(Board& board, const Call& call, const Ways& ways, std::size_t room,
           bool separate) noexcept
      : board_(board),
        call_(call),
        ways_(ways),
        places_(board),
        step_(board.enter()),
        answer_step_(separate ? step_ + 1 : step_) {
    ways_.shown = std::min(ways.shown, room);
    if (places_.longest() == 0) ways_.reach = nullptr;
  }

  // A package with one block in it; and the one in the package of `rank`.
  void show(const Buffer& block) noexcept {
    if (!shown(block)) return;
    bytes_of(call_, block).read(0, board_.room(step_, length(block)), length(block));
    board_.publish(step_);
  }
  void see(int rank, const Buffer& block) noexcept {
    if (shown(block)) take(block, package(rank, length(block)));
  }

  // A package with a block for each other process, or where it lies, until publish(); and this
  // process's in the package of `rank`.
  void deal(int rank, const Buffer& block) noexcept {
    if (shown(block)) bytes_of(call_, block).read(0, room_for(rank, length(block)), length(block));
  }
  void offer(int rank, const Buffer& block) noexcept {
    if (!offered(block)) return;
    has_offered_ = true;
    Offer mine{0, length(block)};
    if (block.type->dense())
      mine.address = reinterpret_cast<std::uintptr_t>(address_of(call_, block));
    std::memcpy(room_for(rank, sizeof mine), &mine, sizeof mine);
  }
  // Who answers in the same step may sleep until there is an offer: to leave the step before once
  // more wakes it.
  void publish() noexcept {
    if (!dealt_) return;
    board_.publish(step_);
    if (!separate()) board_.leave(step_ - 1);
  }
  void pick(int rank, const Buffer& block) noexcept {
    if (shown(block)) take(block, dealt_by(rank, length(block)));
  }

  // An offered block, copied from where `rank` has it, or to there.
  void fetch(int rank, const Buffer& block) noexcept {
    copy_as_offered(rank, block, [&](std::uint64_t theirs, std::byte* mine) {
      return ways_.reach->read(rank, theirs, mine, length(block));
    });
  }
  void put(int rank, const Buffer& block) noexcept {
    copy_as_offered(rank, block, [&](std::uint64_t theirs, std::byte* mine) {
      return ways_.reach->write(rank, theirs, mine, length(block));
    });
  }
  // Tells whose blocks have been copied. Whoever goes on to wait for answers has to leave the first
  // step.
  void answer() noexcept {
    if (separate()) board_.enter();
    if (separate() && has_offered_) board_.leave(step_);
    if (answers_ != nullptr) board_.publish(answer_step_);
  }
  // Whether this process has copied the block that `rank` offered; whether `rank` has copied this
  // one.
  bool copied(int rank) const noexcept { return answers_ != nullptr && answers_[rank] == kCopied; }
  bool copied_by(int rank, const Buffer& block) noexcept {
    if (!offered(block)) return false;
    if (!separate()) ++taken_;
    return board_.package(answer_step_, rank, answer_bytes())[board_.rank()] == kCopied;
  }

  // A message, for a block that is too long to be shown. After the returned step the block may be
  // overwritten.
  StepId send(int rank, const Buffer& block) noexcept {
    if (length(block) <= ways_.shown) return kNoStep;
    if (block.space == Space::send) return messages_.send(rank, block), kNoStep;
    const Buffer copy = messages_.scratch(block.bytes(), nullptr);
    const StepId copied = messages_.copy(block, copy);
    messages_.send(rank, copy, {copied});
    return copied;
  }
  void receive(int rank, const Buffer& block, StepId after = kNoStep) noexcept {
    if (length(block) > ways_.shown) messages_.recv(rank, block, {after});
  }

  Status end() noexcept {
    if (taken_ == board_.size() - 1) board_.seen_all(step_);
    board_.leave(answer_step_);
    if (board_.broken()) return board_.intact();  // the others send nothing then
    return execute(call_, messages_);  // also if there is none: all processes count alike
  }

 private:
  static constexpr std::byte kCopied{1};

  bool shown(const Buffer& block) const noexcept {
    return length(block) > 0 && length(block) <= ways_.shown;
  }
  bool offered(const Buffer& block) const noexcept {
    return ways_.reach != nullptr && length(block) > ways_.shown &&
           ways_.offered.holds(length(block));
  }
  bool separate() const noexcept { return answer_step_ != step_; }
  std::size_t answer_bytes() const noexcept { return static_cast<std::size_t>(board_.size()); }

  const std::byte* package(int rank, std::size_t bytes) noexcept {
    ++taken_;
    return board_.package(step_, rank, bytes);
  }
  const std::byte* dealt_by(int rank, std::size_t bytes) noexcept {
    const Places::Place place = places_.of(bytes, rank, board_.rank());
    return package(rank, place.package) + place.offset;
  }
  std::byte* room_for(int rank, std::size_t bytes) noexcept {
    const Places::Place place = places_.of(bytes, board_.rank(), rank);
    dealt_ = true;
    return board_.room(step_, place.package) + place.offset;
  }
  void take(const Buffer& block, const std::byte* data) noexcept {
    bytes_of(call_, block).write(0, data, length(block));
  }

  // copy(their address, this process's)
  template <class Copy>
  void copy_as_offered(int rank, const Buffer& block, Copy copy) noexcept {
    if (!offered(block)) return;
    Offer theirs;
    std::memcpy(&theirs, dealt_by(rank, sizeof theirs), sizeof theirs);
    const bool possible =
        theirs.address != 0 && theirs.bytes == length(block) && block.type->dense();
    const bool done = possible && copy(theirs.address, address_of(call_, block)).ok();
    answers()[rank] = done ? kCopied : std::byte{0};
  }
  std::byte* answers() noexcept {
    if (answers_ == nullptr) {
      answers_ = board_.room(answer_step_, answer_bytes());
      std::memset(answers_, 0, answer_bytes());
    }
    return answers_;
  }

  Board& board_;
  const Call& call_;
  Ways ways_;
  Places places_;
  Step step_;
  Step answer_step_;
  std::byte* answers_ = nullptr;  // one for each process
  int taken_ = 0;                 // packages of step_
  bool dealt_ = false;
  bool has_offered_ = false;
  Schedule messages_;
};

void copy(const Call& call, const Buffer& from, const Buffer& to) noexcept {
  bytes_of(call, to).copy(bytes_of(call, from));
}

// Negative: there is more than one.
int only_other(const Board& board) noexcept {
  return board.size() == 2 ? 1 - board.rank() : -1;
}

// The only block of a gatherv or scatterv between two processes, if it is short: both know its
// length, so that it can take as many steps as it needs.
bool streamed(const Board& board, const Buffer& block, const Ways& ways) noexcept {
  return board.size() == 2 && length(block) <= ways.shown;
}

}  // namespace

Status gatherv(Board& board, const Call& call, const Ways& ways) noexcept {
  if (call.root != board.rank()) {
    const Buffer mine = whole(Space::send, call.send);
    if (streamed(board, mine, ways)) return give(board, bytes_of(call, mine)), Status{};
    Exchange exchange(board, call, ways, board.capacity(), false);
    exchange.show(mine);
    exchange.put(call.root, mine);
    exchange.answer();
    if (!exchange.copied(call.root)) exchange.send(call.root, mine);
    return exchange.end();
  }
  const auto block = [&](int rank) { return block_of(Space::receive, call.receive, rank); };
  const auto copy_own = [&] {
    if (!call.in_place) copy(call, whole(Space::send, call.send), block(board.rank()));
  };
  if (const int other = only_other(board); other >= 0 && streamed(board, block(other), ways)) {
    copy_own();
    return take(board, other, bytes_of(call, block(other))), Status{};
  }
  Exchange exchange(board, call, ways, board.capacity(), false);
  for_others(board, [&](int rank) { exchange.offer(rank, block(rank)); });
  exchange.publish();
  copy_own();
  for_others(board, [&](int rank) {
    exchange.see(rank, block(rank));
    if (!exchange.copied_by(rank, block(rank))) exchange.receive(rank, block(rank));
  });
  return exchange.end();
}

Status scatterv(Board& board, const Call& call, const Ways& ways) noexcept {
  const std::size_t room = Places(board).longest();
  if (call.root != board.rank()) {
    const Buffer mine = whole(Space::receive, call.receive);
    if (streamed(board, mine, ways)) return take(board, call.root, bytes_of(call, mine)), Status{};
    Exchange exchange(board, call, ways, room, false);
    exchange.pick(call.root, mine);
    exchange.fetch(call.root, mine);
    exchange.answer();
    if (!exchange.copied(call.root)) exchange.receive(call.root, mine);
    return exchange.end();
  }
  const auto block = [&](int rank) { return block_of(Space::send, call.send, rank); };
  const auto copy_own = [&] {
    if (!call.in_place) copy(call, block(board.rank()), whole(Space::receive, call.receive));
  };
  if (const int other = only_other(board); other >= 0 && streamed(board, block(other), ways)) {
    give(board, bytes_of(call, block(other)));
    return copy_own(), Status{};
  }
  Exchange exchange(board, call, ways, room, false);
  for_others(board, [&](int rank) {
    exchange.deal(rank, block(rank));
    exchange.offer(rank, block(rank));
  });
  exchange.publish();
  copy_own();
  for_others(board, [&](int rank) {
    if (!exchange.copied_by(rank, block(rank))) exchange.send(rank, block(rank));
  });
  return exchange.end();
}

// In place, the blocks that two processes have for each other are equally long, so that both go the
// same way; and none is offered, since it is overwritten while the other process would read it.
Status alltoallv(Board& board, const Call& call, const Ways& ways) noexcept {
  const Ways possible{ways.shown, ways.offered, call.in_place ? nullptr : ways.reach};
  Exchange exchange(board, call, possible, Places(board).longest(), true);
  const auto incoming = [&](int rank) { return block_of(Space::receive, call.receive, rank); };
  const auto outgoing = [&](int rank) {
    return call.in_place ? incoming(rank) : block_of(Space::send, call.send, rank);
  };
  for_others(board, [&](int rank) {
    exchange.deal(rank, outgoing(rank));
    exchange.offer(rank, outgoing(rank));
  });
  exchange.publish();
  if (!call.in_place) copy(call, outgoing(board.rank()), incoming(board.rank()));
  for_others(board, [&](int rank) {
    exchange.pick(rank, incoming(rank));
    exchange.fetch(rank, incoming(rank));
  });
  exchange.answer();
  for_others(board, [&](int rank) {
    StepId saved = kNoStep;
    if (!exchange.copied_by(rank, outgoing(rank))) saved = exchange.send(rank, outgoing(rank));
    if (!exchange.copied(rank)) exchange.receive(rank, incoming(rank), saved);
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

Status show_in_pieces(Board& board, const Call& call, std::size_t longest) noexcept {
  const auto block = [&](int rank) {
    return bytes_of(call, block_of(Space::receive, call.receive, rank));
  };
  const Bytes mine = block(board.rank());
  const Bytes shown = call.in_place ? mine : bytes_of(call, whole(Space::send, call.send));
  in_pieces(longest, board.capacity(), [&](std::size_t position, std::size_t bytes) {
    const Step step = board.enter();
    if (const std::size_t piece = overlap(mine.total(), position, bytes); piece > 0) {
      shown.read(position, board.room(step, piece), piece);
      board.publish(step);
    }
    if (position == 0 && !call.in_place) mine.copy(shown);
    for_others(board, [&](int rank) {
      const Bytes theirs = block(rank);
      if (const std::size_t piece = overlap(theirs.total(), position, bytes); piece > 0)
        theirs.write(position, board.package(step, rank, piece), piece);
    });
    board.leave(step);
  });
  return {};
}

// All blocks, however short. Nobody overwrites its own.
Status offer_all(Board& board, const Call& call, const Reach& reach) noexcept {
  Exchange exchange(board, call, {0, {}, &reach}, 0, true);
  const auto block = [&](int rank) { return block_of(Space::receive, call.receive, rank); };
  const Buffer mine = call.in_place ? block(board.rank()) : whole(Space::send, call.send);
  for_others(board, [&](int rank) { exchange.offer(rank, mine); });
  exchange.publish();
  if (!call.in_place) copy(call, mine, block(board.rank()));
  for_others(board, [&](int rank) { exchange.fetch(rank, block(rank)); });
  exchange.answer();
  for_others(board, [&](int rank) {
    if (!exchange.copied_by(rank, mine)) exchange.send(rank, mine);
    if (!exchange.copied(rank)) exchange.receive(rank, block(rank));
  });
  return exchange.end();
}

}  // namespace

Status allgatherv(Board& board, const Call& call, const Ways& ways) noexcept {
  const std::size_t longest = longest_block(call);
  if (ways.reach != nullptr && ways.offered.holds(longest))
    return offer_all(board, call, *ways.reach);
  if (longest > ways.shown) return Errc::unsupported;
  return show_in_pieces(board, call, longest);
}

}  // namespace tessera::coll::sm
