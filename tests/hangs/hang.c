/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that hang, each in its own way: hang NAME. Every call that hangs has a line of its own,
 * with its rank and call as a remark, which the test finds again in the report. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { large = 4 * 1000 * 1000 };
static int rank, size, number;
static char* data;
static char other[large];

static void exchange_of_sends(void) {
  MPI_Send(data, large, MPI_BYTE, 1 - rank, 7, MPI_COMM_WORLD);
  MPI_Recv(other, large, MPI_BYTE, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void synchronous_sends(void) {
  MPI_Ssend(&number, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD);
  MPI_Recv(&number, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void two_receives(void) {
  MPI_Recv(&number, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(&number, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD);
}

static void ring(void) {
  MPI_Recv(&number, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(&number, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
}

static void wrong_tag(void) {
  if (rank == 1) MPI_Send(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(&number, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void wrong_tag_from_two_places(void) {
  if (rank == 1) MPI_Send(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
  if (rank == 1) MPI_Send(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Recv(&number, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void wrong_tag_of_large(void) {
  if (rank == 1) MPI_Send(data, large, MPI_BYTE, 0, 7, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(other, large, MPI_BYTE, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wrong_communicator(void) {
  MPI_Comm twin;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_set_name(twin, "twin");
  if (rank == 1) MPI_Send(&number, 1, MPI_INT, 0, 7, twin);
  if (rank == 0) MPI_Recv(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(twin);
}

static void left_out_of_barrier(void) {
  if (rank == 0)
    MPI_Recv(&number, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Barrier(MPI_COMM_WORLD);
}

static void barrier_against_allreduce(void) {
  int sum;
  if (rank == 0)
    MPI_Barrier(MPI_COMM_WORLD);
  else
    MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Recv(&number, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void early_exit(void) {
  if (rank != 1) MPI_Recv(&number, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void finalize_against_barrier(void) {
  if (rank != 0) MPI_Barrier(MPI_COMM_WORLD);
}

static void to_itself(void) {
  if (rank == 0) MPI_Ssend(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void from_itself(void) {
  if (rank == 1) MPI_Recv(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void starved_wildcard(void) {
  if (rank == 0)
    MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Recv(&number, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wildcards_all(void) {
  MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void waitall(void) {
  MPI_Request requests[2];
  MPI_Irecv(&number, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&size, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void waitany(void) {
  MPI_Request requests[2];
  int index;
  for (int i = 0; i < 2; ++i)
    MPI_Irecv(&number, 1, MPI_INT, (rank + 1 + i) % size, i, MPI_COMM_WORLD, &requests[i]);
  MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
}

static void waitsome(void) {
  MPI_Request requests[2];
  int count, indices[2];
  for (int i = 0; i < 2; ++i)
    MPI_Irecv(&number, 1, MPI_INT, (rank + 1) % size, i, MPI_COMM_WORLD, &requests[i]);
  MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
}

static void wait_for_send(void) {
  MPI_Request request;
  MPI_Issend(&number, 1, MPI_INT, (rank + 1) % size, 9, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void probe(void) {
  MPI_Probe(1 - rank, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void matched_probe(void) {
  MPI_Message message;
  MPI_Mprobe(MPI_ANY_SOURCE, 12, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
}

static void sendrecv(void) {
  MPI_Sendrecv(&number, 1, MPI_INT, (rank + 1) % size, 1, &size, 1, MPI_INT,
               (rank + size - 1) % size, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void nonblocking_barrier(void) {
  MPI_Request request;
  if (rank == 0) {
    MPI_Recv(&number, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void two_communicators(void) {
  MPI_Comm twin;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_set_name(twin, "twin");
  if (rank == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(twin);
  } else {
    MPI_Barrier(twin);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void subset(void) {
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
  MPI_Comm_set_name(half, "half");
  if (rank == 2) MPI_Recv(&number, 1, MPI_INT, 1, 1, half, MPI_STATUS_IGNORE);
  if (rank == 3) MPI_Recv(&number, 1, MPI_INT, 0, 1, half, MPI_STATUS_IGNORE);
  MPI_Barrier(half);
  while (rank < 2) MPI_Iprobe(1 - rank, 0, half, &number, MPI_STATUS_IGNORE);
}

static void split_against_receive(void) {
  MPI_Comm half;
  if (rank == 0)
    MPI_Recv(&number, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &half);
}

static void gather_without_root(void) {
  int all[64];
  if (rank == 0)
    MPI_Recv(&number, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Allgather(&number, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
}

static void pending_send_at_finalize(void) {
  MPI_Request request;
  if (rank == 0) {
    MPI_Isend(data, large, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
  }
}

static void window_locks(void) {
  MPI_Win window;
  MPI_Win_create(&number, sizeof number, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, window);
}

static void window_fence(void) {
  MPI_Win window;
  MPI_Win_create(&number, sizeof number, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (rank == 0)
    MPI_Recv(&number, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Win_fence(0, window);
}

static void persistent(void) {
  MPI_Request request;
  MPI_Recv_init(&number, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void intercommunicator(void) {
  MPI_Comm half, inter;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &inter);
  MPI_Comm_set_name(inter, "inter");
  MPI_Recv(&number, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE);
}

static void partitions_never_marked(void) {
  MPI_Request request;
  if (rank == 0) {
    MPI_Precv_init(data, 4, 1000, MPI_BYTE, 1, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Psend_init(data, 4, 1000, MPI_BYTE, 0, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Recv(&number, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void partitions_partly_marked(void) {
  MPI_Request request;
  if (rank == 0) {
    MPI_Precv_init(data, 4, 1000 * 1000, MPI_BYTE, 1, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
  } else {
    MPI_Psend_init(data, 4, 1000 * 1000, MPI_BYTE, 0, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Pready_range(0, 2, request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void partitions_nobody_receives(void) {
  MPI_Request request;
  if (rank == 1) {
    MPI_Psend_init(data, 4, 1000 * 1000, MPI_BYTE, 0, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Pready_range(0, 3, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void partitions_never_started(void) {
  MPI_Comm twin;  // its first barrier sends messages
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_set_name(twin, "twin");
  if (rank == 0) {
    MPI_Psend_init(data, 4, 1000, MPI_BYTE, 1, 6, twin, MPI_INFO_NULL, &request);
    MPI_Barrier(twin);
  } else {
    MPI_Precv_init(data, 4, 1000, MPI_BYTE, 0, 6, twin, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void window_lock_chain(void) {
  MPI_Win window;
  MPI_Win_create(&number, sizeof number, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, (rank + 1) % size, 0, window);
}

static void deep_inside(void) {
  two_receives();
}

// For whoever asks: six receives and a send that are under way while rank 0 waits for another one.
static void busy(void) {
  MPI_Request requests[7];
  if (rank == 0) {
    for (int i = 0; i < 5; ++i)
      MPI_Irecv(other + i, 1, MPI_BYTE, 1, 20, MPI_COMM_WORLD, &requests[i]);
    MPI_Irecv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 8, MPI_COMM_SELF, &requests[5]);
    MPI_Isend(data, large, MPI_BYTE, 1, 9, MPI_COMM_WORLD, &requests[6]);
    MPI_Recv(&number, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// For whoever asks: what rank 0 has open, and what it has sent.
static void owner(void) {
  MPI_Win window;
  MPI_File file;
  MPI_Win_create(data, 800, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (rank == 0) {
    MPI_Win_set_name(window, "halo\n");
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    MPI_File_open(MPI_COMM_SELF, "/proc/self/exe", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    MPI_File_seek(file, 12, MPI_SEEK_SET);
    MPI_Send(data, 100, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(&number, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(data, 100, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// No hang: it is asked what it does.
static void computes(void) {
  for (;;) pause();
}

static const struct {
  const char* name;
  void (*run)(void);
} all[] = {
#define CASE(name) \
  { #name, name }
    CASE(exchange_of_sends),
    CASE(synchronous_sends),
    CASE(two_receives),
    CASE(ring),
    CASE(wrong_tag),
    CASE(wrong_tag_from_two_places),
    CASE(wrong_tag_of_large),
    CASE(wrong_communicator),
    CASE(left_out_of_barrier),
    CASE(barrier_against_allreduce),
    CASE(early_exit),
    CASE(finalize_against_barrier),
    CASE(to_itself),
    CASE(from_itself),
    CASE(starved_wildcard),
    CASE(wildcards_all),
    CASE(waitall),
    CASE(waitany),
    CASE(waitsome),
    CASE(wait_for_send),
    CASE(probe),
    CASE(matched_probe),
    CASE(sendrecv),
    CASE(nonblocking_barrier),
    CASE(two_communicators),
    CASE(subset),
    CASE(split_against_receive),
    CASE(gather_without_root),
    CASE(pending_send_at_finalize),
    CASE(window_locks),
    CASE(window_fence),
    CASE(persistent),
    CASE(intercommunicator),
    CASE(partitions_never_marked),
    CASE(partitions_partly_marked),
    CASE(partitions_nobody_receives),
    CASE(partitions_never_started),
    CASE(window_lock_chain),
    CASE(deep_inside),
    CASE(busy),
    CASE(owner),
    CASE(computes)};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  data = calloc(large, 1);
  MPI_Barrier(MPI_COMM_WORLD);  // nobody is still starting when the first one hangs
  for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; ++i)
    if (strcmp(all[i].name, argv[1]) == 0) all[i].run();
  MPI_Finalize();
  return 0;
}
