/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs in which ranks wait for long and that end all the same: legal NAME. Of none may it be
 * said that it hangs. What others do for long happens outside MPI or in a thread. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank, size, number;
static int seconds = 5; /* longer than a verdict takes */

static void compute(void) {
  const time_t end = time(NULL) + seconds;
  while (time(NULL) < end) usleep(1000);
}

static void computing_sender(void) {
  if (rank == 0) {
    compute();
    for (int i = 1; i < size; ++i) MPI_Send(&number, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void late_for_barrier(void) {
  if (rank == size - 1) compute();
  MPI_Barrier(MPI_COMM_WORLD);
}

static void chain(void) { /* each waits for the one before, and the first works */
  if (rank == 0)
    compute();
  else
    MPI_Recv(&number, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank + 1 < size) MPI_Send(&number, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
}

static void* sends_later(void* unused) {
  const int word = 7; /* its own: `number` is being received */
  compute();
  MPI_Send(&word, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
  return unused;
}

static void thread_outside(void) { /* both ranks wait; a thread of each will send */
  pthread_t thread;
  pthread_create(&thread, NULL, sends_later, NULL);
  MPI_Recv(&number, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  pthread_join(thread, NULL);
}

static int query(void* unused, MPI_Status* status) {
  (void)unused;
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}
static int nothing(void* unused) {
  return (void)unused, MPI_SUCCESS;
}
static int no_cancel(void* unused, int complete) {
  return (void)unused, (void)complete, MPI_SUCCESS;
}

static void* completes(void* request) {
  compute();
  MPI_Grequest_complete(*(MPI_Request*)request);
  return NULL;
}

static void generalized(void) {
  MPI_Request request;
  pthread_t thread;
  MPI_Grequest_start(query, nothing, no_cancel, NULL, &request);
  MPI_Request copy = request;
  pthread_create(&thread, NULL, completes, &copy);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  pthread_join(thread, NULL);
}

static void polls(void) { /* loops of Test are not judged */
  MPI_Request request;
  int flag = 0;
  MPI_Irecv(&number, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &request);
  const time_t end = time(NULL) + seconds;
  while (time(NULL) < end && !flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  MPI_Send(&number, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void one_of_two(void) { /* one way is closed, the other is open */
  MPI_Request requests[2];
  int index;
  if (rank == 0) {
    MPI_Irecv(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&number, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Wait(&requests[1 - index], MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  } else {
    compute();
    MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
}

static void bcast_goes_on(void) { /* one below in the tree waits for a receiver of the broadcast */
  if (rank == 0) compute();
  if (rank == size - 1) MPI_Recv(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Send(&number, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD);
}

static void* marks_later(void* request) {
  compute();
  MPI_Pready(0, *(MPI_Request*)request);
  return NULL;
}

static void marked_by_a_thread(void) { /* both wait; a thread of the sender will mark */
  MPI_Request request;
  pthread_t thread;
  if (rank == 1) {
    MPI_Psend_init(&number, 1, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    pthread_create(&thread, NULL, marks_later, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    pthread_join(thread, NULL);
  } else {
    MPI_Precv_init(&number, 1, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
}

static MPI_Win make_window(void) {
  int* memory;
  MPI_Win window;
  MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  return window;
}

static void hold(int kind, int target, MPI_Win window) {
  MPI_Win_lock(kind, target, 0, window);
  MPI_Get(&number, 1, MPI_INT, target, 0, 1, MPI_INT, window);
  MPI_Win_flush(target, window);
}

static void put_under_lock(int kind, int target, MPI_Win window) {
  MPI_Win_lock(kind, target, 0, window);
  MPI_Put(&number, 1, MPI_INT, target, 0, 1, MPI_INT, window);
  MPI_Win_unlock(target, window);
}

static void lock_held_for_long(void) { /* the target computes, too */
  MPI_Win window = make_window();
  if (rank == 0) hold(MPI_LOCK_EXCLUSIVE, 1, window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank < 2) compute();
  if (rank == 0) MPI_Win_unlock(1, window);
  if (rank != 0) put_under_lock(rank == 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 1, window);
  MPI_Win_free(&window);
}

static void lock_all_held_for_long(void) {
  MPI_Win window = make_window();
  if (rank == 0) MPI_Win_lock_all(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) compute();
  if (rank == 0) MPI_Win_unlock_all(window);
  if (rank != 0) put_under_lock(MPI_LOCK_EXCLUSIVE, 3, window);
  MPI_Win_free(&window);
}

static void holder_waits_for_one_that_computes(void) {
  MPI_Win window = make_window();
  if (rank == 0) hold(MPI_LOCK_EXCLUSIVE, 1, window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 2) compute();
  if (rank == 2) MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(&number, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Win_unlock(1, window);
  if (rank != 0) put_under_lock(MPI_LOCK_EXCLUSIVE, 1, window);
  MPI_Win_free(&window);
}

/* Ranks 0 and 1 are origins, 2 and 3 targets, of all the others of the two groups. */
static void post_and_start(int late_post, int late_complete) {
  const int origins[] = {0, 1}, targets[] = {2, 3};
  MPI_Group all, some;
  MPI_Win window = make_window();
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 2, rank < 2 ? targets : origins, &some);
  if (rank < 2) {
    MPI_Win_start(some, 0, window);
    if (late_complete && rank == 0) compute();
    MPI_Win_complete(window);
    if (late_complete && rank == 1)
      MPI_Recv(&number, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    if (late_post && rank == 3) compute();
    MPI_Win_post(some, 0, window);
    MPI_Win_wait(window);
    if (late_complete && rank == 2) MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  }
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  MPI_Win_free(&window);
}

static void late_post(void) {
  post_and_start(1, 0);
}

static void late_complete(void) {
  post_and_start(0, 1);
}

static void late_fence(void) {
  MPI_Win window = make_window();
  if (rank == 2) compute();
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

static void readers_depend_on_each_other(void) { /* the second one comes in before the writer */
  MPI_Win window = make_window();
  if (rank == 0) hold(MPI_LOCK_SHARED, 3, window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) put_under_lock(MPI_LOCK_EXCLUSIVE, 3, window);
  if (rank == 2) compute();
  if (rank == 2) put_under_lock(MPI_LOCK_SHARED, 3, window);
  if (rank == 2) MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(&number, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Win_unlock(3, window);
  MPI_Win_free(&window);
}

static void ping_pong(void) { /* stopped and continued from outside */
  const time_t end = time(NULL) + 2 * seconds;
  for (int go = 1; go;) {
    go = time(NULL) < end;
    MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static const struct {
  const char* name;
  void (*run)(void);
} all[] = {
#define CASE(name) \
  { #name, name }
    CASE(computing_sender),
    CASE(late_for_barrier),
    CASE(chain),
    CASE(thread_outside),
    CASE(generalized),
    CASE(polls),
    CASE(one_of_two),
    CASE(bcast_goes_on),
    CASE(marked_by_a_thread),
    CASE(ping_pong),
    CASE(lock_held_for_long),
    CASE(lock_all_held_for_long),
    CASE(holder_waits_for_one_that_computes),
    CASE(late_post),
    CASE(late_complete),
    CASE(late_fence),
    CASE(readers_depend_on_each_other)};

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; ++i)
    if (strcmp(all[i].name, argv[1]) == 0) all[i].run();
  MPI_Finalize();
  return 0;
}
