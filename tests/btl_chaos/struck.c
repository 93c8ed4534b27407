/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks exchange messages until their connection fails: struck WORDS. What is received before
 * is right. Both ranks get an error; its text has WORDS, or says that the other side has dropped
 * the connection. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { kMost = 300000, kRounds = 100000 };
static unsigned char out[kMost], in[kMost];

static int exchange(int round, int peer, int rank) {
  const int bytes = round % 7 == 0 ? kMost : 1 + round * 37 % 5000;
  memset(out, round + rank, (size_t)bytes);
  const int code = MPI_Sendrecv(out, bytes, MPI_BYTE, peer, 1, in, bytes, MPI_BYTE, peer, 1,
                                MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; code == MPI_SUCCESS && i < bytes; ++i)
    if (in[i] != (unsigned char)(round + peer)) return -1;
  return code;
}

static const char* fault_of(int code, const char* words) {
  static char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (code == -1) return "wrong data were delivered";
  if (code == MPI_SUCCESS) return "no error came";
  MPI_Error_string(code, text, &length);
  const int named = strstr(text, words) != NULL || strstr(text, "dropped the connection") != NULL;
  return named ? NULL : text;
}

int main(int argc, char** argv) {
  int rank = 0, code = MPI_SUCCESS;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int round = 0; code == MPI_SUCCESS && round < kRounds; ++round)
    code = exchange(round, 1 - rank, rank);
  const char* fault = fault_of(code, argc > 1 ? argv[1] : "");
  if (fault != NULL) fprintf(stderr, "rank %d: %s\n", rank, fault);
  MPI_Finalize();
  return fault != NULL;
}
