// SPDX-License-Identifier: BSD-3-Clause
// The blocks of operations whose blocks differ in length, and which of them go over the shared
// segment.
#pragma once
//
// Contract. MPI demands that the two processes between which a block goes give it the same number
// of bytes; of other blocks a process may know nothing. So each pair decides for itself, from the
// length alone, by limits that are the same everywhere. A short block is in_slot on the shared
// segment. Of a long one the shared segment shows in its place where it lies: an Offer; the other
// process copies it from there or to there, and answers whether it could. What is in between, or
// could not be copied, is sent as a message. However long the blocks are, such an operation takes
// the same rounds.
//
#include "bytes.h"
#include "cma_access.h"
#include "costs.h"
#include "round.h"
#include "shared_segment.h"
#include "tessera/cpu.h"

namespace tessera::coll::sm {

// Where a block lies in the memory of the process that shows this. Address 0: nobody else can copy
// it, it has holes or is overwritten meanwhile.
struct Offer {
  std::uint64_t address;
  std::uint64_t bytes;
};

// Which blocks go which way; the same on all processes.
struct BlockLimits {
  std::size_t in_slot;               // bytes of the longest that is in_slot
  Rule::Range<std::size_t> offered;  // bytes of those that are offered, if they are not in_slot
  const CmaAccess* cma;              // open; null: none are offered
  // Bytes of an only block, between two processes, from which on both copy a part of it.
  std::size_t split_from = kNever;
};

// The only block of a side with one block, and block i of a side with many.
inline Buffer whole(Space space, const Side& side) noexcept {
  return {space, 0, side.count, side.type};
}
// Always inline: else the block of each rank is written to memory and read back.
[[gnu::always_inline]] inline Buffer block_of(Space space, const Side& side, int i) noexcept {
  if (side.types != nullptr) return {space, side.displacements[i], side.counts[i], side.types[i]};
  if (side.counts)
    return {space, side.displacements[i] * side.type->extent(), side.counts[i], side.type};
  return {space, i * side.count * side.type->extent(), side.count, side.type};
}
inline std::size_t length(const Buffer& block) noexcept {
  return static_cast<std::size_t>(block.bytes());
}
inline std::byte* address_of(const Call& call, const Buffer& block) noexcept {
  const Side& side = block.space == Space::send ? call.send : call.receive;
  return static_cast<std::byte*>(side.buffer) + block.offset;
}
inline Bytes bytes_of(const Call& call, const Buffer& block) noexcept {
  return {address_of(call, block), block.count, *block.type};
}

// A chunk that holds a block for every other process. Each process has a word in it: its block, if
// that is so short, or where the block lies. Only as much is taken as the blocks need, since a
// process may be many short chunks ahead of its readers, and few long ones. The words travel with
// the announcement where there are few of them, and so do the blocks if there is room behind the
// words: a reader then misses once in place of twice.
class SlotLayout {
 public:
  static constexpr std::size_t kWord = 8;
  struct Place {
    std::uint32_t offset;
    std::uint32_t chunk;  // bytes
  };
  static_assert(sizeof(Place) == kWord);

  explicit SlotLayout(const SharedSegment& segment) noexcept
      : slot_bytes_(static_cast<std::uint32_t>(segment.slot_bytes())),
        others_(static_cast<std::uint32_t>(segment.size() - 1)) {}

  bool announces_words() const noexcept { return others_ * kWord <= SharedSegment::kInline; }
  // Bytes of the chunk with the words.
  std::size_t chunk_of_words() const noexcept {
    return announces_words() ? SharedSegment::kInline : slot_bytes_;
  }
  static std::size_t word_of(int owner, int rank) noexcept {
    return place_among_others(owner, rank) * kWord;
  }
  // What the blocks of a chunk take, in bytes: one behind the other, or each in lines of its own.
  struct Room {
    std::size_t packed = 0;
    std::size_t in_lines = 0;
    void add(std::size_t block) noexcept {
      if (block <= kWord) return;
      packed += round_up(block, kWord);
      in_lines += round_up(block, kCacheLine);
    }
  };
  // Where the blocks of a chunk begin, how long it is, and to what each block is rounded up, a
  // power of two.
  struct Blocks {
    std::size_t begin;
    std::size_t chunk;
    std::size_t unit;
    void pass(std::size_t block) noexcept { begin += (block + unit - 1) & ~(unit - 1); }
  };
  Blocks fit(const Room& room) const noexcept {
    if (!announces_words()) return in_slot();
    const std::size_t words = others_ * kWord;
    if (words + room.packed <= SharedSegment::kInline)
      return {words, SharedSegment::kInline, kWord};
    return {0, std::max(room.in_lines, SharedSegment::kInline + 1), kCacheLine};
  }
  // Of blocks that nobody has added up.
  Blocks in_slot() const noexcept { return {begin_in_slot(), slot_bytes_, kCacheLine}; }
  // Of a block. 0: the communicator is so large that not even short blocks have room.
  std::size_t longest() const noexcept {
    const std::size_t begin = begin_in_slot();
    if (begin >= slot_bytes_) return 0;
    const std::uint32_t each = (slot_bytes_ - static_cast<std::uint32_t>(begin)) / others_;
    return each / kCacheLine * kCacheLine;
  }
  // Whether blocks of up to so many bytes fit a chunk, one for each other process.
  bool has_room_for_each(std::size_t bytes) const noexcept {
    return begin_in_slot() + round_up(bytes, kCacheLine) * others_ <= slot_bytes_;
  }
  // Two processes that do not agree on a length, an error of the program, read what is there.
  bool holds(const Place& place, std::size_t bytes) const noexcept {
    return place.chunk <= slot_bytes_ && bytes <= place.chunk &&
           place.offset <= place.chunk - bytes;
  }

 private:
  std::size_t begin_in_slot() const noexcept {
    return announces_words() ? 0 : round_up(others_ * kWord, kCacheLine);
  }

  std::uint32_t slot_bytes_;  // divided in each call: numbers of 32 bits take less time
  std::uint32_t others_;
};

}  // namespace tessera::coll::sm
