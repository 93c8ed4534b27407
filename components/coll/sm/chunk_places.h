// SPDX-License-Identifier: BSD-3-Clause
// Where the chunks of a process lie in its buffer in the shared segment: ChunkPlaces.
#pragma once
//
// Contract. A place follows from the round of a chunk and its length, so that a reader need not
// read first where it is. Chunks of kSlots rounds in a row never share a place: whoever is in two
// rounds at a time finds room in both. Writers stay far ahead of their readers, out of each other's
// first-level caches (decision 0125).
//
// Short chunks have kShorts places for each of two lengths, close together, and are there for as
// many rounds. So a process touches few pages in its first calls: a page that is touched for the
// first time may cost more than the call (decision 0161). Those of rounds in a row are four places
// apart: a processor that fetches lines beyond the end of a chunk does not take those away that the
// writer fills next. Longer ones share the rest of the buffer, in kPieces pieces: one, two or four
// for each chunk. In communicators of many processes slots are small, and only the shorter length
// has places of its own.
//
#include <cstddef>
#include <cstdint>

#include "call_mark.h"

namespace tessera::coll::sm {

class ChunkPlaces {
 public:
  static constexpr Round kSlots = 16;  // the longest chunks that a buffer has room for
  static constexpr std::uint32_t kPieces = 64;
  static constexpr Round kShorts = kPieces;
  static constexpr std::size_t kShortest = 1024, kShort = 2 * kShortest;
  static constexpr std::uint32_t kSmallSlot = 16 * 1024;

  explicit ChunkPlaces(std::uint32_t slot_bytes) noexcept : slot_bytes_(slot_bytes) {}

  // Of a buffer, a multiple of the page size.
  std::size_t buffer_bytes() const noexcept { return short_bytes() + kSlots * slot_bytes_; }
  bool is_short(std::size_t bytes) const noexcept { return bytes <= longest_short(); }
  std::uint32_t pieces_of(std::size_t bytes) const noexcept {
    if (bytes <= piece_bytes()) return 1;
    return bytes <= 2 * piece_bytes() ? 2 : kPerSlot;
  }
  static std::uint32_t first_piece(Round round, std::uint32_t pieces) noexcept {
    const auto slot = static_cast<std::uint32_t>(round % kSlots);
    return slot * kPerSlot + static_cast<std::uint32_t>(round / kSlots) * pieces % kPerSlot;
  }
  std::size_t place_of_piece(std::uint32_t piece) const noexcept {
    return short_bytes() + piece * piece_bytes();
  }
  std::size_t place(Round round, std::size_t bytes) const noexcept {
    return is_short(bytes) ? short_place(round, bytes)
                           : place_of_piece(first_piece(round, pieces_of(bytes)));
  }

 private:
  // A chunk lies in the pieces that belong to one of kSlots rounds in a row; short ones of later
  // rounds come beside it.
  static constexpr std::uint32_t kPerSlot = kPieces / kSlots;
  std::size_t longest_short() const noexcept {
    return slot_bytes_ <= kSmallSlot ? kShortest : kShort;
  }
  // Of the places for short chunks, shorter ones first.
  std::size_t short_bytes() const noexcept { return kShorts * (2 * longest_short() - kShortest); }
  static std::size_t short_place(Round round, std::size_t bytes) noexcept {
    const std::size_t each = bytes <= kShortest ? kShortest : kShort;
    return kShorts * (each - kShortest) + first_piece(round, 1) * each;
  }
  std::size_t piece_bytes() const noexcept { return slot_bytes_ / kPerSlot; }

  std::uint32_t slot_bytes_;
};

}  // namespace tessera::coll::sm
