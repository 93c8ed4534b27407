// SPDX-License-Identifier: BSD-3-Clause
// What model.cpp draws at random: piece lists of all ranks, no byte twice.
#pragma once

#include <random>
#include <vector>

namespace model {

class Random {
 public:
  explicit Random(unsigned long seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<unsigned long>(n)); }
  bool one_in(int n) { return below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

// What one rank sees: pieces of a tile, and the tile's extent.
struct Piece {
  int offset, bytes;
};
struct View {
  long long displacement = 0;
  std::vector<Piece> pieces;
  int extent = 1;
  int bytes = 0;  // of a tile

  long long place(long long position) const {
    const long long tile = position / bytes;
    long long within = position % bytes;
    for (const Piece& piece : pieces) {
      if (within < piece.bytes) return displacement + tile * extent + piece.offset + within;
      within -= piece.bytes;
    }
    return -1;
  }
};

// A tile cut into pieces of multiples of `unit`, each of one rank's, of nobody's, or (common) of
// all.
inline std::vector<View> draw_views(Random& random, int size, int unit, bool common) {
  std::vector<View> views(static_cast<std::size_t>(size));
  const long long displacement = random.below(3) * 7 * unit;
  const int cuts = 1 + random.below(random.one_in(4) ? 40 : 6);
  int at = 0;
  for (int i = 0; i < cuts; ++i) {
    const int bytes = unit * (1 + random.below(random.one_in(5) ? 300 : 9));
    const int owner = random.below(size + 1) - 1;
    for (int r = 0; r < size; ++r)
      if (owner >= 0 && (common || owner == r))
        views[static_cast<std::size_t>(r)].pieces.push_back({at, bytes});
    at += bytes;
  }
  at += unit * random.below(3);
  for (View& view : views) {
    view.displacement = displacement;
    view.extent = at;
    for (const Piece& piece : view.pieces) view.bytes += piece.bytes;
  }
  return views;
}

}  // namespace model
