/* SPDX-License-Identifier: BSD-3-Clause */
/* What survivors see when a process of their job dies: survive CASE BYTES VICTIM when
 *
 * All ranks repeat CASE until the victim is dead. It dies at the beginning of a round (`absent`),
 * or whenever a thread of it kills it (`during`), which may be inside of anything. Every survivor
 * must get MPI_ERR_PROC_ABORTED from the case, says so, and ends in order. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "survive.h"

int rank, size, victim, bytes;
char *out, *in;
static int counts[64], starts[64];
static MPI_Datatype types[64];
static MPI_Comm ring = MPI_COMM_NULL; /* also when the victim dies before all have it */

int send_recv(void) {
  if (rank != victim) {
    int code = MPI_Send(out, bytes, MPI_BYTE, victim, 1, MPI_COMM_WORLD);
    return code ? code
                : MPI_Recv(in, bytes, MPI_BYTE, victim, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < size; ++i) {
    if (i == rank) continue;
    MPI_Recv(in, bytes, MPI_BYTE, i, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, bytes, MPI_BYTE, i, 2, MPI_COMM_WORLD);
  }
  return MPI_SUCCESS;
}

static int from_victim(void) {
  if (rank != victim)
    return MPI_Recv(in, bytes, MPI_BYTE, victim, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < size; ++i)
    if (i != rank) MPI_Send(out, bytes, MPI_BYTE, i, 3, MPI_COMM_WORLD);
  return MPI_SUCCESS;
}

static int to_victim(void) {
  if (rank != victim) return MPI_Send(out, bytes, MPI_BYTE, victim, 3, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i)
    if (i != rank) MPI_Recv(in, bytes, MPI_BYTE, i, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return MPI_SUCCESS;
}

static int probe(void) {
  if (rank == victim) return from_victim();
  int code = MPI_Probe(victim, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return code ? code : from_victim();
}

static int iprobe(void) {
  if (rank == victim) return from_victim();
  for (int flag = 0; !flag;) {
    int code = MPI_Iprobe(victim, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (code) return code;
  }
  return from_victim();
}

static int any_source(void) {
  if (rank == victim) return from_victim();
  return MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int wait_any(void) {
  if (rank == victim) return from_victim();
  MPI_Request requests[2];
  int which;
  MPI_Irecv(in, bytes, MPI_BYTE, victim, 3, MPI_COMM_WORLD, &requests[0]);
  requests[1] = MPI_REQUEST_NULL;
  return MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE);
}

static int test_all(void) {
  if (rank == victim) return from_victim();
  MPI_Request request;
  MPI_Irecv(in, bytes, MPI_BYTE, victim, 3, MPI_COMM_WORLD, &request);
  for (int flag = 0;;) {
    int code = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    if (code || flag) return code;
  }
}

static int each(void) {
  return bytes / size;
}
int barrier(void) {
  return MPI_Barrier(MPI_COMM_WORLD);
}
static int bcast(void) {
  return MPI_Bcast(out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static int reduce(void) {
  return MPI_Reduce(out, in, bytes / 8, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
}
static int allreduce(void) {
  return MPI_Allreduce(out, in, bytes / 8, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}
static int gather(void) {
  return MPI_Gather(out, each(), MPI_BYTE, in, each(), MPI_BYTE, 0, MPI_COMM_WORLD);
}
static int scatter(void) {
  return MPI_Scatter(out, each(), MPI_BYTE, in, each(), MPI_BYTE, 0, MPI_COMM_WORLD);
}
static int allgather(void) {
  return MPI_Allgather(out, each(), MPI_BYTE, in, each(), MPI_BYTE, MPI_COMM_WORLD);
}
static int alltoall(void) {
  return MPI_Alltoall(out, each(), MPI_BYTE, in, each(), MPI_BYTE, MPI_COMM_WORLD);
}
static int gatherv(void) {
  return MPI_Gatherv(out, counts[rank], MPI_BYTE, in, counts, starts, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static int scatterv(void) {
  return MPI_Scatterv(out, counts, starts, MPI_BYTE, in, counts[rank], MPI_BYTE, 0, MPI_COMM_WORLD);
}
static int allgatherv(void) {
  return MPI_Allgatherv(out, counts[rank], MPI_BYTE, in, counts, starts, MPI_BYTE, MPI_COMM_WORLD);
}
static int alltoallv(void) {
  return MPI_Alltoallv(out, counts, starts, MPI_BYTE, in, counts, starts, MPI_BYTE, MPI_COMM_WORLD);
}
static int alltoallw(void) {
  return MPI_Alltoallw(out, counts, starts, types, in, counts, starts, types, MPI_COMM_WORLD);
}
static int reduce_scatter(void) {
  return MPI_Reduce_scatter_block(out, in, bytes / size / 8, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}
static int scan(void) {
  return MPI_Scan(out, in, bytes / 8, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}
static int exscan(void) {
  return MPI_Exscan(out, in, bytes / 8, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}
static int neighbours(void) {
  return MPI_Neighbor_alltoall(out, bytes / 2, MPI_BYTE, in, bytes / 2, MPI_BYTE, ring);
}
static int iallreduce(void) {
  MPI_Request request;
  int code = MPI_Iallreduce(out, in, bytes / 8, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
  return code ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
}
/* After the death, one survivor waits in a collective operation for another that never enters it.
 */
static int left_behind(void) {
  static int rounds;
  int late = victim == 0 ? 1 : 0, waiting = victim == 2 ? 1 : 2, code;
  MPI_Request request;
  if (rounds++ < kRounds || rank == waiting) {
    code = MPI_Ibcast(out, bytes, MPI_BYTE, late, MPI_COMM_WORLD, &request);
    if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS && rank == waiting)
      MPI_Send(NULL, 0, MPI_BYTE, late, 4, MPI_COMM_WORLD);
    return code;
  }
  code = MPI_Recv(NULL, 0, MPI_BYTE, waiting, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return code ? MPI_ERR_OTHER : from_victim();
}
static int duplicate(void) {
  MPI_Comm copy = MPI_COMM_NULL;
  int code = MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  if (code == MPI_SUCCESS) MPI_Comm_free(&copy);
  return code;
}
static int split(void) {
  MPI_Comm part = MPI_COMM_NULL;
  int code = MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
  if (code == MPI_SUCCESS) MPI_Comm_free(&part);
  return code;
}
static int nothing(void) {
  return MPI_ERR_PROC_ABORTED;
}

static const struct Case cases[] = {
    {"send_recv", send_recv},   {"from_victim", from_victim},
    {"to_victim", to_victim},   {"probe", probe},
    {"iprobe", iprobe},         {"any_source", any_source},
    {"wait_any", wait_any},     {"test", test_all},
    {"barrier", barrier},       {"bcast", bcast},
    {"reduce", reduce},         {"allreduce", allreduce},
    {"gather", gather},         {"scatter", scatter},
    {"allgather", allgather},   {"alltoall", alltoall},
    {"gatherv", gatherv},       {"scatterv", scatterv},
    {"allgatherv", allgatherv}, {"alltoallv", alltoallv},
    {"alltoallw", alltoallw},   {"scan", scan},
    {"exscan", exscan},         {"reduce_scatter", reduce_scatter},
    {"neighbours", neighbours}, {"iallreduce", iallreduce},
    {"dup", duplicate},         {"split", split},
    {"nothing", nothing},       {"left_behind", left_behind},
};

static const struct Case* find(const struct Case* list, size_t count, const char* name) {
  for (size_t i = 0; i < count; ++i)
    if (strcmp(list[i].name, name) == 0) return &list[i];
  return NULL;
}

static void* kill_soon(void* unused) {
  (void)unused;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  usleep((useconds_t)(now.tv_nsec / 1000 % 5000));
  kill(getpid(), SIGKILL);
  return NULL;
}

static int repeat(int (*run)(void), const char* when) {
  for (int round = 0;; ++round) {
    if (rank == victim && round == kRounds) {
      pthread_t killer;
      if (strcmp(when, "absent") == 0) raise(SIGKILL);
      pthread_create(&killer, NULL, kill_soon, NULL);
    }
    int code = run();
    if (code != MPI_SUCCESS) return code;
  }
}

/* The survivors make a communicator of their own and use it. */
static int go_on(void) {
  MPI_Group all, alive;
  MPI_Comm survivors = MPI_COMM_NULL;
  int sum = 0;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_excl(all, 1, &victim, &alive);
  int code = MPI_Comm_create_group(MPI_COMM_WORLD, alive, kTag, &survivors);
  if (code == MPI_SUCCESS) code = MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, survivors);
  if (code == MPI_SUCCESS) MPI_Comm_free(&survivors);
  MPI_Group_free(&all);
  MPI_Group_free(&alive);
  return code == MPI_SUCCESS && sum == size * (size - 1) / 2 - victim;
}

static void prepare(int complete, const char* name) {
  int periodic = 1;
  out = calloc(kMost + 64, 1);
  in = calloc(kMost + 64, 1);
  for (int i = 0; i < size; ++i)
    counts[i] = bytes / size, starts[i] = i * counts[i], types[i] = MPI_BYTE;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (!complete) return;
  prepare_for(name);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  if (ring != MPI_COMM_NULL) MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  bytes = atoi(argv[2]);
  victim = atoi(argv[3]);
  const char* me = getenv("TESSERA_RANK");
  if (strcmp(argv[4], "before_init") == 0 && me != NULL && atoi(me) == victim) raise(SIGKILL);
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  prepare(strcmp(argv[4], "before_init") != 0, argv[1]);
  int code = MPI_ERR_ARG;
  const struct Case* found = find(cases, sizeof cases / sizeof cases[0], argv[1]);
  if (found == NULL) found = find(later_cases, later_case_count, argv[1]);
  if (found != NULL) code = repeat(found->run, argv[4]);
  if (strcmp(argv[4], "finalize") == 0 && rank == victim) raise(SIGKILL);
  char text[MPI_MAX_ERROR_STRING];
  int error_class, length;
  MPI_Error_class(code, &error_class);
  MPI_Error_string(code, text, &length);
  const char* verdict = error_class == MPI_ERR_PROC_ABORTED ? "aborted" : "WRONG";
  if (!go_on()) verdict = "CANNOT GO ON";
  printf("rank %d: %s: %s\n", rank, verdict, text);
  MPI_Finalize();
  return error_class == MPI_ERR_PROC_ABORTED ? 0 : 1;
}
