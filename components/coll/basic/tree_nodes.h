// SPDX-License-Identifier: BSD-3-Clause
// The place of one process in a tree whose subtrees are consecutive numbers: TreeNode.
#pragma once

#include <vector>

namespace tessera::coll::basic {

struct TreeNode {
  struct Child {
    int number;
    int held;  // processes in its subtree
  };
  bool is_root() const noexcept { return parent < 0; }

  int number;
  int held;                     // processes in the subtree, this one included
  int parent = -1;              // of the root: -1
  std::vector<Child> children;  // the highest number first
};

// All take the number of the process and the number of processes, and may throw std::bad_alloc.

// A tree of k-nomials, root 0: with numbers written to the base `radix` (below 2 counts as 2), the
// parent lacks the lowest digit that is not zero. Depth at most ceil(log_radix size); the highest
// child has the largest subtree.
TreeNode knomial_node(int number, int size, int radix);

// A tree in which a process comes before its subtrees, which are as equal as can be: at most `top`
// of them at root 0, `below` elsewhere (below 1 counts as 1). With `below` 1, chains.
TreeNode split_node(int number, int size, int top, int below);

// A binary tree whose processes lie between their two subtrees. Any root; all others are in the
// middle of their subtree.
TreeNode middle_node(int number, int root, int size);

}  // namespace tessera::coll::basic
