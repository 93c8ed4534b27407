/* SPDX-License-Identifier: BSD-3-Clause
   MPI-IO: data access, its counts at the end of the file, nonblocking and split forms, atomic mode.
 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "case.h"
#include "scratch.h"

/* Ten bytes are in the file, a hundred are asked for from the fifth on: each form counts five. */
static void counts_at_the_end(MPI_Comm comm) {
  MPI_File file = scratch_file(comm, "counts");
  char data[10] = "012345678", in[100];
  MPI_Status status;
  MPI_Request request;
  if (rank_in(comm) == 0) MPI_File_write_at(file, 0, data, 10, MPI_BYTE, &status);
  MPI_File_sync(file);
  MPI_Barrier(comm);
#define CHECK_FIVE(call)                         \
  do {                                           \
    memset(in, 'z', sizeof in);                  \
    CHECK_EQUAL(call, MPI_SUCCESS);              \
    CHECK_EQUAL(count_of(&status, MPI_BYTE), 5); \
    CHECK(memcmp(in, "5678", 5) == 0);           \
    CHECK(in[5] == 'z' && in[99] == 'z');        \
  } while (0)
  CHECK_FIVE(MPI_File_read_at(file, 5, in, 100, MPI_BYTE, &status));
  CHECK_FIVE(MPI_File_read_at_all(file, 5, in, 100, MPI_BYTE, &status));
  CHECK_FIVE(
      (MPI_File_iread_at(file, 5, in, 100, MPI_BYTE, &request), MPI_Wait(&request, &status)));
  CHECK_FIVE(
      (MPI_File_iread_at_all(file, 5, in, 100, MPI_BYTE, &request), MPI_Wait(&request, &status)));
  MPI_File_seek(file, 5, MPI_SEEK_SET);
  CHECK_FIVE(MPI_File_read(file, in, 100, MPI_BYTE, &status));
  MPI_Offset position = 0;
  MPI_File_get_position(file, &position);
  CHECK_EQUAL(position, 105);
  MPI_File_seek(file, 5, MPI_SEEK_SET);
  CHECK_FIVE(MPI_File_read_all(file, in, 100, MPI_BYTE, &status));
  CHECK_FIVE((MPI_File_read_at_all_begin(file, 5, in, 100, MPI_BYTE),
              MPI_File_read_at_all_end(file, in, &status)));
  CHECK_EQUAL(MPI_File_read_at(file, 50, in, 100, MPI_BYTE, &status), MPI_SUCCESS);
  CHECK_EQUAL(count_of(&status, MPI_BYTE), 0);
  MPI_Datatype type;
  MPI_Type_vector(2, 4, 8, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_File_set_view(file, 0, MPI_BYTE, type, "native", MPI_INFO_NULL);
  CHECK_EQUAL(MPI_File_read_at(file, 0, in, 100, MPI_BYTE, &status), MPI_SUCCESS);
  CHECK_EQUAL(count_of(&status, MPI_BYTE), 6);
  CHECK_EQUAL(MPI_File_read_at_all(file, 0, in, 100, MPI_BYTE, &status), MPI_SUCCESS);
  CHECK_EQUAL(count_of(&status, MPI_BYTE), 6);
  MPI_Type_free(&type);
  MPI_File_close(&file);
}

static void wrong_arguments(MPI_Comm comm) {
  MPI_File file = scratch_file(comm, "arguments");
  char data[4] = "abc";
  MPI_Status status;
  CHECK_CLASS(MPI_File_write_at(file, -1, data, 4, MPI_BYTE, &status), MPI_ERR_ARG);
  CHECK_CLASS(MPI_File_write_at(file, 0, data, -4, MPI_BYTE, &status), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_File_write_at(file, 0, data, 4, MPI_DATATYPE_NULL, &status), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_File_write_at(file, 0, NULL, 4, MPI_BYTE, &status), MPI_ERR_BUFFER);
  CHECK_EQUAL(MPI_File_write_at(file, 0, NULL, 0, MPI_BYTE, MPI_STATUS_IGNORE), MPI_SUCCESS);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  CHECK_CLASS(MPI_File_write_at(file, 0, data, 3, MPI_BYTE, &status), MPI_ERR_ARG);
  CHECK_CLASS(MPI_File_read_at(file, 0, data, 3, MPI_BYTE, &status), MPI_ERR_ARG);
  /* One process is wrong: the others still get their data. */
  const int count = rank_in(comm) == 0 ? -1 : 1;
  const int code = MPI_File_write_at_all(file, rank_in(comm), data, 4 * count, MPI_BYTE, &status);
  CHECK_CLASS(code, rank_in(comm) == 0 ? MPI_ERR_COUNT : MPI_SUCCESS);
  MPI_File_close(&file);
}

static void splits(MPI_Comm comm) {
  MPI_File file = scratch_file(comm, "splits");
  char data[4] = "abc", other[4];
  MPI_Status status;
  CHECK_CLASS(MPI_File_write_all_end(file, data, &status), MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK_EQUAL(MPI_File_write_at_all_begin(file, 4 * rank_in(comm), data, 4, MPI_BYTE), MPI_SUCCESS);
  CHECK_CLASS(MPI_File_write_at_all_begin(file, 0, data, 4, MPI_BYTE),
              MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK_CLASS(MPI_File_write_all(file, data, 4, MPI_BYTE, &status), MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK_CLASS(MPI_File_write_all_end(file, data, &status), MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK_CLASS(MPI_File_write_at_all_end(file, other, &status), MPI_ERR_BUFFER);
  CHECK_EQUAL(MPI_File_write_at_all_end(file, data, &status), MPI_SUCCESS);
  CHECK_EQUAL(count_of(&status, MPI_BYTE), 4);
  MPI_File_close(&file);
}

static void many_in_flight(MPI_Comm comm) {
  enum { N = 2000 };
  static int out[N], in[N];
  static MPI_Request requests[N + 1];
  static MPI_Status statuses[N + 1];
  MPI_File file = scratch_file(comm, "flight");
  const int rank = rank_in(comm);
  int token = 0;
  for (int i = 0; i < N; ++i) {
    out[i] = rank * N + i;
    MPI_File_iwrite_at(file, (MPI_Offset)sizeof(int) * out[i], &out[i], 1, MPI_INT, &requests[i]);
  }
  MPI_Irecv(&token, 1, MPI_INT, rank, 9, comm, &requests[N]);
  MPI_Send(&rank, 1, MPI_INT, rank, 9, comm);
  CHECK_EQUAL(MPI_Waitall(N + 1, requests, statuses), MPI_SUCCESS);
  for (int i = 0; i < N; ++i) CHECK_EQUAL(count_of(&statuses[i], MPI_INT), 1);
  CHECK_EQUAL(
      MPI_File_read_at(file, (MPI_Offset)sizeof(int) * rank * N, in, N, MPI_INT, MPI_STATUS_IGNORE),
      MPI_SUCCESS);
  CHECK(memcmp(in, out, sizeof in) == 0);
  MPI_File_close(&file);
}

/* Interleaved records of three bytes next to a neighbour's, no synchronization: all of them are
   there. */
static void neighbours(MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm);
  MPI_Info info;
  MPI_Info_create(&info);
  for (int way = 0; way < 3; ++way) {
    enum { N = 500 };
    static char out[3 * N], in[3 * N];
    MPI_File file = scratch_file(comm, "neighbours");
    MPI_Datatype record, type;
    MPI_Info_set(info, "romio_cb_write", way == 0 ? "disable" : way == 1 ? "enable" : "automatic");
    MPI_Info_set(info, "cb_buffer_size", "4096");
    MPI_Type_contiguous(3, MPI_BYTE, &record);
    MPI_Type_create_resized(record, 0, 3 * size, &type);
    MPI_Type_commit(&type);
    MPI_File_set_view(file, 3 * rank, MPI_BYTE, type, "native", info);
    for (int round = 0; round < 10; ++round) {
      memset(out, 'a' + rank + round, sizeof out);
      CHECK_EQUAL(MPI_File_write_at_all(file, 0, out, 3 * N, MPI_BYTE, MPI_STATUS_IGNORE),
                  MPI_SUCCESS);
      CHECK_EQUAL(MPI_File_read_at_all(file, 0, in, 3 * N, MPI_BYTE, MPI_STATUS_IGNORE),
                  MPI_SUCCESS);
      CHECK(memcmp(in, out, sizeof in) == 0);
    }
    MPI_Type_free(&record);
    MPI_Type_free(&type);
    MPI_File_close(&file);
  }
  MPI_Info_free(&info);
}

/* A writer changes all of a strided view, the others read it: all old or all new. */
static void atomic_mode(MPI_Comm comm) {
  enum { N = 1000 };
  static int data[N];
  MPI_File file = scratch_file(comm, "atomic");
  MPI_Datatype type;
  int flag = 0;
  MPI_Type_create_resized(MPI_INT, 0, 8, &type);
  MPI_Type_commit(&type);
  CHECK_EQUAL(MPI_File_set_atomicity(file, 1), MPI_SUCCESS);
  MPI_File_get_atomicity(file, &flag);
  CHECK_EQUAL(flag, 1);
  MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL);
  memset(data, 0, sizeof data);
  if (rank_in(comm) == 0) MPI_File_write_at(file, 0, data, N, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Barrier(comm);
  for (int round = 1; round < 20; ++round) {
    if (rank_in(comm) == 0) {
      for (int i = 0; i < N; ++i) data[i] = round;
      CHECK_EQUAL(MPI_File_write_at(file, 0, data, N, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    } else {
      CHECK_EQUAL(MPI_File_read_at(file, 0, data, N, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
      for (int i = 1; i < N; ++i) CHECK_EQUAL(data[i], data[0]);
    }
  }
  MPI_Type_free(&type);
  MPI_File_close(&file);
}

static void tick(int signal_number) {
  (void)signal_number;
}

/* Signals a thousand times a second, without SA_RESTART, break no access. */
static void interruptions(MPI_Comm comm) {
  const size_t bytes = 32 << 20;
  char* data = malloc(bytes);
  MPI_File file = scratch_file(comm, "interruptions");
  MPI_Status status;
  struct sigaction action = {0}, before;
  struct itimerval timer = {{0, 1000}, {0, 1000}}, off = {{0, 0}, {0, 0}};
  memset(data, 'x', bytes);
  action.sa_handler = tick;
  sigaction(SIGALRM, &action, &before);
  setitimer(ITIMER_REAL, &timer, NULL);
  const MPI_Offset mine = (MPI_Offset)bytes * rank_in(comm);
  CHECK_EQUAL(MPI_File_write_at(file, mine, data, (int)bytes, MPI_BYTE, &status), MPI_SUCCESS);
  CHECK_EQUAL(count_of(&status, MPI_BYTE), (int)bytes);
  CHECK_EQUAL(MPI_File_read_at(file, mine, data, (int)bytes, MPI_BYTE, &status), MPI_SUCCESS);
  CHECK_EQUAL(count_of(&status, MPI_BYTE), (int)bytes);
  setitimer(ITIMER_REAL, &off, NULL);
  sigaction(SIGALRM, &before, NULL);
  free(data);
  MPI_File_close(&file);
}

/* The file may not grow beyond a limit: a short write is an error that says how much there is. */
static void limits(MPI_Comm comm) {
  static char data[8192];
  struct rlimit old, limit;
  MPI_File file = scratch_file(comm, "limits");
  MPI_Request request;
  MPI_Status status;
  char text[MPI_MAX_ERROR_STRING];
  int length;
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &old);
  limit = old;
  limit.rlim_cur = 1 << 20;
  setrlimit(RLIMIT_FSIZE, &limit);
  const MPI_Offset last = (1 << 20) - 1000;
  int code = MPI_File_write_at(file, last, data, 8192, MPI_BYTE, &status);
  CHECK_CLASS(code, MPI_ERR_NO_SPACE);
  CHECK_EQUAL(count_of(&status, MPI_BYTE), 1000);
  MPI_Error_string(code, text, &length);
  CHECK(strstr(text, "limits") != NULL && strstr(text, "File too large") != NULL);
  code = MPI_File_iwrite_at(file, last, data, 8192, MPI_BYTE, &request);
  CHECK_EQUAL(code, MPI_SUCCESS);
  CHECK_CLASS(MPI_Wait(&request, &status), MPI_ERR_NO_SPACE);
  CHECK_CLASS(MPI_File_write_at_all(file, last, data, 8192, MPI_BYTE, &status), MPI_ERR_NO_SPACE);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "romio_cb_write", "enable");
  MPI_File_set_info(file, info);
  MPI_Info_free(&info);
  /* Only the last process's data lie beyond the limit: all hear of it. */
  const int after_me = size_of(comm) - 1 - rank_in(comm);
  code = MPI_File_write_at_all(file, last - 8192 * after_me, data, 8192, MPI_BYTE, &status);
  CHECK_CLASS(code, MPI_ERR_NO_SPACE);
  setrlimit(RLIMIT_FSIZE, &old);
  CHECK_EQUAL(MPI_File_write_at(file, 0, data, 10, MPI_BYTE, &status), MPI_SUCCESS);
  MPI_File_close(&file);
}

static const Case cases[] = {
    {"req io 7.99, req io 7.100, req io 7.101, req io 7.102, req io 7.103, req io 6.85, "
     "req io 6.86, req io 7.115",
     "counts at the end of the file", ANY, counts_at_the_end},
    {"req io 6.84, req io 6.87, req io 7.98, req io 11.173", "wrong arguments are named", ANY,
     wrong_arguments},
    {"req io 7.121, req io 7.122, req io 7.124, req io 7.125", "split operations", ANY, splits},
    {"req io 7.115, req io 7.116", "thousands of accesses in flight", ANY, many_in_flight},
    {"req io 7.97, req io 8.130, req io 8.132, req io 4.54", "bytes of neighbours stay", ANY,
     neighbours},
    {"req io 8.128, req io 8.129, req io 8.142", "atomic mode", ANY, atomic_mode},
    {"req io 7.104, req io 7.105", "interruptions", ANY, interruptions},
    {"req io 7.106, req io 7.118, req io 11.173, req io 11.175, req io 11.176, req io 11.177, "
     "req io 11.178",
     "a limit of sizes", ANY, limits},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
