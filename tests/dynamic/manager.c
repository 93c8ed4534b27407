/* SPDX-License-Identifier: BSD-3-Clause */
/* A manager hands out tasks to workers that it spawned, kills one of them in the middle of a task,
   is told, spawns another one, and ends in order. Usage: manager, under mpiexec --enable-recovery
 */
#include <signal.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "check.h"

enum { kWorkers = 3, kTasks = 60, kStop = -1, kTaskTag = 1, kResultTag = 2, kPidTag = 3 };
enum { kVictim = 1 };

static const char* self;

/* ---- workers ---- */

/* The victim sits on its first task until it is killed. */
static int work(MPI_Comm parent, int is_victim) {
  const long pid = getpid();
  int task;
  MPI_Send(&pid, 1, MPI_LONG, 0, kPidTag, parent);
  for (;;) {
    MPI_Recv(&task, 1, MPI_INT, 0, kTaskTag, parent, MPI_STATUS_IGNORE);
    if (task == kStop) break;
    while (is_victim) pause();
    const int result = task * task;
    MPI_Send(&result, 1, MPI_INT, 0, kResultTag, parent);
  }
  MPI_Comm_disconnect(&parent);
  MPI_Finalize();
  return 0;
}

/* ---- the manager ---- */

struct worker {
  MPI_Comm comm;
  int rank, task, result;
  long pid;
};

static struct worker workers[kWorkers];
static MPI_Request answers[kWorkers];
static int done[kTasks];

static MPI_Comm spawn(const char* what, int count) {
  char* words[] = {(char*)what, NULL};
  MPI_Comm comm = MPI_COMM_NULL;
  CHECK(MPI_Comm_spawn(self, words, count, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm,
                       MPI_ERRCODES_IGNORE) == MPI_SUCCESS);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

static void employ(struct worker* worker, MPI_Comm comm, int rank) {
  worker->comm = comm;
  worker->rank = rank;
  MPI_Recv(&worker->pid, 1, MPI_LONG, rank, kPidTag, comm, MPI_STATUS_IGNORE);
}

static void give(int place, int task) {
  struct worker* worker = &workers[place];
  worker->task = task;
  CHECK(MPI_Irecv(&worker->result, 1, MPI_INT, worker->rank, kResultTag, worker->comm,
                  &answers[place]) == MPI_SUCCESS);
  CHECK(MPI_Send(&task, 1, MPI_INT, worker->rank, kTaskTag, worker->comm) == MPI_SUCCESS);
}

static void stop(const struct worker* worker) {
  const int order = kStop;
  CHECK(MPI_Send(&order, 1, MPI_INT, worker->rank, kTaskTag, worker->comm) == MPI_SUCCESS);
}

/* Returns how many workers were lost. */
static int hand_out(void) {
  int next = 0, lost = 0, place = 0, finished = 0;
  for (; next < kWorkers; ++next) give(next, next);
  for (;;) {
    const int code = MPI_Waitany(kWorkers, answers, &place, MPI_STATUS_IGNORE);
    if (place == MPI_UNDEFINED) return lost;
    struct worker* worker = &workers[place];
    if (code != MPI_SUCCESS) {
      CHECK(class_of(code) == MPI_ERR_PROC_ABORTED && place == kVictim);
      ++lost;
      employ(worker, spawn("worker", 1), 0);
      give(place, worker->task);
      continue;
    }
    CHECK(worker->result == worker->task * worker->task && !done[worker->task]);
    done[worker->task] = 1;
    if (++finished == kTasks / 2) CHECK(kill((pid_t)workers[kVictim].pid, SIGKILL) == 0);
    if (next < kTasks) give(place, next++);
  }
}

static void manage(void) {
  MPI_Comm first = spawn("victim", kWorkers), second;
  for (int i = 0; i < kWorkers; ++i) {
    answers[i] = MPI_REQUEST_NULL;
    employ(&workers[i], first, i);
  }
  CHECK(hand_out() == 1);
  for (int i = 0; i < kTasks; ++i) CHECK(done[i]);
  for (int i = 0; i < kWorkers; ++i) stop(&workers[i]);
  second = workers[kVictim].comm;
  CHECK(second != first);
  CHECK(MPI_Comm_disconnect(&second) == MPI_SUCCESS);
  CHECK(MPI_Comm_disconnect(&first) == MPI_SUCCESS);
  puts("all tasks are done");
}

int main(int argc, char** argv) {
  MPI_Comm parent;
  int rank;
  self = argv[0];
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (parent != MPI_COMM_NULL)
    return work(parent, argc > 1 && strcmp(argv[1], "victim") == 0 && rank == kVictim);
  manage();
  MPI_Finalize();
  return 0;
}
