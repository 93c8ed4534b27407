/* SPDX-License-Identifier: BSD-3-Clause */
/* Every rank sends to every rank, itself included, messages of many sizes at once, blocking and
   nonblocking; every byte is checked. Sizes lie around the limits where protocols change. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int sizes[] = {0,  1,    7,    8,    31,   32,    33,    56,    64,
                            65, 1000, 4095, 4096, 4097, 16384, 65536, 65537, 300001};
enum { kSizes = sizeof sizes / sizeof sizes[0] };

static unsigned char pattern(int from, int to, int size, int i) {
  return (unsigned char)(from * 131 + to * 31 + size * 7 + i * 3 + (i >> 8));
}

static void fill(unsigned char* data, int from, int to, int size) {
  for (int i = 0; i < size; ++i) data[i] = pattern(from, to, size, i);
}

static void verify(const unsigned char* data, int from, int to, int size,
                   const MPI_Status* status) {
  int count = -1;
  MPI_Get_count(status, MPI_BYTE, &count);
  if (count != size || status->MPI_SOURCE != from) {
    fprintf(stderr, "rank %d: message of %d bytes from %d arrived as %d bytes from %d\n", to, size,
            from, count, status->MPI_SOURCE);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  for (int i = 0; i < size; ++i) {
    if (data[i] == pattern(from, to, size, i)) continue;
    fprintf(stderr, "rank %d: message of %d bytes from %d is wrong at byte %d\n", to, size, from,
            i);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
}

/* All pairs at once, nonblocking, one size; half of the receives take any source. */
static void exchange(int rank, int ranks, int size) {
  unsigned char* out = malloc((size_t)ranks * (size_t)size + 1);
  unsigned char* in = malloc((size_t)ranks * (size_t)size + 1);
  MPI_Request* requests = malloc(2 * (size_t)ranks * sizeof *requests);
  MPI_Status* statuses = malloc(2 * (size_t)ranks * sizeof *statuses);
  const int any = size % 2;
  for (int peer = 0; peer < ranks; ++peer) {
    MPI_Irecv(in + (size_t)peer * (size_t)size, size, MPI_BYTE, any ? MPI_ANY_SOURCE : peer, 5,
              MPI_COMM_WORLD, &requests[peer]);
  }
  for (int peer = 0; peer < ranks; ++peer) {
    fill(out + (size_t)peer * (size_t)size, rank, peer, size);
    MPI_Isend(out + (size_t)peer * (size_t)size, size, MPI_BYTE, peer, 5, MPI_COMM_WORLD,
              &requests[ranks + peer]);
  }
  MPI_Waitall(2 * ranks, requests, statuses);
  for (int i = 0; i < ranks; ++i) {
    verify(in + (size_t)i * (size_t)size, any ? statuses[i].MPI_SOURCE : i, rank, size,
           &statuses[i]);
  }
  free(out), free(in), free(requests), free(statuses);
}

/* Pair by pair with blocking calls; the lower rank sends first. */
static void ping_pong(int rank, int ranks, int size) {
  unsigned char* data = malloc((size_t)size + 1);
  MPI_Status status;
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer == rank) continue;
    for (int turn = 0; turn < 2; ++turn) {
      if ((rank < peer) == (turn == 0)) {
        fill(data, rank, peer, size);
        MPI_Send(data, size, MPI_BYTE, peer, turn, MPI_COMM_WORLD);
      } else {
        MPI_Recv(data, size, MPI_BYTE, peer, turn, MPI_COMM_WORLD, &status);
        verify(data, peer, rank, size, &status);
      }
    }
  }
  free(data);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int k = 0; k < kSizes; ++k) {
    exchange(rank, ranks, sizes[k]);
    MPI_Barrier(
        MPI_COMM_WORLD); /* a message of the next size must not match a receive of this one */
    ping_pong(rank, ranks, sizes[k]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("all pairs of %d ranks exchanged %d sizes\n", ranks, (int)kSizes);
  MPI_Finalize();
  return 0;
}
