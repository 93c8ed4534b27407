/* SPDX-License-Identifier: BSD-3-Clause */
/* Connections are made when a message needs them: after a ring each process has those to its
   neighbours and no other, after an exchange of all with all those to everybody, with as few
   descriptors as that needs. To be run over TCP alone, on 4 ranks or more, with the number of
   descriptors allowed as argument. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static int wrong = 0;

static void check_range(int rank, const char* what, int value, int least, int most) {
  if (value >= least && value <= most) return;
  fprintf(stderr, "rank %d: %s: %d, expected %d to %d\n", rank, what, value, least, most);
  wrong = 1;
}

/* Those of the Internet that have another end: neither what listens nor what wakes a process. */
static int open_connections(void) {
  int count = 0;
  for (int descriptor = 0; descriptor < (int)sysconf(_SC_OPEN_MAX); ++descriptor) {
    struct sockaddr_storage peer;
    socklen_t bytes = sizeof peer;
    if (getpeername(descriptor, (struct sockaddr*)&peer, &bytes) != 0) continue;
    if (peer.ss_family == AF_INET || peer.ss_family == AF_INET6) ++count;
  }
  return count;
}

enum { kBlock = 1000 }; /* ints from each rank to each */

static int value_of(int from, int to, int i) {
  return from * 1000003 + to * 1009 + i;
}

/* The token of rank 0 comes back when everybody has passed it on, so that all connections stand. */
static void ring(int rank, int ranks) {
  int token = 4711;
  if (rank == 0) MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  MPI_Recv(&token, 1, MPI_INT, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank != 0) MPI_Send(&token, 1, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD);
  check_range(rank, "the token", token, 4711, 4711);
}

static void fill(int* block, int from, int to) {
  for (int i = 0; i < kBlock; ++i) block[i] = value_of(from, to, i);
}

static void verify(const int* block, int from, int to) {
  for (int i = 0; i < kBlock; ++i)
    check_range(to, "a value", block[i], value_of(from, to, i), value_of(from, to, i));
}

static void all_with_all(int rank, int ranks) {
  int* in = calloc((size_t)ranks * kBlock, sizeof *in);
  int* out = calloc((size_t)ranks * kBlock, sizeof *out);
  MPI_Request* requests = malloc(2 * (size_t)ranks * sizeof *requests);
  for (int peer = 0; peer < ranks; ++peer)
    MPI_Irecv(in + peer * kBlock, kBlock, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests[peer]);
  for (int peer = 0; peer < ranks; ++peer) {
    fill(out + peer * kBlock, rank, peer);
    MPI_Isend(out + peer * kBlock, kBlock, MPI_INT, peer, 1, MPI_COMM_WORLD,
              &requests[ranks + peer]);
  }
  MPI_Waitall(2 * ranks, requests, MPI_STATUSES_IGNORE);
  for (int peer = 0; peer < ranks; ++peer) verify(in + peer * kBlock, peer, rank);
  free(in), free(out), free(requests);
}

/* Before MPI_Init, as a shell would. */
static void allow_descriptors(int count) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = (rlim_t)count;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) perror("setrlimit");
}

int main(int argc, char** argv) {
  int rank, ranks;
  if (argc > 1) allow_descriptors(atoi(argv[1]));
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ring(rank, ranks);
  check_range(rank, "connections after a ring", open_connections(), 2, 2);
  ring(rank,
       ranks); /* when it ends on rank 0, everybody has counted; the next one tells everybody */
  ring(rank, ranks);
  all_with_all(rank, ranks);
  all_with_all(rank, ranks);
  check_range(rank, "connections after an exchange of all with all", open_connections(), ranks - 1,
              ranks - 1);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return wrong;
}
