// SPDX-License-Identifier: BSD-3-Clause
// How groups of processes divide a vector among themselves, round by round: Dividing.
#pragma once

#include <vector>

#include "groups.h"
#include "multiway_reduction.h"

namespace tessera::coll::basic {

// The vector is cut into as many pieces as there are groups. In each round the partners divide what
// they have in common; at the end every group has one piece. Nearest first keeps the order of ranks
// (partners stand for neighbouring ranks at any time), but piece i does not end with group i.
class Dividing {
 public:
  // Piece i begins at element begins[i]; the last number is the end. May throw std::bad_alloc, as
  // the other functions.
  Dividing(const Groups& groups, std::vector<Count> begins)
      : groups_(groups), begins_(std::move(begins)), pieces_(groups.size()) {}

  // Goes one round further: what each partner gets, counted from the beginning of what this process
  // has.
  std::vector<Share> narrow(const Round& round) {
    std::vector<Share> shares;
    const int each = pieces_ / round.radix;
    for (int i = 0; i < round.radix; ++i) {
      const Count begin = at(piece_ + i * each);
      shares.push_back({groups_.first(round.peer(groups_.number(), i)), begin - at(piece_),
                        at(piece_ + (i + 1) * each) - begin});
    }
    piece_ += round.digit(groups_.number()) * each;
    pieces_ = each;
    return shares;
  }
  // Goes one round back: the elements that each partner had after it, counted from the beginning of
  // the vector.
  std::vector<Share> widen(const Round& round) {
    std::vector<Share> shares;
    const int first = piece_ - round.digit(groups_.number()) * pieces_;
    for (int i = 0; i < round.radix; ++i) {
      const Count begin = at(first + i * pieces_);
      shares.push_back({groups_.first(round.peer(groups_.number(), i)), begin,
                        at(first + (i + 1) * pieces_) - begin});
    }
    piece_ = first;
    pieces_ *= round.radix;
    return shares;
  }

  int piece() const noexcept { return piece_; }  // the first of those this process has
  Count begin() const noexcept { return at(piece_); }
  Count end() const noexcept { return at(piece_ + pieces_); }

 private:
  Count at(int piece) const noexcept { return begins_[static_cast<std::size_t>(piece)]; }

  const Groups& groups_;
  std::vector<Count> begins_;
  int piece_ = 0;
  int pieces_;
};

}  // namespace tessera::coll::basic
