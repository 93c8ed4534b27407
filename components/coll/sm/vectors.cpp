// SPDX-License-Identifier: BSD-3-Clause
// Operations whose blocks may differ in length: gatherv, scatterv, allgatherv, alltoallv,
// alltoallw; and long blocks of those whose blocks are alike.
//
// Cost per process: one round in gatherv and scatterv (between two processes one for each chunk of
// a block), else two. Every byte of a short block is copied once into and once out of shared
// memory; a long block costs a system call that copies it once. In gather and scatter those are
// made by the others, all at the same time, while the root copies its own block. A block that is
// neither costs a message (blocks.h). In allgatherv everybody knows all lengths: either all blocks
// are long ones, or all are in_slot, a round per chunk of the longest.
#include "blocks.h"
#include "operations.h"
#include "round.h"
#include "stream.h"

namespace tessera::coll::sm {

namespace {

// The rounds in which blocks are in_slot or offered and answered, and the messages with what goes
// neither way. They go when the rounds are over: then nobody who waits on the shared segment waits
// for a message.
class Exchange {
 public:
  // `slot`: bytes of the longest block that has room in a slot. `separate`: answers have a round
  // of their own, since those who answer have offers as well.
  Exchange(SharedSegment& segment, const Call& call, const BlockLimits& limits, std::size_t slot,
           bool separate) noexcept
      : segment_(segment),
        call_(call),
        limits_(limits),
        layout_(segment),
        round_(segment.enter()),
        answer_round_(separate ? round_ + 1 : round_) {
    limits_.in_slot = std::min(limits.in_slot, slot);
    if (layout_.longest() == 0) limits_.cma = nullptr;
  }

  // A chunk with one block in it; and the one in the chunk of `rank`.
  void post(const Buffer& block) noexcept {
    if (!in_slot(block)) return;
    bytes_of(call_, block).read(0, segment_.slot(round_, length(block)), length(block));
    segment_.publish(round_);
  }
  void read_posted(int rank, const Buffer& block) noexcept {
    if (in_slot(block)) unpack(block, chunk(rank, length(block)));
  }

  // A chunk with a block for each other process, or where it lies, until publish(); and this
  // process's in the chunk of `rank`.
  void post_for(int rank, const Buffer& block) noexcept {
    if (in_slot(block))
      bytes_of(call_, block).read(0, slot_for(rank, length(block)), length(block));
  }
  void offer(int rank, const Buffer& block) noexcept {
    if (!offered(block)) return;
    has_offered_ = true;
    Offer mine{0, length(block)};
    if (block.type->contiguous())
      mine.address = reinterpret_cast<std::uintptr_t>(address_of(call_, block));
    std::memcpy(slot_for(rank, sizeof mine), &mine, sizeof mine);
  }
  // Who answers in the same round may sleep until there is an offer: to leave the round before once
  // more wakes it.
  void publish() noexcept {
    if (!posted_) return;
    segment_.publish(round_);
    if (!separate()) segment_.leave(round_ - 1);
  }
  void read_own(int rank, const Buffer& block) noexcept {
    if (in_slot(block)) unpack(block, posted_by(rank, length(block)));
  }

  // An offered block, copied from where `rank` has it, or to there.
  void fetch(int rank, const Buffer& block) noexcept {
    copy_as_offered(rank, block, [&](std::uint64_t theirs, std::byte* mine) {
      return limits_.cma->read(rank, theirs, mine, length(block));
    });
  }
  void put(int rank, const Buffer& block) noexcept {
    copy_as_offered(rank, block, [&](std::uint64_t theirs, std::byte* mine) {
      return limits_.cma->write(rank, theirs, mine, length(block));
    });
  }
  // Tells whose blocks have been copied. Whoever goes on to wait for answers has to leave the first
  // round.
  void answer() noexcept {
    if (separate()) segment_.enter();
    if (separate() && has_offered_) segment_.leave(round_);
    if (answers_ != nullptr) segment_.publish(answer_round_);
  }
  // Whether this process has copied the block that `rank` offered; whether `rank` has copied this
  // one.
  bool copied(int rank) const noexcept { return answers_ != nullptr && answers_[rank] == kCopied; }
  bool copied_by(int rank, const Buffer& block) noexcept {
    if (!offered(block)) return false;
    if (!separate()) ++chunks_read_;
    return segment_.chunk(answer_round_, rank, answer_bytes())[segment_.rank()] == kCopied;
  }

  // A message, for a block that is too long to be in_slot. After the returned round the block may
  // be overwritten.
  StepId send(int rank, const Buffer& block) noexcept {
    if (length(block) <= limits_.in_slot) return kNoStep;
    if (block.space == Space::send) return messages_.send(rank, block), kNoStep;
    const Buffer copy = messages_.scratch(block.bytes(), nullptr);
    const StepId copied = messages_.copy(block, copy);
    messages_.send(rank, copy, {copied});
    return copied;
  }
  void receive(int rank, const Buffer& block, StepId after = kNoStep) noexcept {
    if (length(block) > limits_.in_slot) messages_.recv(rank, block, {after});
  }

  Status end() noexcept {
    if (chunks_read_ == segment_.size() - 1) segment_.seen_all(round_);
    segment_.leave(answer_round_);
    if (segment_.broken()) return segment_.intact();  // the others send nothing then
    // Also if there is none: all processes count alike.
    const Status outcome = execute(call_, messages_);
    const bool copied_directly = has_offered_ || answers_ != nullptr;
    return copied_directly ? segment_.unless_broken(outcome) : outcome;
  }

 private:
  static constexpr std::byte kCopied{1};

  bool in_slot(const Buffer& block) const noexcept {
    return length(block) > 0 && length(block) <= limits_.in_slot;
  }
  bool offered(const Buffer& block) const noexcept {
    return limits_.cma != nullptr && length(block) > limits_.in_slot &&
           limits_.offered.holds(length(block));
  }
  bool separate() const noexcept { return answer_round_ != round_; }
  std::size_t answer_bytes() const noexcept { return static_cast<std::size_t>(segment_.size()); }

  const std::byte* chunk(int rank, std::size_t bytes) noexcept {
    ++chunks_read_;
    return segment_.chunk(round_, rank, bytes);
  }
  const std::byte* posted_by(int rank, std::size_t bytes) noexcept {
    const SlotLayout::Position position = layout_.of(bytes, rank, segment_.rank());
    return chunk(rank, position.chunk) + position.offset;
  }
  std::byte* slot_for(int rank, std::size_t bytes) noexcept {
    const SlotLayout::Position position = layout_.of(bytes, segment_.rank(), rank);
    posted_ = true;
    return segment_.slot(round_, position.chunk) + position.offset;
  }
  void unpack(const Buffer& block, const std::byte* data) noexcept {
    bytes_of(call_, block).write(0, data, length(block));
  }

  // copy(their address, this process's)
  template <class Copy>
  void copy_as_offered(int rank, const Buffer& block, Copy copy) noexcept {
    if (!offered(block)) return;
    Offer theirs;
    std::memcpy(&theirs, posted_by(rank, sizeof theirs), sizeof theirs);
    const bool possible =
        theirs.address != 0 && theirs.bytes == length(block) && block.type->contiguous();
    const bool done = possible && copy(theirs.address, address_of(call_, block)).ok();
    answers()[rank] = done ? kCopied : std::byte{0};
  }
  std::byte* answers() noexcept {
    if (answers_ == nullptr) {
      answers_ = segment_.slot(answer_round_, answer_bytes());
      std::memset(answers_, 0, answer_bytes());
    }
    return answers_;
  }

  SharedSegment& segment_;
  const Call& call_;
  BlockLimits limits_;
  SlotLayout layout_;
  Round round_;
  Round answer_round_;
  std::byte* answers_ = nullptr;  // one for each process
  int chunks_read_ = 0;           // chunks of round_
  bool posted_ = false;
  bool has_offered_ = false;
  Schedule messages_;
};

void copy(const Call& call, const Buffer& from, const Buffer& to) noexcept {
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

Status copy_as_pair(SharedSegment& segment, const Call& call, const BlockLimits& limits) noexcept {
  return segment.unless_broken(direct_pair(segment, *limits.cma, call, true));
}

}  // namespace

Status gatherv(SharedSegment& segment, const Call& call, const BlockLimits& limits) noexcept {
  if (call.root != segment.rank()) {
    const Buffer mine = whole(Space::send, call.send);
    if (streamed(segment, mine, limits)) return stream_out(segment, bytes_of(call, mine)), Status{};
    if (copied_by_both(segment, mine, limits)) return copy_as_pair(segment, call, limits);
    Exchange exchange(segment, call, limits, segment.slot_bytes(), false);
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
  const int other = only_other(segment);
  if (other >= 0 && streamed(segment, block(other), limits)) {
    copy_own();
    return stream_in(segment, other, bytes_of(call, block(other))), Status{};
  }
  if (other >= 0 && copied_by_both(segment, block(other), limits))
    return copy_as_pair(segment, call, limits);
  Exchange exchange(segment, call, limits, segment.slot_bytes(), false);
  for_others(segment, [&](int rank) { exchange.offer(rank, block(rank)); });
  exchange.publish();
  copy_own();
  for_others(segment, [&](int rank) {
    exchange.read_posted(rank, block(rank));
    if (!exchange.copied_by(rank, block(rank))) exchange.receive(rank, block(rank));
  });
  return exchange.end();
}

Status scatterv(SharedSegment& segment, const Call& call, const BlockLimits& limits) noexcept {
  const std::size_t slot = SlotLayout(segment).longest();
  if (call.root != segment.rank()) {
    const Buffer mine = whole(Space::receive, call.receive);
    if (streamed(segment, mine, limits))
      return stream_in(segment, call.root, bytes_of(call, mine)), Status{};
    if (copied_by_both(segment, mine, limits)) return copy_as_pair(segment, call, limits);
    Exchange exchange(segment, call, limits, slot, false);
    exchange.read_own(call.root, mine);
    exchange.fetch(call.root, mine);
    exchange.answer();
    if (!exchange.copied(call.root)) exchange.receive(call.root, mine);
    return exchange.end();
  }
  const auto block = [&](int rank) { return block_of(Space::send, call.send, rank); };
  const auto copy_own = [&] {
    if (!call.in_place) copy(call, block(segment.rank()), whole(Space::receive, call.receive));
  };
  const int other = only_other(segment);
  if (other >= 0 && streamed(segment, block(other), limits)) {
    stream_out(segment, bytes_of(call, block(other)));
    return copy_own(), Status{};
  }
  if (other >= 0 && copied_by_both(segment, block(other), limits))
    return copy_as_pair(segment, call, limits);
  Exchange exchange(segment, call, limits, slot, false);
  for_others(segment, [&](int rank) {
    exchange.post_for(rank, block(rank));
    exchange.offer(rank, block(rank));
  });
  exchange.publish();
  copy_own();
  for_others(segment, [&](int rank) {
    if (!exchange.copied_by(rank, block(rank))) exchange.send(rank, block(rank));
  });
  return exchange.end();
}

// In position, the blocks that two processes have for each other are equally long, so that both go
// the same way; and none is offered, since it is overwritten while the other process would read it.
Status alltoallv(SharedSegment& segment, const Call& call, const BlockLimits& limits) noexcept {
  const BlockLimits possible{limits.in_slot, limits.offered, call.in_place ? nullptr : limits.cma};
  Exchange exchange(segment, call, possible, SlotLayout(segment).longest(), true);
  const auto incoming = [&](int rank) { return block_of(Space::receive, call.receive, rank); };
  const auto outgoing = [&](int rank) {
    return call.in_place ? incoming(rank) : block_of(Space::send, call.send, rank);
  };
  for_others(segment, [&](int rank) {
    exchange.post_for(rank, outgoing(rank));
    exchange.offer(rank, outgoing(rank));
  });
  exchange.publish();
  if (!call.in_place) copy(call, outgoing(segment.rank()), incoming(segment.rank()));
  for_others(segment, [&](int rank) {
    exchange.read_own(rank, incoming(rank));
    exchange.fetch(rank, incoming(rank));
  });
  exchange.answer();
  for_others(segment, [&](int rank) {
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

// The part of a block of `total` bytes that lies in a chunk.
std::size_t overlap(std::size_t total, std::size_t position, std::size_t bytes) noexcept {
  return total > position ? std::min(bytes, total - position) : 0;
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
  Exchange exchange(segment, call, {0, {}, &cma}, 0, true);
  const auto block = [&](int rank) { return block_of(Space::receive, call.receive, rank); };
  const Buffer mine = call.in_place ? block(segment.rank()) : whole(Space::send, call.send);
  for_others(segment, [&](int rank) { exchange.offer(rank, mine); });
  exchange.publish();
  if (!call.in_place) copy(call, mine, block(segment.rank()));
  for_others(segment, [&](int rank) { exchange.fetch(rank, block(rank)); });
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
