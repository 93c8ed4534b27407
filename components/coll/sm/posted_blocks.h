// SPDX-License-Identifier: BSD-3-Clause
// Blocks of different lengths in the chunks of one round: PostedBlocks.
#pragma once
//
// Contract. Whoever has blocks for others asks for a place for each, in any order, and publishes
// the round. The chunk is as long as the blocks need that fit() knows of, or as long as chunks are.
// A reader knows the length of its own block.
//
#include "blocks.h"

namespace tessera::coll::sm {

class PostedBlocks {
 public:
  PostedBlocks(SharedSegment& segment, Round round) noexcept
      : segment_(segment), layout_(segment), where_(layout_.in_slot()), round_(round) {}

  // Bytes of the longest block that has a place; 0: none has.
  std::size_t longest() const noexcept { return layout_.longest(); }
  // `room`: of all blocks that will be here.
  void fit(const SlotLayout::Room& room) noexcept { where_ = layout_.fit(room); }
  // For a block of so many bytes that `rank` reads.
  [[gnu::always_inline]] std::byte* slot_for(int rank, std::size_t bytes) noexcept {
    if (words_ == nullptr) words_ = segment_.slot(round_, layout_.chunk_of_words());
    std::byte* const word = words_ + SlotLayout::word_of(segment_.rank(), rank);
    if (bytes <= SlotLayout::kWord) return word;
    const SlotLayout::Place place{static_cast<std::uint32_t>(where_.begin),
                                  static_cast<std::uint32_t>(where_.chunk)};
    std::memcpy(word, &place, sizeof place);
    where_.pass(bytes);
    if (blocks_ == nullptr) blocks_ = segment_.slot(round_, where_.chunk);
    return blocks_ + place.offset;
  }
  bool any() const noexcept { return words_ != nullptr; }
  // The one of so many bytes that `rank` has posted for this process; waits for it.
  [[gnu::hot]] const std::byte* posted_by(int rank, std::size_t bytes) noexcept {
    const std::byte* word = segment_.chunk(round_, rank, layout_.chunk_of_words()) +
                            SlotLayout::word_of(rank, segment_.rank());
    if (bytes <= SlotLayout::kWord) return word;
    SlotLayout::Place place;
    std::memcpy(&place, word, sizeof place);
    if (!layout_.holds(place, bytes))
      place = {0, static_cast<std::uint32_t>(segment_.slot_bytes())};
    return segment_.seen_chunk(round_, rank, place.chunk) + place.offset;
  }

 private:
  SharedSegment& segment_;
  SlotLayout layout_;
  SlotLayout::Blocks where_;    // of those that have no place yet
  std::byte* words_ = nullptr;  // this process's chunks, once there are any
  std::byte* blocks_ = nullptr;
  Round round_;
};

}  // namespace tessera::coll::sm
