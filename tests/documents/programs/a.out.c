// SPDX-License-Identifier: BSD-3-Clause
// The program of the pages about components: it uses messages, collective operations with an
// integer that overflows, a window, a file and a topology that may renumber the ranks.
#include <limits.h>
#include <mpi.h>
#include <stdio.h>

static void use_window(int rank, int size) {
  int* memory;
  MPI_Win window;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  if (*memory != (rank + size - 1) % size) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Win_free(&window);
}

static void use_file(int rank) {
  MPI_File file;
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
  MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

static void use_topology(int size) {
  MPI_Comm ring;
  const int periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 1, &ring);
  MPI_Comm_free(&ring);
}

static void use_messages(int rank, int size) {
  int sum = 0, left = -1;
  const int large = rank == 0 ? INT_MAX : rank == 1;
  for (int round = 0; round < 100; ++round)
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &left, 1, MPI_INT,
                 (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Allreduce(&large, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  use_messages(rank, size);
  use_window(rank, size);
  use_file(rank);
  use_topology(size);
  if (rank == 0) puts("all is right");
  MPI_Finalize();
}
