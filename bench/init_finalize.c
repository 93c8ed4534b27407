// SPDX-License-Identifier: BSD-3-Clause
// MPI_Init and MPI_Finalize and nothing else; with --memory rank 0 prints its peak memory after
// them, with --hello every rank greets between them.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

// Peak resident memory of this process image in MiB, 0 if unknown. VmHWM and not getrusage: the
// latter carries over the peak of the launcher's image from before exec.
static double peak_mebibytes(void) {
  char line[256];
  long kibibytes = 0;
  FILE* status = fopen("/proc/self/status", "r");
  if (status == NULL) return 0;
  while (fgets(line, sizeof line, status) != NULL) {
    if (sscanf(line, "VmHWM: %ld", &kibibytes) == 1) break;
  }
  fclose(status);
  return (double)kibibytes / 1024;
}

int main(int argc, char** argv) {
  const int memory = argc > 1 && strcmp(argv[1], "--memory") == 0;
  const int hello = argc > 1 && strcmp(argv[1], "--hello") == 0;
  int rank = 0, ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (hello) printf("hello from rank %d of %d\n", rank, ranks);
  MPI_Finalize();
  if (memory && rank == 0) printf("peak_memory\t0\t%.3f\tMiB\n", peak_mebibytes());
  return 0;
}
