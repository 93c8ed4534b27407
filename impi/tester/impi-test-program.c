/* SPDX-License-Identifier: BSD-3-Clause
 * The program that a client under test runs for `impi-test client`: it obeys the orders that the
 * tester sends.
 *
 * One process of two in MPI_COMM_WORLD, the other one is the tester. An order is a message with tag
 * 1: its number (below), then a tag, then sizes. Reports are messages of integers with tag 2. Only
 * functions of MPI-1 are used, so that any MPI can run it. */
#include <mpi.h>
#include <stdlib.h>

enum { EXIT, ECHO, SEND, SSEND, RECV, CANCEL, PROBE, BURST, BARRIER };
enum { ORDER_TAG = 1, REPORT_TAG = 2, MOST = 1 << 20 };

static unsigned char buffer[MOST];
static unsigned char pattern[MOST];
static int other;

static void report(int count, int a, int b, int c) {
  int numbers[3];
  numbers[0] = a;
  numbers[1] = b;
  numbers[2] = c;
  MPI_Send(numbers, count, MPI_INT, other, REPORT_TAG, MPI_COMM_WORLD);
}

static void report_status(MPI_Status* status) {
  int count;
  MPI_Get_count(status, MPI_BYTE, &count);
  report(3, status->MPI_SOURCE, status->MPI_TAG, count);
}

static void try_to_cancel(int tag, int size) {
  MPI_Request request;
  MPI_Status status;
  int cancelled;
  MPI_Isend(pattern, size, MPI_BYTE, other, tag, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  report(1, cancelled, 0, 0);
}

static void burst(int tag, int count, int size) {
  MPI_Request* requests = malloc((size_t)count * sizeof *requests);
  MPI_Status* statuses = malloc((size_t)count * sizeof *statuses);
  int i;
  for (i = 0; i < count; ++i)
    MPI_Isend(pattern, size, MPI_BYTE, other, tag, MPI_COMM_WORLD, &requests[i]);
  MPI_Waitall(count, requests, statuses);
  free(requests);
  free(statuses);
  report(1, count, 0, 0);
}

static void echo(int tag, int size) {
  MPI_Status status;
  MPI_Recv(buffer, size, MPI_BYTE, other, tag, MPI_COMM_WORLD, &status);
  MPI_Send(buffer, size, MPI_BYTE, other, tag, MPI_COMM_WORLD);
}

static void obey(const int* order) {
  const int tag = order[1];
  MPI_Status status;
  switch (order[0]) {
    case ECHO:
      echo(tag, order[2]);
      break;
    case SEND:
      MPI_Send(pattern, order[2], MPI_BYTE, other, tag, MPI_COMM_WORLD);
      break;
    case SSEND:
      MPI_Ssend(pattern, order[2], MPI_BYTE, other, tag, MPI_COMM_WORLD);
      MPI_Send(pattern, 0, MPI_BYTE, other, tag + 1, MPI_COMM_WORLD);
      break;
    case RECV:
      MPI_Recv(buffer, order[2], MPI_BYTE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
      report_status(&status);
      break;
    case CANCEL:
      try_to_cancel(tag, order[2]);
      break;
    case PROBE:
      MPI_Probe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
      report_status(&status);
      break;
    case BURST:
      burst(tag, order[2], order[3]);
      break;
    case BARRIER:
      MPI_Barrier(MPI_COMM_WORLD);
      break;
    default:
      MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char** argv) {
  int order[4] = {EXIT, 0, 0, 0};
  int i, rank;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  for (i = 0; i < MOST; ++i) pattern[i] = (unsigned char)(i % 251);
  while (1) {
    MPI_Recv(order, 4, MPI_INT, other, ORDER_TAG, MPI_COMM_WORLD, &status);
    if (order[0] == EXIT) break;
    obey(order);
  }
  MPI_Finalize();
  return 0;
}
