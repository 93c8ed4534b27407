// SPDX-License-Identifier: BSD-3-Clause
// The place of one process in trees of several shapes.
#include "tree_nodes.h"

#include <algorithm>
#include <cstdint>

#include "blocks.h"

namespace tessera::coll::basic {

TreeNode knomial_node(int number, int size, int radix) {
  const std::int64_t base = std::max(radix, 2);
  std::int64_t place = 1;  // of the lowest digit that is not zero
  while (place < size && number / place % base == 0) place *= base;
  const auto within = [&](std::int64_t from, std::int64_t length) {
    return static_cast<int>(std::min<std::int64_t>(length, size - from));
  };
  TreeNode node{.number = number, .held = within(number, place), .children = {}};
  if (number != 0) node.parent = static_cast<int>(number - number / place % base * place);
  for (place /= base; place > 0; place /= base) {
    for (std::int64_t digit = base - 1; digit > 0; --digit) {
      const std::int64_t child = number + digit * place;
      if (child < size) node.children.push_back({static_cast<int>(child), within(child, place)});
    }
  }
  return node;
}

namespace {

// Which of the pieces of `count`, cut as in cut(), element i lies in.
int piece_of(int count, int pieces, int i) noexcept {
  const int each = count / pieces;
  const int longer = count % pieces * (each + 1);  // elements in longer pieces
  return i < longer ? i / (each + 1) : count % pieces + (i - longer) / each;
}

int cut_at(int count, int pieces, int i) noexcept {
  return static_cast<int>(cut(count, pieces, i));
}

}  // namespace

TreeNode split_node(int number, int size, int top, int below) {
  int begin = 0, held = size, parent = -1, ways = std::max(top, 1);
  while (begin != number) {
    const int which = piece_of(held - 1, ways, number - begin - 1);
    const int first = cut_at(held - 1, ways, which);
    parent = begin;
    held = cut_at(held - 1, ways, which + 1) - first;
    begin += 1 + first;
    ways = std::max(below, 1);
    if (ways > 1 || begin == number) continue;
    held -= number - begin;  // along a chain in one stride
    parent = number - 1;
    begin = number;
  }
  TreeNode node{.number = number, .held = held, .parent = parent, .children = {}};
  for (int i = std::min(ways, held - 1) - 1; i >= 0; --i) {
    const int first = cut_at(held - 1, ways, i);
    node.children.push_back({number + 1 + first, cut_at(held - 1, ways, i + 1) - first});
  }
  return node;
}

TreeNode middle_node(int number, int root, int size) {
  const auto middle = [](int begin, int end) { return begin + (end - begin) / 2; };
  int begin = 0, end = size, at = root, parent = -1;
  while (at != number) {
    parent = at;
    (number < at ? end : begin) = number < at ? at : at + 1;
    at = middle(begin, end);
  }
  TreeNode node{.number = number, .held = end - begin, .parent = parent, .children = {}};
  if (at + 1 < end) node.children.push_back({middle(at + 1, end), end - at - 1});
  if (begin < at) node.children.push_back({middle(begin, at), at - begin});
  return node;
}

}  // namespace tessera::coll::basic
