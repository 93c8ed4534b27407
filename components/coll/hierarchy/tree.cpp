// SPDX-License-Identifier: BSD-3-Clause
// The processes of a communicator as a tree of groups.
#include "tree.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace tessera::coll::hierarchy {

namespace {

// Per level and rank a number that is equal for ranks of one group of this level within one group
// of all levels above: the lowest rank of that group.
std::vector<std::vector<int>> lowest_ranks(int size, const std::vector<Level>& levels) {
  std::vector<std::vector<int>> all;
  std::vector<int> above(static_cast<std::size_t>(size), 0);
  for (const Level& level : levels) {
    std::map<std::pair<int, int>, int> lowest;
    std::vector<int> mine(above.size());
    for (std::size_t rank = 0; rank < mine.size(); ++rank)
      mine[rank] = lowest.try_emplace({above[rank], level.group[rank]}, static_cast<int>(rank))
                       .first->second;
    all.push_back(mine);
    above = std::move(mine);
  }
  return all;
}

}  // namespace

Tree::Tree(int size, const std::vector<Level>& levels) : rank_at_(static_cast<std::size_t>(size)) {
  const auto lowest = lowest_ranks(size, levels);
  std::iota(rank_at_.begin(), rank_at_.end(), 0);
  std::stable_sort(rank_at_.begin(), rank_at_.end(), [&](int a, int b) {
    for (const auto& level : lowest) {
      const int of_a = level[static_cast<std::size_t>(a)],
                of_b = level[static_cast<std::size_t>(b)];
      if (of_a != of_b) return of_a < of_b;
    }
    return false;
  });
  in_order_ = std::is_sorted(rank_at_.begin(), rank_at_.end());
  position_of_.resize(rank_at_.size());
  for (int i = 0; i < size; ++i) position_of_[static_cast<std::size_t>(rank_at(i))] = i;
  for (std::size_t i = 0; i < levels.size(); ++i) divide(lowest[i], levels[i].name);
  std::vector<int> alone(rank_at_.size());
  std::iota(alone.begin(), alone.end(), 0);
  divide(alone, "process");
  describe();
}

// Adds a depth, unless its groups are those of the depth above. One of single processes takes the
// place of all that would follow.
void Tree::divide(const std::vector<int>& numbers, const std::string& name) {
  std::vector<Group> groups(rank_at_.size());
  const auto number = [&](int position) {
    return numbers[static_cast<std::size_t>(rank_at(position))];
  };
  std::size_t count = 0;
  for (int first = 0; first < size();) {
    int last = first + 1;
    while (last < size() && number(last) == number(first)) ++last;
    std::fill(groups.begin() + first, groups.begin() + last, Group{first, last});
    first = last;
    ++count;
  }
  std::size_t above = 1;
  if (!groups_.empty())
    for (int i = 1; i < size(); ++i)
      above += groups_.back()[static_cast<std::size_t>(i)].first == i;
  const bool first_one = groups_.empty();
  if (count == above && !(first_one && size() == 1)) return;
  groups_.push_back(std::move(groups));
  names_.push_back(name);
}

void Tree::describe() {
  for (std::size_t depth = 0; depth < groups_.size(); ++depth) {
    int most = 0;
    for (int position = 0; position < size(); ++position) {
      const Group whole = group(static_cast<int>(depth), position);
      int parts = 0;
      for (int i = whole.first; i < whole.last; ++i)
        parts += groups_[depth][static_cast<std::size_t>(i)].first == i;
      most = std::max(most, parts);
      position = whole.last - 1;
    }
    words_ += (depth > 0 ? " x " : "") + std::to_string(most) + " " + names_[depth];
  }
}

Group Tree::group(int depth, int position) const noexcept {
  if (depth == 0) return everybody();
  return groups_[static_cast<std::size_t>(depth) - 1][static_cast<std::size_t>(position)];
}

int Tree::leads_from(int position, const Lead& lead) const noexcept {
  int depth = stages();
  while (depth > 0 && lead.of(group(depth - 1, position)) == position) --depth;
  return depth;
}

Team Tree::team(int stage, int position, const Lead& lead) const {
  Team team;
  team.whole = group(stage, position);
  team.slow = names_[static_cast<std::size_t>(stage)] == kSlowLevel;
  const int root = lead.of(team.whole);
  for (int at = team.whole.first; at < team.whole.last;) {
    const Group part = group(stage + 1, at);
    if (part.holds(position)) team.me = team.size();
    if (part.holds(root)) team.root = team.size();
    team.parts.push_back(part);
    team.ranks.push_back(rank_at(lead.of(part)));
    at = part.last;
  }
  return team;
}

}  // namespace tessera::coll::hierarchy
