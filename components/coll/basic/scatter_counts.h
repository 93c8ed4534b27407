// SPDX-License-Identifier: BSD-3-Clause
// How the elements of a reduce_scatter(_block) are divided among ranks: ScatterCounts.
#pragma once

#include <vector>

#include "blocks.h"

namespace tessera::coll::basic {

class ScatterCounts {
 public:
  // May throw std::bad_alloc.
  explicit ScatterCounts(const Call& call)
      : begin_(static_cast<std::size_t>(call.size) + 1), type_(call.receive.type) {
    for (int i = 0; i < call.size; ++i) {
      const Count count = call.receive.counts ? call.receive.counts[i] : call.receive.count;
      begin_[static_cast<std::size_t>(i) + 1] = begin(i) + count;
    }
  }
  Count begin(int rank) const noexcept { return begin_[static_cast<std::size_t>(rank)]; }
  Count total() const noexcept { return begin_.back(); }
  // The elements of ranks [first, end) within `all`.
  Buffer of(const Buffer& all, int first, int end) const noexcept {
    return all.part(begin(first), begin(end) - begin(first));
  }
  Buffer of(const Buffer& all, int rank) const noexcept { return of(all, rank, rank + 1); }
  // Where rank `rank` wants its elements.
  Buffer result(int rank) const noexcept {
    return {Space::receive, 0, begin(rank + 1) - begin(rank), type_};
  }

 private:
  std::vector<Count> begin_;
  const Datatype* type_;
};

}  // namespace tessera::coll::basic
