/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks with several threads: hangs_threads NAME. The first half hangs, in MPI and in the threads'
 * own locks; the second half only waits for long. */
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { seconds = 6 }; /* as long as a verdict would take, and more */
static int rank, number;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int may_send;
static sem_t posted;

static void compute(void) {
  const struct timespec nap = {0, 50 * 1000 * 1000};
  for (const time_t end = time(NULL) + seconds; time(NULL) < end;) nanosleep(&nap, NULL);
}

static void wait_until_told(void) {
  pthread_mutex_lock(&lock);
  while (!may_send) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

static void tell(void) {
  pthread_mutex_lock(&lock);
  may_send = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static void receive(int tag) {
  int word;
  MPI_Recv(&word, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void* send_when_told(void* unused) {
  wait_until_told();
  MPI_Send(&number, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD);
  return unused;
}

static void beside(void* (*run)(void*), void (*mine)(void)) {
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  mine();
  pthread_join(thread, NULL);
}

static void nothing(void) {}
static void receive_three(void) {
  receive(3);
}

static void lost_wake(void) { /* on both ranks nobody tells the thread that is to send */
  beside(send_when_told, receive_three);
}

static void lost_wake_outside(void) { /* the rank that is waited for has no thread in MPI */
  if (rank == 0)
    beside(send_when_told, nothing);
  else
    receive(3);
}

static void* receive_four(void* unused) {
  receive(4);
  return unused;
}

static void all_receive(void) {
  beside(receive_four, receive_three);
}

static void* send_under_lock(void* unused) {
  pthread_mutex_lock(&lock);
  MPI_Send(&number, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void receive_under_lock(void) {
  pthread_t thread;
  pthread_mutex_lock(&lock);
  pthread_create(&thread, NULL, send_under_lock, NULL);
  receive(3);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
}

static void semaphore(void) {
  if (rank == 0)
    sem_wait(&posted);
  else
    receive(3);
}

/* From here on: legal. */
static void* tell_later(void* unused) {
  compute();
  tell();
  return unused;
}

static void told_late(void) { /* a thread of rank 0 computes, and then wakes the one that sends */
  pthread_t sender;
  if (rank == 1) return receive(3);
  pthread_create(&sender, NULL, send_when_told, NULL);
  beside(tell_later, nothing);
  pthread_join(sender, NULL);
}

static void idle_threads(void) { /* both wait for a thread that computes beside one that sleeps */
  pthread_t sender;
  pthread_create(&sender, NULL, send_when_told, NULL);
  beside(tell_later, receive_three);
  pthread_join(sender, NULL);
}

static void post(int unused) {
  (void)unused;
  sem_post(&posted);
}

static void told_by_alarm(void) {
  if (rank == 1) return receive(3);
  signal(SIGALRM, post);
  alarm(seconds);
  while (sem_wait(&posted) != 0) {
  }
  MPI_Send(&number, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
}

static sem_t* shared;

/* Called before MPI_Init: the child is no process of the job. */
static void start_helper(void) {
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  sem_init(shared, 1, 0);
  if (fork() != 0) return;
  compute();
  sem_post(shared);
  _exit(0);
}

static void told_by_a_process(void) {
  if (rank == 1) return receive(3);
  sem_wait(shared);
  MPI_Send(&number, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
}

static void* look_at_times(void* unused) { /* sleeps with limits, and so wakes by itself */
  const time_t end = time(NULL) + seconds;
  pthread_mutex_lock(&lock);
  while (time(NULL) < end) {
    const struct timespec until = {time(NULL) + seconds, 0};
    pthread_cond_timedwait(&changed, &lock, &until);
  }
  pthread_mutex_unlock(&lock);
  MPI_Send(&number, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD);
  return unused;
}

static void timed_waits(void) {
  beside(look_at_times, receive_three);
}

static const struct {
  const char* name;
  void (*run)(void);
} all[] = {
#define CASE(name) \
  { #name, name }
    CASE(lost_wake),          CASE(lost_wake_outside), CASE(all_receive),  CASE(semaphore),
    CASE(receive_under_lock), CASE(told_late),         CASE(idle_threads), CASE(told_by_alarm),
    CASE(told_by_a_process),  CASE(timed_waits)};

int main(int argc, char** argv) {
  int provided;
  if (argc > 1 && strcmp(argv[1], "told_by_a_process") == 0) start_helper();
  sem_init(&posted, 0, 0);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD); /* nobody is still starting when the first one hangs */
  for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; ++i)
    if (strcmp(all[i].name, argv[1]) == 0) all[i].run();
  MPI_Finalize();
  return 0;
}
