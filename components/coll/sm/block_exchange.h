// SPDX-License-Identifier: BSD-3-Clause
// One exchange of blocks whose lengths differ, or that are long: BlockExchange.
#pragma once

#include "operations.h"
#include "posted_blocks.h"
#include "round.h"

namespace tessera::coll::sm {

// The rounds in which blocks are in_slot or offered and answered, and the messages with what goes
// neither way. They go when the rounds are over: then nobody who waits on the shared segment waits
// for a message.
class BlockExchange {
 public:
  // `slot`: bytes of the longest block that has room in a slot. `separate`: answers have a round
  // of their own, since those who answer have offers as well.
  BlockExchange(SharedSegment& segment, const Call& call, const BlockLimits& limits,
                std::size_t slot, bool separate) noexcept
      : segment_(segment),
        call_(call),
        limits_(limits),
        round_(segment.enter()),
        answer_round_(separate ? round_ + 1 : round_),
        posted_(segment, round_) {
    limits_.in_slot = std::min(limits.in_slot, slot);
    if (posted_.longest() == 0) limits_.cma = nullptr;
  }

  // A chunk with one block in it; and the one in the chunk of `rank`.
  void post(const Buffer& block) noexcept {
    if (!in_slot(block)) return;
    bytes_of(call_, block).read(0, segment_.slot(round_, length(block)), length(block));
    segment_.publish(round_);
  }
  void read_posted(int rank, const Buffer& block) noexcept {
    if (!in_slot(block)) return;
    ++chunks_read_;
    unpack(block, segment_.chunk(round_, rank, length(block)));
  }

  // A chunk with a block for each other process, or where it lies, until publish(); lay_out() knows
  // them all before.
  template <class BlockOf>
  void lay_out(BlockOf block) noexcept {
    SlotLayout::Room room;
    for_others(segment_, [&](int rank) {
      const Buffer theirs = block(rank);
      note(theirs);
      room.add(in_slot(theirs) ? length(theirs) : offered(theirs) ? sizeof(Offer) : 0);
    });
    posted_.fit(room);
  }
  void show(int rank, const Buffer& block) noexcept {
    if (in_slot(block))
      return bytes_of(call_, block).read(0, posted_.slot_for(rank, length(block)), length(block));
    offer(rank, block);
  }
  void offer(int rank, const Buffer& block) noexcept {
    if (!offered(block)) return;
    has_offered_ = true;
    Offer mine{0, length(block)};
    if (block.type->contiguous())
      mine.address = reinterpret_cast<std::uintptr_t>(address_of(call_, block));
    std::memcpy(posted_.slot_for(rank, sizeof mine), &mine, sizeof mine);
  }
  // Who answers in the same round may sleep until there is an offer: to leave the round before once
  // more wakes it.
  void publish() noexcept {
    if (!posted_.any()) return;
    segment_.publish(round_);
    if (!separate()) segment_.leave(round_ - 1);
  }
  // This process's block in the chunk of `rank`, or copied from where that offers it; and an
  // offered one, copied to there.
  void take(int rank, const Buffer& block) noexcept {
    note(block);
    if (in_slot(block)) return unpack(block, posted_by(rank, length(block)));
    copy_as_offered(rank, block, [&](std::uint64_t theirs, std::byte* mine) {
      return limits_.cma->read(rank, theirs, mine, length(block));
    });
  }
  void put(int rank, const Buffer& block) noexcept {
    copy_as_offered(rank, block, [&](std::uint64_t theirs, std::byte* mine) {
      return limits_.cma->write(rank, theirs, mine, length(block));
    });
  }
  // Whether there is a block, of those laid out or taken, that is not in a slot.
  bool has_long() const noexcept { return has_long_; }
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
  void note(const Buffer& block) noexcept {
    if (length(block) > limits_.in_slot) has_long_ = true;
  }
  bool separate() const noexcept { return answer_round_ != round_; }
  std::size_t answer_bytes() const noexcept { return static_cast<std::size_t>(segment_.size()); }

  const std::byte* posted_by(int rank, std::size_t bytes) noexcept {
    ++chunks_read_;
    return posted_.posted_by(rank, bytes);
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
  Round round_;
  Round answer_round_;
  PostedBlocks posted_;
  std::byte* answers_ = nullptr;  // one for each process
  int chunks_read_ = 0;           // chunks of round_
  bool has_offered_ = false;
  bool has_long_ = false;
  Schedule messages_;
};

}  // namespace tessera::coll::sm
