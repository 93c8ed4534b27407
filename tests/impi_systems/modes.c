/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffered, ready and persistent messages, exchanges in place, packed data, and requests that are
 * waited for together, between the first and the last rank of all systems. */
#include "check.h"

enum { kCount = 1000, kGo = 1, kData = 2 };

static int last;

static int value_of(int i) {
  return i * 65537 + 3;
}

static void fill(int* data) {
  for (int i = 0; i < kCount; ++i) data[i] = value_of(i);
}

static void check(const int* data) {
  for (int i = 0; i < kCount; ++i) CHECK(data[i] == value_of(i));
}

/* Data that is set aside goes in the form that the other system expects: req impi 22.6. */
static void buffered(void) {
  int data[kCount], bytes = 0;
  char* room;
  if (me == last) {
    MPI_Request request;
    MPI_Pack_size(3 * kCount, MPI_INT, MPI_COMM_WORLD, &bytes);
    bytes += 3 * MPI_BSEND_OVERHEAD;
    room = malloc((size_t)bytes);
    MPI_Buffer_attach(room, bytes);
    fill(data);
    MPI_Bsend(data, kCount, MPI_INT, 0, kData, MPI_COMM_WORLD);
    MPI_Ibsend(data, kCount, MPI_INT, 0, kData, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Bsend_init(data, kCount, MPI_INT, 0, kData, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    memset(data, 0, sizeof data); /* all three have been copied */
    MPI_Send(NULL, 0, MPI_INT, 0, kGo, MPI_COMM_WORLD);
    MPI_Buffer_detach(&room, &bytes);
    free(room);
  } else if (me == 0) {
    MPI_Recv(NULL, 0, MPI_INT, last, kGo, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int k = 0; k < 3; ++k) {
      memset(data, 0, sizeof data);
      MPI_Recv(data, kCount, MPI_INT, last, kData, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      check(data);
    }
  }
}

static void ready(void) {
  int data[3][kCount];
  MPI_Request requests[3];
  if (me == 0) {
    for (int k = 0; k < 3; ++k)
      MPI_Irecv(data[k], kCount, MPI_INT, last, kData, MPI_COMM_WORLD, &requests[k]);
    MPI_Send(NULL, 0, MPI_INT, last, kGo, MPI_COMM_WORLD);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    for (int k = 0; k < 3; ++k) check(data[k]);
  } else if (me == last) {
    fill(data[0]);
    MPI_Rsend_init(data[0], kCount, MPI_INT, 0, kData, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv(NULL, 0, MPI_INT, 0, kGo, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Rsend(data[0], kCount, MPI_INT, 0, kData, MPI_COMM_WORLD);
    MPI_Irsend(data[0], kCount, MPI_INT, 0, kData, MPI_COMM_WORLD, &requests[1]);
    MPI_Start(&requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
  }
}

/* req impi 22.6 */
static void replaced(void) {
  const int other = me == 0 ? last : 0;
  int data[kCount];
  MPI_Status status;
  MPI_Request request;
  if (me != 0 && me != last) return;
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < kCount; ++i) data[i] = me * kCount + i;
    if (k == 0) {
      MPI_Sendrecv_replace(data, kCount, MPI_INT, other, kData, other, kData, MPI_COMM_WORLD,
                           &status);
    } else {
      MPI_Isendrecv_replace(data, kCount, MPI_INT, other, kData, other, kData, MPI_COMM_WORLD,
                            &request);
      MPI_Wait(&request, &status);
    }
    for (int i = 0; i < kCount; ++i) CHECK(data[i] == other * kCount + i);
    CHECK(status.MPI_SOURCE == other);
  }
}

/* Between systems packed data is external32, and sizes are exact: req impi 22.5. */
static void packed(void) {
  char bytes[100];
  int position = 0, size_of = 0, number = 0x01020304;
  double real = -2.5;
  if (me == last) {
    MPI_Pack(&number, 1, MPI_INT, bytes, sizeof bytes, &position, MPI_COMM_WORLD);
    MPI_Pack(&real, 1, MPI_DOUBLE, bytes, sizeof bytes, &position, MPI_COMM_WORLD);
    CHECK(position == 12);
    CHECK(systems == 1 || (bytes[0] == 1 && bytes[3] == 4 && bytes[4] == (char)0xc0));
    MPI_Send(bytes, position, MPI_PACKED, 0, kData, MPI_COMM_WORLD);
    MPI_Send(bytes, 4, MPI_PACKED, 0, kData, MPI_COMM_WORLD); /* received as the type that it is */
    MPI_Send(&number, 1, MPI_INT, 0, kData, MPI_COMM_WORLD);  /* received as packed data */
  } else if (me == 0) {
    int seen = 0, count = 0;
    double seen_real = 0;
    MPI_Status status;
    MPI_Recv(bytes, sizeof bytes, MPI_PACKED, last, kData, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_PACKED, &count);
    CHECK(count == 12);
    MPI_Unpack(bytes, count, &position, &seen, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(bytes, count, &position, &seen_real, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    CHECK(position == 12 && seen == number && seen_real == real);
    MPI_Recv(&seen, 1, MPI_INT, last, kData, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(seen == number);
    MPI_Recv(bytes, 4, MPI_PACKED, last, kData, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    position = seen = 0;
    MPI_Unpack(bytes, 4, &position, &seen, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(seen == number);
  }
  MPI_Pack_size(5, MPI_LONG, MPI_COMM_WORLD, &size_of);
  CHECK(size_of == (systems == 1 ? 5 * (int)sizeof(long) : 20));
  MPI_Pack_size(5, MPI_LONG, MPI_COMM_SELF, &size_of);
  CHECK(size_of == 5 * (int)sizeof(long));
}

/* A value that external32 would cut is an error of MPI_Pack too: req impi 22.3. */
static void cut(void) {
  const long large = 1L << 40;
  char bytes[8];
  int position = 0, class = 0;
  if (systems == 1) return;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Error_class(MPI_Pack(&large, 1, MPI_LONG, bytes, sizeof bytes, &position, MPI_COMM_WORLD),
                  &class);
  CHECK(class == MPI_ERR_TYPE && position == 0);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* Whatever comes first is taken first; a send whose request is given up arrives. */
static void together(void) {
  if (me == last) {
    MPI_Request request;
    static int values[4] = {0, 10, 20, 30};
    for (int k = 0; k < 4; ++k) {
      MPI_Isend(&values[k], 1, MPI_INT, 0, 50 + k, MPI_COMM_WORLD, &request);
      MPI_Request_free(&request);
    }
  } else if (me == 0) {
    MPI_Request requests[4];
    int values[4], found = 0, indices[4], sum = 0;
    for (int k = 0; k < 4; ++k)
      MPI_Irecv(&values[k], 1, MPI_INT, k % 2 == 0 ? last : MPI_ANY_SOURCE, 50 + k, MPI_COMM_WORLD,
                &requests[k]);
    MPI_Waitany(4, requests, &found, MPI_STATUS_IGNORE);
    CHECK(values[found] == 10 * found && requests[found] == MPI_REQUEST_NULL);
    sum = found;
    while (sum < 6) {
      MPI_Waitsome(4, requests, &found, indices, MPI_STATUSES_IGNORE);
      for (int k = 0; k < found; ++k) {
        CHECK(values[indices[k]] == 10 * indices[k]);
        sum += indices[k];
      }
      if (found == MPI_UNDEFINED) break;
    }
    CHECK(sum == 6);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Send(&me, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  last = size - 1;
  buffered();
  ready();
  replaced();
  packed();
  cut();
  together();
  end("modes");
  return 0;
}
