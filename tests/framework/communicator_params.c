// SPDX-License-Identifier: BSD-3-Clause
// Gives info keys to communicators as the command line says, and runs a collective operation on
// each.
//
// Usage: communicator_params [dup|idup|set|late] [KEY VALUE]...
// Rank 0 prints "ok", or the class and text of the error that the call returned. `late`: after a
// first collective.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int failed(int rank, int code) {
  if (code == MPI_SUCCESS) return 0;
  char text[MPI_MAX_ERROR_STRING];
  int length, class;
  MPI_Error_string(code, text, &length);
  MPI_Error_class(code, &class);
  const char* name = class == MPI_ERR_INFO_VALUE ? "MPI_ERR_INFO_VALUE"
                     : class == MPI_ERR_INFO_KEY ? "MPI_ERR_INFO_KEY"
                                                 : "another class";
  if (rank == 0) printf("%s: %s\n", name, text);
  return 1;
}

static void print_keys(MPI_Comm comm, int count, char** pairs) {
  MPI_Info used;
  MPI_Comm_get_info(comm, &used);
  for (int i = 0; i + 1 < count; i += 2) {
    char value[128];
    int size = sizeof value, found;
    MPI_Info_get_string(used, pairs[i], &size, value, &found);
    printf("%s %s\n", pairs[i], found ? value : "(not kept)");
  }
  MPI_Info_free(&used);
}

static int make(const char* how, MPI_Info info, MPI_Comm* comm) {
  if (strcmp(how, "idup") == 0) {
    MPI_Request request;
    const int code = MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, comm, &request);
    return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
  }
  if (strcmp(how, "dup") == 0) return MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, comm);
  MPI_Comm_dup(MPI_COMM_WORLD, comm);
  if (strcmp(how, "late") == 0) MPI_Barrier(*comm);
  return MPI_Comm_set_info(*comm, info);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Info info;
  MPI_Info_create(&info);
  for (int i = 2; i + 1 < argc; i += 2) MPI_Info_set(info, argv[i], argv[i + 1]);
  MPI_Comm comm = MPI_COMM_NULL;
  if (!failed(rank, make(argc > 1 ? argv[1] : "dup", info, &comm))) {
    MPI_Comm_set_name(comm, "mine");
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (rank == 0) puts(sum == size * (size - 1) / 2 ? "ok" : "wrong sum");
    if (rank == 0) print_keys(comm, argc - 2, argv + 2);
  }
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  MPI_Info_free(&info);
  MPI_Finalize();
  return 0;
}
