/* SPDX-License-Identifier: BSD-3-Clause
   Programs that do not end well, one for each argument; point_to_point_ends.py says how they must
   end. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int me;

/* Both receive first: nobody ever sends. */
static void receive_first(void) {
  int value = me;
  MPI_Recv(&value, 1, MPI_INT, 1 - me, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(&value, 1, MPI_INT, 1 - me, 5, MPI_COMM_WORLD);
  printf("rank %d went on\n", me);
}

/* The message is too long for a receive whose request was freed. */
static void fail_unheard(void) {
  int values[2] = {0, 0};
  MPI_Request request;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (me == 0) {
    MPI_Irecv(values, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Send(values, 0, MPI_INT, 1, 6, MPI_COMM_WORLD);
    MPI_Recv(values, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(values, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(values, 2, MPI_INT, 0, 5, MPI_COMM_WORLD);
    MPI_Send(values, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
  }
  printf("rank %d went on\n", me);
}

/* The last thing before MPI_Finalize is a send whose request is freed, of a message that its
 * receiver takes only then. */
static void leave_it_to_finalize(int bytes) {
  static char data[300000];
  MPI_Request request;
  if (me == 0) {
    memset(data, 'x', sizeof data);
    MPI_Isend(data, bytes, MPI_CHAR, 1, 5, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    return;
  }
  int right = 1;
  MPI_Recv(data, bytes, MPI_CHAR, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < bytes; ++i) right = right && data[i] == 'x';
  printf("%s\n", right ? "delivered" : "damaged");
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (strcmp(what, "receive-first") == 0) receive_first();
  if (strcmp(what, "fail-unheard") == 0) fail_unheard();
  if (strcmp(what, "finalize-short") == 0) leave_it_to_finalize(10);
  if (strcmp(what, "finalize-long") == 0) leave_it_to_finalize(300000);
  MPI_Finalize();
  return 0;
}
