// SPDX-License-Identifier: BSD-3-Clause
// How the processes of a communicator are spread over systems: Shape.
#pragma once
//
// The master of a system is its lowest rank in the communicator. Masters are numbered by ascending
// rank, so that rank 0 is master 0. A rooted operation replaces the master of the root's system by
// the root; what is left of the numbering then begins with the root (virtual numbers).
//
#include <vector>

namespace tessera {
class Comm;
}

namespace tessera::impi {

class Systems;

struct Shape {
  int rank = 0;
  int size = 0;
  std::vector<int> master_of;            // by rank: the number of its system's master
  std::vector<int> masters;              // by number: its rank
  std::vector<std::vector<int>> locals;  // by number: the ranks of its system, ascending

  int count() const noexcept { return static_cast<int>(masters.size()); }
  int mine() const noexcept { return number_of(rank); }
  int number_of(int r) const noexcept { return master_of[static_cast<std::size_t>(r)]; }
  int master(int number) const noexcept { return masters[static_cast<std::size_t>(number)]; }
  const std::vector<int>& local_to(int number) const noexcept {
    return locals[static_cast<std::size_t>(number)];
  }
  bool is_master() const noexcept { return master(mine()) == rank; }
  bool local(int a, int b) const noexcept { return number_of(a) == number_of(b); }
  // Who stands for a system in an operation with a root.
  int representative(int number, int root) const noexcept {
    return number == number_of(root) ? root : master(number);
  }
  bool represents(int root) const noexcept { return representative(mine(), root) == rank; }
  int virtual_number(int root) const noexcept {
    return (mine() - number_of(root) + count()) % count();
  }
  int real(int number, int root) const noexcept { return (number + number_of(root)) % count(); }
};

Shape shape_of(const Systems& systems, const Comm& comm);

// The smallest d with x <= 2^d; x > 0.
constexpr int cube(int x) noexcept {
  int d = 0;
  while (1 << d < x) ++d;
  return d;
}
// The index of the highest bit that is set among the low d bits of x, or -1.
constexpr int highest_bit(int x, int d) noexcept {
  for (int i = d - 1; i >= 0; --i) {
    if ((x & 1 << i) != 0) return i;
  }
  return -1;
}

}  // namespace tessera::impi
