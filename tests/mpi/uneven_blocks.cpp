// SPDX-License-Identifier: BSD-3-Clause
// Blocking operations whose blocks differ from none to larger than any package, with holes in the
// types and with addresses instead of buffers, in a long row: what goes over shared memory and what
// is sent must keep in step.
#include <algorithm>
#include <vector>

#include "check.h"

namespace {

using Ints = std::vector<int>;

int me, n;

// Some of them 0, most of them short, a few larger than a package of shared memory.
int amount(int round, int from, int to) {
  static constexpr int kAmounts[] = {0, 1, 2, 11, 14, 40, 300, 1, 2500, 0, 20000};
  return kAmounts[(3 * round + 5 * from + 7 * to) % 11];
}
int value(int from, int to, int i) {
  return 1000000 * from + 100000 * to + i;
}

// Blocks for or from all processes, every other int a hole; `type` is one int with its hole.
struct Blocks {
  static constexpr int kHole = -7;
  Ints counts, places, memory;
  MPI_Datatype type;

  template <class Amount>
  explicit Blocks(Amount amount_of) {
    int end = 0;
    for (int rank = 0; rank < n; ++rank) {
      counts.push_back(amount_of(rank));
      places.push_back(end);
      end += counts.back() + 1;
    }
    memory.assign(2 * static_cast<std::size_t>(end) + 2, kHole);
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &type);
    MPI_Type_commit(&type);
  }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  ~Blocks() { MPI_Type_free(&type); }

  int count(int rank) const { return counts[static_cast<std::size_t>(rank)]; }
  int& at(int rank, int i) {
    return memory[2 * static_cast<std::size_t>(places[static_cast<std::size_t>(rank)] + i)];
  }
  void fill(int from, int to, int rank) {
    for (int i = 0; i < count(rank); ++i) at(rank, i) = value(from, to, i);
  }
  bool holds(int from, int to, int rank) {
    for (int i = 0; i < count(rank); ++i) {
      if (at(rank, i) != value(from, to, i)) return false;
    }
    return at(rank, count(rank)) == kHole;
  }
  bool holes_left() const {
    for (std::size_t i = 1; i < memory.size(); i += 2) {
      if (memory[i] != kHole) return false;
    }
    return true;
  }
};

// One block without holes.
struct Block {
  Ints memory;
  explicit Block(int count) : memory(static_cast<std::size_t>(count) + 1, Blocks::kHole) {}
  void fill(int from, int to) {
    for (std::size_t i = 0; i + 1 < memory.size(); ++i)
      memory[i] = value(from, to, static_cast<int>(i));
  }
  bool holds(int from, int to) const {
    for (std::size_t i = 0; i + 1 < memory.size(); ++i) {
      if (memory[i] != value(from, to, static_cast<int>(i))) return false;
    }
    return memory.back() == Blocks::kHole;
  }
};

// `type` at an address, for use with MPI_BOTTOM.
struct Placed {
  MPI_Datatype type;
  Placed(void* address, int count, MPI_Datatype of) {
    MPI_Aint place;
    MPI_Get_address(address, &place);
    MPI_Type_create_hindexed(1, &count, &place, of, &type);
    MPI_Type_commit(&type);
  }
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;
  ~Placed() { MPI_Type_free(&type); }
};

void gather(int round, int root) {
  const auto amount_of = [&](int rank) { return amount(round, rank, root); };
  Blocks all(amount_of);
  Block mine(amount_of(me));
  mine.fill(me, root);
  const Placed placed(mine.memory.data(), amount_of(me), MPI_INT);
  CHECK(MPI_Gatherv(MPI_BOTTOM, 1, placed.type, all.memory.data(), all.counts.data(),
                    all.places.data(), all.type, root, MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int rank = 0; me == root && rank < n; ++rank) CHECK(all.holds(rank, root, rank));
  CHECK(all.holes_left());
}

void scatter(int round, int root) {
  const auto amount_of = [&](int rank) { return amount(round, root, rank); };
  Blocks all(amount_of);
  for (int rank = 0; rank < n; ++rank) all.fill(root, rank, rank);
  Block mine(amount_of(me));
  const Placed placed(mine.memory.data(), amount_of(me), MPI_INT);
  CHECK(MPI_Scatterv(all.memory.data(), all.counts.data(), all.places.data(), all.type, MPI_BOTTOM,
                     1, placed.type, root, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(mine.holds(root, me));
}

void allgather(int round) {
  const auto amount_of = [&](int rank) { return amount(round, rank, 0); };
  Blocks all(amount_of);
  Block mine(amount_of(me));
  mine.fill(me, 0);
  CHECK(MPI_Allgatherv(mine.memory.data(), amount_of(me), MPI_INT, all.memory.data(),
                       all.counts.data(), all.places.data(), all.type,
                       MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int rank = 0; rank < n; ++rank) CHECK(all.holds(rank, 0, rank));
  CHECK(all.holes_left());
}

void alltoall(int round) {
  Blocks out([&](int rank) { return amount(round, me, rank); });
  Blocks in([&](int rank) { return amount(round, rank, me); });
  for (int rank = 0; rank < n; ++rank) out.fill(me, rank, rank);
  CHECK(MPI_Alltoallv(out.memory.data(), out.counts.data(), out.places.data(), out.type,
                      in.memory.data(), in.counts.data(), in.places.data(), in.type,
                      MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int rank = 0; rank < n; ++rank) CHECK(in.holds(rank, me, rank));
  CHECK(in.holes_left());
}

// The amounts are those between the lower and the higher rank.
void alltoall_in_place(int round) {
  Blocks all([&](int rank) { return amount(round, std::min(me, rank), std::max(me, rank)); });
  for (int rank = 0; rank < n; ++rank) all.fill(me, rank, rank);
  CHECK(MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, all.memory.data(),
                      all.counts.data(), all.places.data(), all.type,
                      MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int rank = 0; rank < n; ++rank) CHECK(all.holds(rank, me, rank));
  CHECK(all.holes_left());
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  for (int round = 0; round < 60; ++round) {
    gather(round, round % n);
    scatter(round, round % n);
    if (round % 2 == 0) allgather(round);
    alltoall(round);
    if (round % 3 == 0) alltoall_in_place(round);
    int sum = 0;  // between them, an operation that is on the board in any case
    CHECK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(sum == n * (n - 1) / 2);
  }
  return finish();
}
