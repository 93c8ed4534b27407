/* SPDX-License-Identifier: BSD-3-Clause */
/* Several threads spawn, accept and connect. */
#include <pthread.h>
#include <string.h>

#include "check.h"
#include "corners.h"

struct traffic {
  MPI_Comm comm;
  _Atomic int enough; /* looked at by rank 0 */
  long rounds;
};

/* Rank 0 and 1 send a number to and fro, until rank 0 has had enough. */
static void* talk(void* argument) {
  struct traffic* traffic = argument;
  int rank, go = 1;
  MPI_Comm_rank(traffic->comm, &rank);
  while (go) {
    if (rank == 0) {
      go = !traffic->enough;
      MPI_Send(&go, 1, MPI_INT, 1, 5, traffic->comm);
      MPI_Recv(&go, 1, MPI_INT, 1, 6, traffic->comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(&go, 1, MPI_INT, 0, 5, traffic->comm, MPI_STATUS_IGNORE);
      MPI_Send(&go, 1, MPI_INT, 0, 6, traffic->comm);
    }
    ++traffic->rounds;
  }
  return NULL;
}

/* req dynamic 1.25: beside messages of another thread */
static void spawn_beside(void) {
  struct traffic traffic = {MPI_COMM_NULL, 0, 0};
  pthread_t thread;
  MPI_Comm_dup(MPI_COMM_WORLD, &traffic.comm);
  pthread_create(&thread, NULL, talk, &traffic);
  for (int i = 0; i < 3; ++i) {
    MPI_Comm inter = children(MPI_COMM_WORLD, "nothing", NULL, 2);
    MPI_Comm_disconnect(&inter);
  }
  traffic.enough = 1;
  pthread_join(thread, NULL);
  CHECK(traffic.rounds > 0);
  MPI_Comm_free(&traffic.comm);
}

static void* spawn_some(void* argument) {
  for (int i = 0; i < 3; ++i) {
    MPI_Comm inter = children(*(MPI_Comm*)argument, "number", NULL, 1);
    int number = -1;
    MPI_Recv(&number, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE);
    CHECK(number == 0);
    MPI_Comm_disconnect(&inter);
  }
  return NULL;
}

/* req dynamic 1.25: two threads, each with a communicator of its own */
static void spawn_at_once(void) {
  MPI_Comm comms[2];
  pthread_t thread;
  MPI_Comm_dup(MPI_COMM_SELF, &comms[0]);
  MPI_Comm_dup(MPI_COMM_SELF, &comms[1]);
  pthread_create(&thread, NULL, spawn_some, &comms[0]);
  spawn_some(&comms[1]);
  pthread_join(thread, NULL);
  MPI_Comm_free(&comms[0]);
  MPI_Comm_free(&comms[1]);
}

struct door {
  char port[MPI_MAX_PORT_NAME];
  MPI_Comm comm, inter;
  int code;
};

static void* accept_one(void* argument) {
  struct door* door = argument;
  door->code = MPI_Comm_accept(door->port, MPI_INFO_NULL, 0, door->comm, &door->inter);
  return NULL;
}

/* req dynamic 2.11: rank 0 accepts in a thread, and talks to rank 1, which then connects */
static void accept_beside(void) {
  struct door door = {"", MPI_COMM_SELF, MPI_COMM_NULL, 0};
  pthread_t thread;
  int rank, value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, door.port);
    pthread_create(&thread, NULL, accept_one, &door);
  }
  for (int i = 0; i < 1000; ++i) {
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Bcast(door.port, sizeof door.port, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 0)
    pthread_join(thread, NULL);
  else
    MPI_Comm_connect(door.port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &door.inter);
  CHECK(door.inter != MPI_COMM_NULL);
  MPI_Comm_disconnect(&door.inter);
  if (rank == 0) MPI_Close_port(door.port);
}

/* req dynamic 2.9: a process on both sides; both are told, and the communicators go on */
static void overlap(void) {
  struct door door = {"", MPI_COMM_NULL, MPI_COMM_NULL, 0};
  MPI_Comm other, inter = MPI_COMM_NULL;
  pthread_t thread;
  MPI_Comm_dup(MPI_COMM_SELF, &door.comm);
  MPI_Comm_dup(MPI_COMM_SELF, &other);
  MPI_Comm_set_errhandler(door.comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(other, MPI_ERRORS_RETURN);
  MPI_Open_port(MPI_INFO_NULL, door.port);
  pthread_create(&thread, NULL, accept_one, &door);
  const int code = MPI_Comm_connect(door.port, MPI_INFO_NULL, 0, other, &inter);
  pthread_join(thread, NULL);
  CHECK(code != MPI_SUCCESS && door.code != MPI_SUCCESS);
  CHECK(inter == MPI_COMM_NULL && door.inter == MPI_COMM_NULL);
  CHECK(MPI_Barrier(other) == MPI_SUCCESS && MPI_Barrier(door.comm) == MPI_SUCCESS);
  MPI_Close_port(door.port);
  MPI_Comm_free(&door.comm);
  MPI_Comm_free(&other);
}

void threads(const char* what) {
  if (strcmp(what, "beside") == 0) spawn_beside();
  if (strcmp(what, "at-once") == 0) spawn_at_once();
  if (strcmp(what, "accept") == 0) accept_beside();
  if (strcmp(what, "overlap") == 0) overlap();
}
