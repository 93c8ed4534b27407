/* SPDX-License-Identifier: BSD-3-Clause
 * Collective operations between systems, with blocks of the size that the one argument says. The
 * bytes that they put on each link are counted from outside. */
#include "check.h"

int main(int argc, char** argv) {
  int block, most, i;
  char *in, *out;
  begin(&argc, &argv);
  block = atoi(argv[1]);
  most = block * size;
  in = malloc((size_t)most);
  out = malloc((size_t)most);
  for (i = 0; i < most; ++i) in[i] = (char)(me == 0 ? i % 100 : 0);
  memcpy(out, in, (size_t)most);
  MPI_Bcast(out, most, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (i = 0; i < most; ++i) CHECK(out[i] == (char)(i % 100));
  MPI_Reduce(in, out, most, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
  for (i = 0; me == 0 && i < most; ++i) CHECK(out[i] == (char)(i % 100));
  MPI_Scatter(in, block, MPI_CHAR, out, block, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (i = 0; i < block; ++i) CHECK(out[i] == (char)((me * block + i) % 100));
  memcpy(in, out, (size_t)block);
  MPI_Gather(in, block, MPI_CHAR, out, block, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (i = 0; me == 0 && i < most; ++i) CHECK(out[i] == (char)(i % 100));
  memset(in, me, (size_t)most);
  MPI_Alltoall(in, block, MPI_CHAR, out, block, MPI_CHAR, MPI_COMM_WORLD);
  for (i = 0; i < most; ++i) CHECK(out[i] == i / block);
  memset(in, 1 << me, (size_t)block);
  MPI_Scan(in, out, block, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
  for (i = 0; i < block; ++i) CHECK(out[i] == (char)((2 << me) - 1));
  free(in);
  free(out);
  end("links");
  return 0;
}
