/* SPDX-License-Identifier: BSD-3-Clause
   Messages of a process to itself, through MPI's functions: what the API layer adds. For
   bench/path, which counts the instructions inside measured(). */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static long out = 1, in;
static MPI_Request posted;

static void do_post(void) {
  MPI_Irecv(&in, 1, MPI_LONG, 0, 7, MPI_COMM_WORLD, &posted);
}
static void do_send(void) {
  MPI_Send(&out, 1, MPI_LONG, 0, 7, MPI_COMM_WORLD);
}
static void do_wait(void) {
  MPI_Wait(&posted, MPI_STATUS_IGNORE);
}
static void do_recv(void) {
  MPI_Recv(&in, 1, MPI_LONG, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static void measured(void (*part)(void)) {
  part();
  __asm__ volatile("" ::: "memory"); /* no tail call: the return counts */
}

int main(int argc, char** argv) {
  const char* name = argc == 2 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 1000; i++) {
    if (strcmp(name, "api_send") == 0) {
      do_post(), measured(do_send), do_wait();
    } else if (strcmp(name, "api_post") == 0) {
      measured(do_post), do_send(), do_wait();
    } else if (strcmp(name, "api_wait") == 0) {
      do_post(), do_send(), measured(do_wait);
    } else if (strcmp(name, "api_recv") == 0) {
      MPI_Request request;
      MPI_Isend(&out, 1, MPI_LONG, 0, 7, MPI_COMM_WORLD, &request);
      measured(do_recv);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      fprintf(stderr, "usage: path_api api_send|api_post|api_wait|api_recv\n");
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
  }
  MPI_Finalize();
  return 0;
}
