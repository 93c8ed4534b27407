/* SPDX-License-Identifier: BSD-3-Clause */
/* Point-to-point messages among all ranks of all systems: order, wildcards, probes, modes,
 * cancelling. */
#include "check.h"

enum { kMany = 100, kLong = 70000 };

/* All sizes around the limit of a packet, each rank to its neighbour: req impi 6.3. */
static void ring(void) {
  static const int lengths[] = {0, 1, 7, 16384, 40000, 65535, 65536, 65537, kLong};
  const int to = (me + 1) % size, from = (me + size - 1) % size;
  for (unsigned k = 0; k < sizeof lengths / sizeof lengths[0]; ++k) {
    const int n = lengths[k];
    int* out = malloc(sizeof(int) * (size_t)(n + 1));
    int* in = calloc((size_t)n + 1, sizeof(int));
    MPI_Status status;
    int count = -1;
    for (int i = 0; i < n; ++i) out[i] = me * 1000003 + i;
    MPI_Sendrecv(out, n, MPI_INT, to, 5, in, n + 1, MPI_INT, from, 5, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == n && status.MPI_SOURCE == from && status.MPI_TAG == 5);
    for (int i = 0; i < n; ++i) CHECK(in[i] == from * 1000003 + i);
    free(out);
    free(in);
  }
}

/* Everybody sends numbered messages to rank 0, which takes them from anybody: each sender's in
 * order: req impi 6.8. */
static void any_source(void) {
  if (me == 0) {
    int* next = calloc((size_t)size, sizeof(int));
    for (int i = 0; i < kMany * (size - 1); ++i) {
      int value[2];
      MPI_Status status;
      MPI_Recv(value, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      CHECK(value[0] == status.MPI_SOURCE && status.MPI_TAG == value[0]);
      CHECK(value[1] == next[value[0]]++);
    }
    free(next);
  } else {
    for (int i = 0; i < kMany; ++i) {
      int value[2] = {me, i};
      MPI_Send(value, 2, MPI_INT, 0, me, MPI_COMM_WORLD);
    }
  }
}

/* Receives posted beforehand, wild and named in turn, match in the order posted: req impi 6.9. */
static void posted_order(void) {
  const int last = size - 1;
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) {
    MPI_Request requests[6];
    MPI_Status statuses[6];
    int values[6];
    for (int i = 0; i < 6; ++i)
      MPI_Irecv(&values[i], 1, MPI_INT, i % 2 == 0 ? MPI_ANY_SOURCE : last, 9, MPI_COMM_WORLD,
                &requests[i]);
    MPI_Send(NULL, 0, MPI_INT, last, 10, MPI_COMM_WORLD);
    MPI_Waitall(6, requests, statuses);
    for (int i = 0; i < 6; ++i) CHECK(values[i] == i && statuses[i].MPI_SOURCE == last);
  } else if (me == last) {
    MPI_Recv(NULL, 0, MPI_INT, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 6; ++i) MPI_Send(&i, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
  }
}

/* Wild receives that are posted first, then messages of all: none is lost, none comes twice. */
static void posted_wild(void) {
  if (me == 0) {
    MPI_Request* requests = malloc(sizeof(MPI_Request) * (size_t)size);
    int* values = malloc(sizeof(int) * (size_t)size);
    int sum = 0;
    for (int i = 1; i < size; ++i)
      MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 12, MPI_COMM_WORLD, &requests[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Waitall(size - 1, requests + 1, MPI_STATUSES_IGNORE);
    for (int i = 1; i < size; ++i) sum += values[i];
    CHECK(sum == size * (size - 1) / 2);
    free(requests);
    free(values);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&me, 1, MPI_INT, 0, 12, MPI_COMM_WORLD);
  }
}

static void probes(void) {
  const int last = size - 1;
  MPI_Status status;
  if (me == last) {
    double data[3] = {1.5, -2.5, 1e300};
    MPI_Send(data, 3, MPI_DOUBLE, 0, 20, MPI_COMM_WORLD);
    MPI_Ssend(data, 2, MPI_DOUBLE, 0, 21, MPI_COMM_WORLD);
  } else if (me == 0) {
    double data[3] = {0};
    int count = 0, flag = 0;
    MPI_Message message;
    MPI_Probe(last, 20, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    CHECK(count == 3 && status.MPI_SOURCE == last);
    MPI_Recv(data, 3, MPI_DOUBLE, last, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(data[0] == 1.5 && data[1] == -2.5 && data[2] == 1e300);
    while (!flag) MPI_Improbe(MPI_ANY_SOURCE, 21, MPI_COMM_WORLD, &flag, &message, &status);
    MPI_Mrecv(data, 3, MPI_DOUBLE, &message, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    CHECK(count == 2 && status.MPI_TAG == 21);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
    CHECK(!flag);
  }
}

/* What a probe counts is elements of the receiver, though MPI_LONG has 4 bytes on the way, and a
 * message may end within a pair: req impi 22.7. */
static void counts_of_probes(void) {
  const int last = size - 1;
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {0, sizeof(long)};
  const MPI_Datatype types[2] = {MPI_LONG, MPI_DOUBLE};
  MPI_Datatype pair;
  long data[8] = {0};
  MPI_Type_create_struct(2, lengths, places, types, &pair);
  MPI_Type_commit(&pair);
  MPI_Barrier(MPI_COMM_WORLD); /* rank 0 has looked for messages that are not there */
  if (me == last) {
    MPI_Send(data, 5, MPI_LONG, 0, 22, MPI_COMM_WORLD);
    MPI_Send(data, 2, pair, 0, 23, MPI_COMM_WORLD);
    MPI_Send(data, 1, MPI_LONG, 0, 24, MPI_COMM_WORLD);
    MPI_Send(data, 3, MPI_SHORT, 0, 25, MPI_COMM_WORLD);
  } else if (me == 0) {
    int count = 0, elements = 0;
    MPI_Message message;
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, 22, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_LONG, &count);
    CHECK(count == 5);
    MPI_Recv(data, count, MPI_LONG, last, 22, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Mprobe(last, 23, MPI_COMM_WORLD, &message, &status);
    MPI_Get_count(&status, pair, &count);
    MPI_Get_elements(&status, pair, &elements);
    CHECK(count == 2 && elements == 4);
    MPI_Mrecv(data, 2, pair, &message, MPI_STATUS_IGNORE);
    MPI_Probe(last, 24, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, pair, &count);
    MPI_Get_elements(&status, pair, &elements);
    CHECK(count == MPI_UNDEFINED && elements == 1);
    MPI_Recv(data, 1, pair, last, 24, MPI_COMM_WORLD, &status);
    MPI_Get_elements(&status, pair, &elements);
    CHECK(elements == 1);
    MPI_Probe(last, 25, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_LONG, &count);
    CHECK(count == MPI_UNDEFINED);
    MPI_Get_count(&status, MPI_BYTE, &count);
    CHECK(count == 6);
    MPI_Recv(data, 3, MPI_SHORT, last, 25, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&pair);
}

/* A synchronous send has not ended before it was received; an unwanted one can be cancelled:
 * req impi 6.2, req impi 6.5. */
static void modes(void) {
  const int last = size - 1;
  static char large[300000];
  MPI_Request request;
  MPI_Status status;
  int flag = 1, cancelled = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == last) {
    MPI_Issend(&me, 1, MPI_INT, 0, 30, MPI_COMM_WORLD, &request);
    MPI_Test(&request, &flag, &status);
    CHECK(!flag);
    MPI_Send(NULL, 0, MPI_INT, 0, 31, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    MPI_Issend(large, (int)sizeof large, MPI_BYTE, 0, 32, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(cancelled);
    MPI_Issend(&me, 1, MPI_INT, 0, 33, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(cancelled);
    MPI_Send(NULL, 0, MPI_INT, 0, 34, MPI_COMM_WORLD);
  } else if (me == 0) {
    int value = -1;
    MPI_Recv(NULL, 0, MPI_INT, last, 31, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, last, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(value == last);
    MPI_Recv(NULL, 0, MPI_INT, last, 34, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
    CHECK(!flag);
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 35, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(cancelled);
  }
}

/* Far more messages than may be unacknowledged, before the first is received. */
static void throttled(void) {
  const int last = size - 1;
  MPI_Request requests[kMany];
  int values[kMany];
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == last) {
    for (int i = 0; i < kMany; ++i) {
      values[i] = i;
      MPI_Isend(&values[i], 1, MPI_INT, 0, 40, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Send(NULL, 0, MPI_INT, 0, 41, MPI_COMM_WORLD);
    MPI_Waitall(kMany, requests, MPI_STATUSES_IGNORE);
  } else if (me == 0) {
    MPI_Recv(NULL, 0, MPI_INT, last, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < kMany; ++i) {
      int value = -1;
      MPI_Recv(&value, 1, MPI_INT, last, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(value == i);
    }
  }
}

/* Types that are not contiguous, values that external32 cuts, buffers that are too short:
 * req impi 22.2, req impi 22.3, req impi 22.4 */
static void data(void) {
  const int last = size - 1;
  MPI_Datatype every_other;
  MPI_Type_vector(3, 1, 2, MPI_SHORT, &every_other);
  MPI_Type_commit(&every_other);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (me == last) {
    short shorts[5] = {1, 99, -2, 99, 3};
    long fits = -2147483647L, cut = 1L << 40;
    int code = MPI_SUCCESS, class = 0;
    MPI_Send(shorts, 1, every_other, 0, 50, MPI_COMM_WORLD);
    MPI_Send(&fits, 1, MPI_LONG, 0, 51, MPI_COMM_WORLD);
    code = MPI_Send(&cut, 1, MPI_LONG, 0, 52, MPI_COMM_WORLD);
    MPI_Error_class(code, &class);
    CHECK(class == MPI_ERR_TYPE);
    MPI_Send(shorts, 5, MPI_SHORT, 0, 53, MPI_COMM_WORLD);
  } else if (me == 0) {
    short shorts[5] = {0};
    long value = 0;
    int count = 0, class = 0;
    MPI_Status status;
    MPI_Recv(shorts, 3, MPI_SHORT, last, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(shorts[0] == 1 && shorts[1] == -2 && shorts[2] == 3);
    MPI_Recv(&value, 1, MPI_LONG, last, 51, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_LONG, &count);
    CHECK(value == -2147483647L && count == 1);
    MPI_Error_class(MPI_Recv(shorts, 2, MPI_SHORT, last, 53, MPI_COMM_WORLD, &status), &class);
    CHECK(class == MPI_ERR_TRUNCATE && shorts[0] == 1 && shorts[1] == 99 && shorts[2] == 3);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Type_free(&every_other);
}

static void persistent(void) {
  const int to = (me + 1) % size, from = (me + size - 1) % size;
  int out = 0, in = 0;
  MPI_Request requests[2];
  MPI_Send_init(&out, 1, MPI_INT, to, 60, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&in, 1, MPI_INT, size > 2 ? MPI_ANY_SOURCE : from, 60, MPI_COMM_WORLD,
                &requests[1]);
  for (int i = 0; i < 5; ++i) {
    out = me * 10 + i;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(in == from * 10 + i);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  ring();
  any_source();
  posted_order();
  posted_wild();
  probes();
  counts_of_probes();
  modes();
  throttled();
  data();
  persistent();
  end("p2p");
  return 0;
}
