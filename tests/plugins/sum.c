// SPDX-License-Identifier: BSD-3-Clause
// The smallest job that uses point-to-point, collectives and topologies: rank 0 prints "ok".
#include <mpi.h>
#include <stdio.h>

static int sums_are_right(int rank, int size) {
  int mine = rank + 1, sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum == size * (size + 1) / 2;
}

static int ring_is_right(int rank, int size) {
  int dims[2] = {0, 0}, periods[2] = {1, 1}, ring_rank, from = -1;
  MPI_Comm torus;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &torus);
  MPI_Comm_rank(torus, &ring_rank);
  MPI_Comm_free(&torus);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &from, 1, MPI_INT, (rank + size - 1) % size,
               0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return from == (rank + size - 1) % size && ring_rank >= 0;
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = sums_are_right(rank, size) & ring_is_right(rank, size);
  if (rank == 0 && right) puts("ok");
  MPI_Finalize();
  return right ? 0 : 1;
}
