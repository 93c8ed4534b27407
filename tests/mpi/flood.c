/* SPDX-License-Identifier: BSD-3-Clause */
/* A flood of messages that nobody waits for yet takes no more memory than allowed, and comes in
   order afterwards. On 3 ranks: 0 sends all at once, 1 waits for a word of 2, which comes when
   everything was sent, and only then receives. Arguments: number of messages, and the memory
   allowed, in KiB: the limit that was set for the library. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBytes = 1024, kContents = 1024 };

/* What the process needs besides: buffers of the transport, the pool's reserve, pages of the heap
 * touched. KiB. */
static const long overhead = 6 * 1024;

/* The sanitizers keep what was freed, and memory of their own beside all other. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { is_sanitized = 1 };
#else
enum { is_sanitized = 0 };
#endif

static long number_of(const char* text) {
  return strtol(text, NULL, 10);
}

/* The largest memory this process has used, in KiB; -1 if the system does not say. */
static long peak(void) {
  char line[256];
  long kib = -1;
  FILE* file = fopen("/proc/self/status", "r");
  if (file == NULL) return -1;
  while (fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, "VmHWM:", 6) == 0) kib = number_of(line + 6);
  }
  fclose(file);
  return kib;
}

/* Message i has content i % kContents and tag i / kContents. */
static void fill(unsigned char* data, int content) {
  for (int i = 0; i < kBytes; ++i) data[i] = (unsigned char)(content * 7 + (content >> 8) + i * 3);
}

static void flood(long messages) {
  unsigned char* contents = malloc((size_t)kContents * kBytes);
  MPI_Request* requests = malloc((size_t)messages * sizeof *requests);
  for (int c = 0; c < kContents; ++c) fill(contents + (size_t)c * kBytes, c);
  for (long i = 0; i < messages; ++i) {
    MPI_Isend(contents + (size_t)(i % kContents) * kBytes, kBytes, MPI_BYTE, 1,
              (int)(i / kContents), MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Send(NULL, 0, MPI_BYTE, 2, 0, MPI_COMM_WORLD);
  MPI_Waitall((int)messages, requests, MPI_STATUSES_IGNORE);
  free(contents), free(requests);
}

static void pass_on(void) {
  MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
}

static int receive_in_order(long messages) {
  unsigned char data[kBytes], expected[kBytes];
  MPI_Status status;
  for (long i = 0; i < messages; ++i) {
    MPI_Recv(data, kBytes, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    fill(expected, (int)(i % kContents));
    if (status.MPI_TAG == (int)(i / kContents) && memcmp(data, expected, kBytes) == 0) continue;
    fprintf(stderr, "message %ld is another one, with tag %d\n", i, status.MPI_TAG);
    return 1;
  }
  return 0;
}

static int check_peak(const char* when, long before, long allowed) {
  const long grown = peak() - before;
  if (before < 0 || is_sanitized || grown <= allowed + overhead) return 0;
  fprintf(stderr, "%s the process has grown by %ld KiB; allowed are %ld, and %ld for the rest\n",
          when, grown, allowed, overhead);
  return 1;
}

static int take(long messages, long allowed) {
  const long before = peak();
  MPI_Recv(NULL, 0, MPI_BYTE, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int wrong = check_peak("while messages came unasked", before, allowed);
  wrong += receive_in_order(messages);
  return wrong + check_peak("while messages were received", before, allowed);
}

int main(int argc, char** argv) {
  int rank, ranks, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3 || ranks != 3) {
    if (rank == 0)
      fprintf(stderr, "flood: runs on 3 ranks with the number of messages and the allowed KiB\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const long messages = number_of(argv[1]), allowed = number_of(argv[2]);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) flood(messages);
  if (rank == 1) wrong = take(messages, allowed);
  if (rank == 2) pass_on();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return wrong != 0;
}
