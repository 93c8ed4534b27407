// SPDX-License-Identifier: BSD-3-Clause
// Processes that describe the same data by unlike datatypes: contiguous on some, with holes on
// others.
#include <vector>

#include "check.h"

namespace {

int me, n;

// Four integers each: in a row, or every other one.
MPI_Datatype with_holes;
constexpr int kEach = 4;

std::vector<int> made(int blocks, bool holes, int first) {
  std::vector<int> data(static_cast<std::size_t>(blocks * kEach * 2), -1);
  for (int i = 0; i < blocks * kEach; ++i)
    data[static_cast<std::size_t>(holes ? 2 * i : i)] = first + i;
  return data;
}

bool right(const std::vector<int>& data, int blocks, bool holes, int first) {
  return data == made(blocks, holes, first);
}

std::vector<int> empty(int blocks) {
  return std::vector<int>(static_cast<std::size_t>(blocks * kEach * 2), -1);
}

void test_bcast() {
  const bool holes = me % 2 == 1;
  std::vector<int> data = me == 0 ? made(1, false, 7) : empty(1);
  MPI_Bcast(data.data(), holes ? 1 : kEach, holes ? with_holes : MPI_INT, 0, MPI_COMM_WORLD);
  CHECK(right(data, 1, holes, 7));
}

void test_gather() {
  const std::vector<int> mine = made(1, false, me * kEach);
  std::vector<int> all = empty(n);
  MPI_Gather(mine.data(), kEach, MPI_INT, all.data(), 1, with_holes, 0, MPI_COMM_WORLD);
  if (me == 0) CHECK(right(all, n, true, 0));
}

void test_allgather() {
  const bool holes = me % 2 == 1;
  const std::vector<int> mine = made(1, false, me * kEach);
  std::vector<int> all = empty(n);
  MPI_Allgather(mine.data(), kEach, MPI_INT, all.data(), holes ? 1 : kEach,
                holes ? with_holes : MPI_INT, MPI_COMM_WORLD);
  CHECK(right(all, n, holes, 0));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  me = rank_in(MPI_COMM_WORLD);
  n = size_of(MPI_COMM_WORLD);
  MPI_Datatype strided;
  MPI_Type_vector(kEach, 1, 2, MPI_INT, &strided);
  MPI_Type_create_resized(strided, 0, 2 * kEach * static_cast<MPI_Aint>(sizeof(int)), &with_holes);
  MPI_Type_commit(&with_holes);
  test_bcast();
  test_gather();
  test_allgather();
  MPI_Type_free(&strided);
  MPI_Type_free(&with_holes);
  return finish();
}
