// SPDX-License-Identifier: BSD-3-Clause
// What a process sees of a file: View. Source: MPI-5.0 §14.3.
#pragma once
//
// Contract. A view tiles the file from its displacement on with the filetype, without end; the data
// of the tiles, holes left out, are its stream. Positions count bytes of the stream. A view is
// constant, costs what the description of its filetype costs, however many pieces that has, and
// finds the place of a position in as many steps as the filetype has levels. Both types are those
// of the file's representation.
//
#include "core/io/type_ref.h"
#include "tessera/io.h"

namespace tessera::io {

// `count` pieces of `bytes` bytes each, `stride` bytes apart, in the order of the stream.
struct Strip {
  Offset offset;
  Offset bytes;
  Offset stride;
  Count count;
};

class View {
 public:
  // argument: the types break a rule of views; the text says which. `writing`: overlaps are wrong.
  static Status check(const TypeObject& etype, const TypeObject& filetype, bool writing) noexcept;
  View(Offset displacement, const TypeObject& etype, const TypeObject& filetype) noexcept;

  Offset displacement() const noexcept { return displacement_; }
  Offset etype_size() const noexcept { return etype_size_; }
  bool empty() const noexcept { return tile_size_ == 0; }  // no byte of the file is seen
  bool contiguous() const noexcept { return contiguous_; }
  // Whether this piece of the stream sees no byte twice and ascends in the file. Tiles that reach
  // into each other are right as long as what is accessed does neither; then only the first does.
  bool ascending(Offset position, Offset bytes) const noexcept {
    return disjoint_ && (tiles_apart_ || position + bytes <= tile_size_);
  }
  // What lies from the first to the last byte of a piece of the stream, which is not empty.
  Range hull(Offset position, Offset bytes) const noexcept;
  // How many pieces so much of the stream is, about.
  Offset pieces(Offset bytes) const noexcept;

  // The pieces from a position on; not of an empty view. Where it lies within a piece, the rest of
  // that one.
  Strip strip(Offset position) const noexcept;
  Offset offset_of(Offset position) const noexcept;
  // Copies a piece of the stream, which ascends, out of its hull, of which `first` is the first
  // byte.
  void copy_out(Offset position, Offset bytes, const std::byte* first,
                std::byte* out) const noexcept;
  // The first position that lies at this offset or behind it, of a piece that ascends.
  Offset position_at(Offset offset) const noexcept;

 private:
  Offset position_in_tile(Offset offset) const noexcept;

  TypeRef filetype_;
  Offset displacement_;
  Offset etype_size_;
  Offset tile_size_;
  Offset tile_extent_;
  Count tile_pieces_ = 1;
  bool contiguous_;
  bool disjoint_ = true;     // no byte of a tile is seen twice
  bool tiles_apart_ = true;  // each tile lies behind the one before
};

}  // namespace tessera::io
