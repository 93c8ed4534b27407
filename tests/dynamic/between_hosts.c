/* SPDX-License-Identifier: BSD-3-Clause */
/* Two jobs, each on a host of its own, that meet by a port: between_hosts server FILE | client PORT
 * The server writes its port into FILE. */
#include <string.h>

#include "check.h"

static void meet(const char* file, char* port) {
  int rank;
  FILE* out;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  MPI_Open_port(MPI_INFO_NULL, port);
  CHECK((out = fopen(file, "w")) != NULL);
  CHECK(fprintf(out, "%s\n", port) > 0);
  CHECK(fclose(out) == 0);
}

/* The processes of the client send at once; those of the server send nothing before they have heard
 * from all. */
static void talk(MPI_Comm inter, int server) {
  int rank, remote, one = 1, sum = 0, size;
  MPI_Comm all;
  MPI_Comm_rank(inter, &rank);
  MPI_Comm_remote_size(inter, &remote);
  for (int turn = 0; turn < 2; ++turn) {
    for (int peer = 0; peer < remote; ++peer) {
      int got = -1;
      if (turn == server)
        MPI_Send(&rank, 1, MPI_INT, peer, 5, inter);
      else
        MPI_Recv(&got, 1, MPI_INT, peer, 5, inter, MPI_STATUS_IGNORE);
      CHECK(turn == server || got == peer);
    }
  }
  MPI_Intercomm_merge(inter, server, &all);
  MPI_Comm_size(all, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
  CHECK(sum == size);
  MPI_Comm_disconnect(&all);
}

int main(int argc, char** argv) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Init(&argc, &argv);
  CHECK(argc == 3);
  const int server = strcmp(argv[1], "server") == 0;
  if (server) meet(argv[2], port);
  for (int round = 0; round < 3; ++round) {
    MPI_Comm inter;
    if (server)
      MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    else
      MPI_Comm_connect(argv[2], MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    talk(inter, server);
    MPI_Comm_disconnect(&inter);
  }
  MPI_Finalize();
  return 0;
}
