// SPDX-License-Identifier: BSD-3-Clause
// With coll_reproducible, reductions have the bits of one order of operations, whoever carries them
// out: from the last rank down, scans from the first one up. The argument `any` turns the
// comparison round: some bits must differ.
#include <cmath>
#include <cstring>
#include <vector>

#include "check.h"

namespace {

using Vector = std::vector<double>;

int me, n;

// Magnitudes differ by many orders, so that every other order of additions shows.
double value(int rank, int i) {
  const double mantissa = 1 + 0.37 * rank + 0.0113 * (i % 97);
  return std::ldexp(rank % 2 == 0 ? mantissa : -mantissa, (rank * 7 + i * 3) % 41 - 20);
}

Vector operand(int count) {
  Vector values;
  for (int i = 0; i < count; ++i) values.push_back(value(me, i));
  return values;
}

// volatile: no other order, no wider register
double down_from_last(int i) {
  volatile double sum = value(n - 1, i);
  for (int rank = n - 2; rank >= 0; --rank) sum = value(rank, i) + sum;
  return sum;
}
double up_to(int last, int i) {
  volatile double sum = value(0, i);
  for (int rank = 1; rank <= last; ++rank) sum = sum + value(rank, i);
  return sum;
}

bool same_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

int different = 0;

template <class Expect>
void compare(const Vector& result, int first, int count, Expect expected) {
  for (int i = 0; i < count; ++i) different += same_bits(result[i], expected(first + i)) ? 0 : 1;
}

void rootless(int count) {
  const Vector mine = operand(count);
  Vector result(count);
  MPI_Allreduce(mine.data(), result.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  compare(result, 0, count, down_from_last);
  MPI_Request request;
  result.assign(count, 0);
  MPI_Iallreduce(mine.data(), result.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  compare(result, 0, count, down_from_last);
  result = mine;
  MPI_Allreduce(MPI_IN_PLACE, result.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  compare(result, 0, count, down_from_last);
  MPI_Scan(mine.data(), result.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  compare(result, 0, count, [](int i) { return up_to(me, i); });
  MPI_Exscan(mine.data(), result.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (me > 0) compare(result, 0, count, [](int i) { return up_to(me - 1, i); });
}

void rooted(int count, int root) {
  const Vector mine = operand(count);
  Vector result(count);
  MPI_Reduce(mine.data(), result.data(), count, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
  if (me == root) compare(result, 0, count, down_from_last);
}

void scattered(int count) {
  const Vector mine = operand(count * n);
  Vector result(count);
  MPI_Reduce_scatter_block(mine.data(), result.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  compare(result, me * count, count, down_from_last);
  const std::vector<int> counts(n, count);
  MPI_Reduce_scatter(mine.data(), result.data(), counts.data(), MPI_DOUBLE, MPI_SUM,
                     MPI_COMM_WORLD);
  compare(result, me * count, count, down_from_last);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  me = rank_in(MPI_COMM_WORLD);
  n = size_of(MPI_COMM_WORLD);
  for (const int count : {1, 5, 100, 3000, 40'000}) {
    rootless(count);
    rooted(count, 0);
    rooted(count, n - 1);
    scattered(count);
  }
  int all = 0;
  MPI_Allreduce(&different, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const bool any = argc > 1 && std::strcmp(argv[1], "any") == 0;
  CHECK(any ? all > 0 : all == 0);
  return finish();
}
