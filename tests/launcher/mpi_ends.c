/* SPDX-License-Identifier: BSD-3-Clause */
/* An MPI program that ends in the way its arguments say: HOW [VALUE], for rank 0; the other ranks
 * wait for it. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void wait_for_ever(void) {
  int nothing = 0;
  MPI_Recv(&nothing, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void die_of(int number) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  signal(number, SIG_DFL); /* a sanitizer's handler would end the process in another way */
#endif
  raise(number);
}

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "well";
  const int value = argc > 2 ? atoi(argv[2]) : 0;
  int rank = -1;
  int size = -1;
  if (strcmp(how, "never-init") == 0) return value;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(how, "who") == 0) {
    int* app = NULL;
    int found = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &app, &found);
    printf("%d of %d, app %d\n", rank, size, found ? *app : -1);
  } else if (strcmp(how, "well") != 0) {
    if (rank != 0) wait_for_ever();
    if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, value);
    if (strcmp(how, "exit") == 0) exit(value);
    if (strcmp(how, "signal") == 0) die_of(value);
    if (strcmp(how, "abort()") == 0) abort();
    if (strcmp(how, "hang") == 0) pause();
  }
  MPI_Finalize();
  return value;
}
