// SPDX-License-Identifier: BSD-3-Clause
// Heat in a rod, each rank with a part of it. Neighbours put their ends into each other's halo
// cells: post, start, complete, wait, which synchronise neighbours and nobody else.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kCells = 40, kSteps = 200 };  // cells of each rank

// One step of the cells 1 to `cells`; those at 0 and cells + 1 are the neighbours'.
static void step(double* rod, double* before, int cells) {
  memcpy(before, rod, (size_t)(cells + 2) * sizeof *rod);
  for (int i = 1; i <= cells; ++i)
    rod[i] = before[i] + 0.25 * (before[i - 1] - 2 * before[i] + before[i + 1]);
}

// The whole rod on one process, to compare with.
static double* serial(int cells) {
  double* rod = calloc((size_t)cells + 2, sizeof *rod);
  double* before = malloc(((size_t)cells + 2) * sizeof *before);
  rod[0] = 100;
  for (int i = 0; i < kSteps; ++i) step(rod, before, cells);
  free(before);
  return rod;
}

static MPI_Group neighbours_of(int rank, int ranks) {
  MPI_Group world, neighbours;
  int list[2], count = 0;
  if (rank > 0) list[count++] = rank - 1;
  if (rank < ranks - 1) list[count++] = rank + 1;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, count, list, &neighbours);
  MPI_Group_free(&world);
  return neighbours;
}

static void exchange(const double* rod, int rank, int ranks, MPI_Group neighbours, MPI_Win window) {
  MPI_Win_post(neighbours, 0, window);
  MPI_Win_start(neighbours, 0, window);
  if (rank > 0) MPI_Put(&rod[1], 1, MPI_DOUBLE, rank - 1, kCells + 1, 1, MPI_DOUBLE, window);
  if (rank < ranks - 1) MPI_Put(&rod[kCells], 1, MPI_DOUBLE, rank + 1, 0, 1, MPI_DOUBLE, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, wrong = 0, wrong_in_all = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Group neighbours = neighbours_of(rank, ranks);
  double *rod, before[kCells + 2];
  MPI_Win window;
  MPI_Win_allocate((kCells + 2) * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &rod, &window);
  memset(rod, 0, (kCells + 2) * sizeof *rod);
  if (rank == 0) rod[0] = 100;
  MPI_Barrier(MPI_COMM_WORLD);

  for (int i = 0; i < kSteps; ++i) {
    exchange(rod, rank, ranks, neighbours, window);
    step(rod, before, kCells);
  }

  double* whole = serial(kCells * ranks);
  for (int i = 1; i <= kCells; ++i) wrong += rod[i] != whole[rank * kCells + i];
  MPI_Allreduce(&wrong, &wrong_in_all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("halo exchange: %d cells on %d ranks, %s\n", kCells * ranks, ranks,
           wrong_in_all == 0 ? "right" : "WRONG");
  free(whole);
  MPI_Group_free(&neighbours);
  MPI_Win_free(&window);
  MPI_Finalize();
  return wrong_in_all != 0;
}
