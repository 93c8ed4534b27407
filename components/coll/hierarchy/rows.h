// SPDX-License-Identifier: BSD-3-Clause
// Blocks of many processes on their way through the levels: Row, collect(), spread().
#pragma once
//
// Contract. A Row is the blocks of a group, one after the other by position, in units of its type
// (null: bytes). All processes know how long each block is, but count it in their own units.
//
#include "operations.h"

namespace tessera::coll::hierarchy {

// Where the block of each position begins, in units.
class Blocks {
 public:
  Blocks(int processes, Count each) : Blocks(processes, [each](int) { return each; }) {}
  // length(position).
  template <class Length>
  Blocks(int processes, Length length) : begin_(static_cast<std::size_t>(processes) + 1) {
    for (int i = 0; i < processes; ++i)
      begin_[static_cast<std::size_t>(i) + 1] = begin(i) + length(i);
  }
  Count begin(int position) const noexcept { return begin_[static_cast<std::size_t>(position)]; }
  Count of(const Group& group) const noexcept { return begin(group.last) - begin(group.first); }
  Count all() const noexcept { return begin_.back(); }

 private:
  std::vector<Count> begin_;
};

class Row {
 public:
  Row(const Blocks& blocks, const Group& held, const Buffer& memory) noexcept
      : blocks_(&blocks), held_(held), memory_(memory) {}
  const Group& held() const noexcept { return held_; }
  const Buffer& memory() const noexcept { return memory_; }
  const Datatype* type() const noexcept {
    return memory_.type != nullptr ? memory_.type : octets();
  }
  Buffer of(const Group& group) const noexcept {
    return memory_.part(blocks_->begin(group.first) - blocks_->begin(held_.first),
                        blocks_->of(group));
  }
  Buffer of(int position) const noexcept { return of(Group{position, position + 1}); }
  Count count(const Group& group) const noexcept { return blocks_->of(group); }

 private:
  const Blocks* blocks_;
  Group held_;
  Buffer memory_;
};

// The counts and displacements of the parts of a team within a row.
struct Division {
  Division(const Team& team, const Row& row);
  void describe(Side& side, const Row& row) const noexcept;  // valid as long as this
  std::vector<Count> counts, displacements;
};

// Up to the leaders of stage `until`: their rows hold what their groups have. A row holds the
// blocks of the process itself already. The step after which it is there.
StepId collect(Composer& composer, const Lead& lead, const Row& row, int until, StepId after);
// And back down from stage `from` on.
StepId spread(Composer& composer, const Lead& lead, const Row& row, int from, StepId after);

// The group that this process leads, of those at least as deep as `least`; itself if none.
Group led_group(const Composer& composer, const Lead& lead, int least = 0);
// Fresh memory for the blocks of the group.
Row packed_row(Composer& composer, const Blocks& blocks, const Group& held,
               const Datatype* type = nullptr);

}  // namespace tessera::coll::hierarchy
