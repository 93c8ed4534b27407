/* SPDX-License-Identifier: BSD-3-Clause
   Runs the cases of a file, one after the other, and says which check failed where. */
#include "case.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const Case* current;
static int failures;
static int world_rank;

/* mpiexec ends a job that takes too long with SIGTERM: say in which case that was. */
static void say_where(int signal_number) {
  (void)signal_number;
  static const char before[] = "ended in the case: ";
  if (current != NULL && write(STDERR_FILENO, before, sizeof before - 1) > 0 &&
      write(STDERR_FILENO, current->title, strlen(current->title)) > 0 &&
      write(STDERR_FILENO, "\n", 1) > 0) {
  }
  _exit(1);
}

static void failed(const char* text, const char* file, int line) {
  failures++;
  fprintf(stderr, "rank %d: %s (%s)\n  %s:%d: %s", world_rank, current->title, current->shows, file,
          line, text);
}

int check_at(int holds, const char* text, const char* file, int line) {
  if (holds) return 1;
  failed(text, file, line);
  fprintf(stderr, " does not hold\n");
  return 0;
}

int check_equal_at(long long is, long long expected, const char* text, const char* file, int line) {
  if (is == expected) return 1;
  failed(text, file, line);
  fprintf(stderr, " is %lld, not %lld\n", is, expected);
  return 0;
}

int check_class_at(int code, int class_wanted, const char* text, const char* file, int line) {
  int class_found = MPI_SUCCESS;
  char string[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_class(code, &class_found);
  if (class_found == class_wanted) return 1;
  MPI_Error_string(code, string, &length);
  failed(text, file, line);
  fprintf(stderr, " has class %d (%s), not %d\n", class_found, string, class_wanted);
  return 0;
}

static void run_case(const Case* one, int size) {
  const int wanted = one->ranks == ANY ? size : one->ranks;
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank < wanted ? 0 : MPI_UNDEFINED, world_rank, &comm);
  current = one;
  if (comm != MPI_COMM_NULL) {
    one->run(comm);
    MPI_Comm_free(&comm);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static int chosen(const Case* one, int argc, char** argv) {
  return argc < 2 || strstr(one->title, argv[1]) != NULL || strstr(one->shows, argv[1]) != NULL;
}

int run_cases(int argc, char** argv, const Case cases[], size_t count) {
  int size;
  int all = 0;
  int run = 0;
  signal(SIGTERM, say_where);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t i = 0; i < count; i++) {
    if (cases[i].ranks > size || !chosen(&cases[i], argc, argv)) continue;
    run_case(&cases[i], size);
    run++;
  }
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (world_rank == 0) printf("%d cases on %d ranks, %d failed checks\n", run, size, all);
  MPI_Finalize();
  return all != 0 || run == 0;
}
