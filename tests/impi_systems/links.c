/* SPDX-License-Identifier: BSD-3-Clause
 * Collective operations between systems, with blocks of the size that the one argument says. The
 * bytes that they put on each link are counted from outside. */
#include "check.h"

/* Operations that consist of others, and those whose blocks may differ. */
static void each_part_of_several(char* in, char* out, int block, int* counts, int* places) {
  const int most = block * size;
  int i;
  for (i = 0; i < size; ++i) {
    counts[i] = block;
    places[i] = i * block;
  }
  memset(in, 1 << me, (size_t)(unsigned)most);
  MPI_Allreduce(in, out, most, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
  for (i = 0; i < most; ++i) CHECK(out[i] == (char)((1 << size) - 1));
  MPI_Reduce_scatter(in, out, counts, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
  for (i = 0; i < block; ++i) CHECK(out[i] == (char)((1 << size) - 1));
  MPI_Allgather(in, block, MPI_CHAR, out, block, MPI_CHAR, MPI_COMM_WORLD);
  for (i = 0; i < most; ++i) CHECK(out[i] == (char)(1 << i / block));
  memset(out, 0, (size_t)(unsigned)most);
  MPI_Allgatherv(in, block, MPI_CHAR, out, counts, places, MPI_CHAR, MPI_COMM_WORLD);
  for (i = 0; i < most; ++i) CHECK(out[i] == (char)(1 << i / block));
  MPI_Gatherv(in, block, MPI_CHAR, out, counts, places, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Scatterv(out, counts, places, MPI_CHAR, in, block, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (i = 0; i < block; ++i) CHECK(in[i] == (char)(1 << me));
  memset(in, me, (size_t)(unsigned)most);
  MPI_Alltoallv(in, counts, places, MPI_CHAR, out, counts, places, MPI_CHAR, MPI_COMM_WORLD);
  for (i = 0; i < most; ++i) CHECK(out[i] == i / block);
}

int main(int argc, char** argv) {
  int block, most, i;
  int *counts, *places;
  char *in, *out;
  begin(&argc, &argv);
  block = atoi(argv[1]);
  most = block * size;
  in = malloc((size_t)(unsigned)most);
  out = malloc((size_t)(unsigned)most);
  counts = malloc(sizeof(int) * (size_t)size);
  places = malloc(sizeof(int) * (size_t)size);
  for (i = 0; i < most; ++i) in[i] = (char)(me == 0 ? i % 100 : 0);
  memcpy(out, in, (size_t)(unsigned)most);
  MPI_Bcast(out, most, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (i = 0; i < most; ++i) CHECK(out[i] == (char)(i % 100));
  MPI_Reduce(in, out, most, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
  for (i = 0; me == 0 && i < most; ++i) CHECK(out[i] == (char)(i % 100));
  MPI_Scatter(in, block, MPI_CHAR, out, block, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (i = 0; i < block; ++i) CHECK(out[i] == (char)((me * block + i) % 100));
  memcpy(in, out, (size_t)block);
  MPI_Gather(in, block, MPI_CHAR, out, block, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (i = 0; me == 0 && i < most; ++i) CHECK(out[i] == (char)(i % 100));
  memset(in, me, (size_t)(unsigned)most);
  MPI_Alltoall(in, block, MPI_CHAR, out, block, MPI_CHAR, MPI_COMM_WORLD);
  for (i = 0; i < most; ++i) CHECK(out[i] == i / block);
  memset(in, 1 << me, (size_t)block);
  MPI_Scan(in, out, block, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
  for (i = 0; i < block; ++i) CHECK(out[i] == (char)((2 << me) - 1));
  each_part_of_several(in, out, block, counts, places);
  free(counts);
  free(places);
  free(in);
  free(out);
  end("links");
  return 0;
}
