// SPDX-License-Identifier: BSD-3-Clause
// Operations in which data goes one way, called one after the other with lengths that change: the
// process that gives runs ahead of those that take, as far as there is room, and all data arrives.
#include <cstddef>
#include <random>
#include <vector>

#include "check.h"

namespace {

constexpr std::size_t kMost = 40'000;  // elements

int rank, size;

int expected(int from, int call, std::size_t place) {
  return from * 1'000'003 + call * 7'919 + static_cast<int>(place % 50'000);
}

bool holds(const int* data, std::size_t count, int from, int call, std::size_t first) {
  for (std::size_t i = 0; i < count; ++i)
    if (data[i] != expected(from, call, first + i)) return false;
  return true;
}

void give(std::vector<int>& data, std::size_t count, int call) {
  for (std::size_t i = 0; i < count; ++i) data[i] = expected(rank, call, i);
}

void bcast(std::vector<int>& data, std::vector<int>&, std::size_t count, int call) {
  if (rank == 0) give(data, count, call);
  CHECK(MPI_Bcast(data.data(), static_cast<int>(count), MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(holds(data.data(), count, 0, call, 0));
}

void gather(std::vector<int>& data, std::vector<int>& all, std::size_t count, int call) {
  const int each = static_cast<int>(count);
  give(data, count, call);
  CHECK(MPI_Gather(data.data(), each, MPI_INT, all.data(), each, MPI_INT, 0, MPI_COMM_WORLD) ==
        MPI_SUCCESS);
  for (int from = 0; rank == 0 && from < size; ++from)
    CHECK(holds(all.data() + static_cast<std::size_t>(from) * count, count, from, call, 0));
}

void scatter(std::vector<int>& data, std::vector<int>& all, std::size_t count, int call) {
  const int each = static_cast<int>(count);
  if (rank == 0) give(all, count * static_cast<std::size_t>(size), call);
  CHECK(MPI_Scatter(all.data(), each, MPI_INT, data.data(), each, MPI_INT, 0, MPI_COMM_WORLD) ==
        MPI_SUCCESS);
  CHECK(holds(data.data(), count, 0, call, static_cast<std::size_t>(rank) * count));
}

// The largest is that of the last rank.
void reduce(std::vector<int>& data, std::vector<int>& all, std::size_t count, int call) {
  give(data, count, call);
  CHECK(MPI_Reduce(data.data(), all.data(), static_cast<int>(count), MPI_INT, MPI_MAX, 0,
                   MPI_COMM_WORLD) == MPI_SUCCESS);
  if (rank == 0) CHECK(holds(all.data(), count, size - 1, call, 0));
}

void scan(std::vector<int>& data, std::vector<int>& all, std::size_t count, int call) {
  give(data, count, call);
  CHECK(MPI_Scan(data.data(), all.data(), static_cast<int>(count), MPI_INT, MPI_MAX,
                 MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(holds(all.data(), count, rank, call, 0));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  constexpr decltype(&bcast) kOperations[] = {bcast, gather, scatter, reduce, scan};
  constexpr std::size_t kLengths[] = {1, 12, 13, 200, 512, 513, 1'024, 3'000, 8'192, kMost};
  std::vector<int> data(kMost), all(kMost * static_cast<std::size_t>(size));
  std::mt19937 random(7);  // the same numbers in all processes
  for (int call = 0; call < 500;) {
    const auto operation = kOperations[random() % std::size(kOperations)];
    const int times = static_cast<int>(random() % 40);
    const std::size_t most = random() % 4 == 0 ? std::size(kLengths) : 7;
    for (int i = 0; i < times; ++i, ++call) operation(data, all, kLengths[random() % most], call);
  }
  return finish();
}
