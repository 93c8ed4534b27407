// SPDX-License-Identifier: BSD-3-Clause
// The processes of a communicator as a tree of groups, from systems down to single processes: Tree,
// Team.
#pragma once
//
// Contract. Depth 0 is everybody, the greatest depth the single processes; in between, each depth
// divides the groups of the one above. Depths that divide nothing are left out. Processes have
// positions, so that each group is a range of them: groups go by their lowest rank, and so do
// processes within the innermost group. Where the groups are ranges of ranks, positions are ranks.
//
// A stage is what happens between the groups of one depth inside one group of the depth above: its
// team is one process for each, its leader. Stage 0 is between the outermost groups. A pair of
// processes is in one team of one stage at most. Everything here follows from the levels alone, and
// so is equal on all processes. May throw std::bad_alloc.
//
#include <string>
#include <vector>

#include "tessera/coll.h"

namespace tessera::coll::hierarchy {

// Positions first .. last - 1.
struct Group {
  int first = 0;
  int last = 0;
  int size() const noexcept { return last - first; }
  bool holds(int position) const noexcept { return first <= position && position < last; }
};

// One level of a description: processes with equal numbers lie in the same group of this level and
// of those above.
struct Level {
  std::string name;
  std::vector<int> group;  // by rank
};

// Who leads a group: the process at `root` where it is a member, else the first, or the last, one.
struct Lead {
  int root = -1;  // a position
  bool last = false;
  int of(const Group& group) const noexcept {
    if (group.holds(root)) return root;
    return last ? group.last - 1 : group.first;
  }
};

struct Team {
  Group whole;               // the group in which this stage is
  std::vector<Group> parts;  // its groups of the next depth, in the order of positions
  std::vector<int> ranks;    // their leaders
  int me = 0;                // this process among them
  int root = 0;              // the leader of the whole
  bool slow = false;         // between systems
  int size() const noexcept { return static_cast<int>(ranks.size()); }
  bool leads() const noexcept { return me == root; }
};

class Tree {
 public:
  // A level called so joins its groups by slow links.
  static constexpr const char* kSlowLevel = "system";

  // From the outside in.
  Tree(int size, const std::vector<Level>& levels);

  int size() const noexcept { return static_cast<int>(rank_at_.size()); }
  int stages() const noexcept {
    return static_cast<int>(groups_.size());
  }                                                     // 1: there are no levels
  bool in_order() const noexcept { return in_order_; }  // positions are ranks
  int rank_at(int position) const noexcept { return rank_at_[static_cast<std::size_t>(position)]; }
  int position_of(int rank) const noexcept { return position_of_[static_cast<std::size_t>(rank)]; }
  Group everybody() const noexcept { return {0, size()}; }
  Group group(int depth, int position) const noexcept;
  // The least depth at which this process leads its group; it takes part in the stages from that
  // one on, and in the one before as a member.
  int leads_from(int position, const Lead& lead) const noexcept;
  // For a process that leads its group of depth stage + 1.
  Team team(int stage, int position, const Lead& lead) const;
  // "2 systems, 4 nodes, 8 processes".
  const std::string& words() const noexcept { return words_; }

 private:
  void sort(const std::vector<Level>& levels);
  void divide(const std::vector<int>& numbers, const std::string& name);
  void describe();

  std::vector<int> rank_at_, position_of_;
  std::vector<std::vector<Group>>
      groups_;                      // per depth from 1 on, by position: the group it lies in
  std::vector<std::string> names_;  // of those depths
  std::string words_;
  bool in_order_ = true;
};

}  // namespace tessera::coll::hierarchy
