/* SPDX-License-Identifier: BSD-3-Clause */
/* What soak.py lets run for long, and kills: a server that accepts clients and spawns children, its
   clients, and programs that spawn. All go on when the other side is gone.
   Usage: soak serve NAME | visit NAME LAST | spawn */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { kMost = 300000, kMessages = 20 };

static const char* self;
static char data[kMost];

static unsigned next_random(void) {
  static unsigned state = 0;
  if (state == 0) state = (unsigned)getpid() | 1u;
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

/* Sends messages of any size, and takes them back; the last one is empty and says whether it is the
   last of all. A side that is gone ends it. */
static void tell(MPI_Comm inter, int last) {
  for (int i = 0; i < kMessages; ++i) {
    const int bytes = 1 + (int)(next_random() % (kMost - 1));
    if (MPI_Send(data, bytes, MPI_CHAR, 0, 1, inter) != MPI_SUCCESS) return;
    if (MPI_Recv(data, kMost, MPI_CHAR, 0, 1, inter, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
  }
  MPI_Send(NULL, 0, MPI_CHAR, 0, 2 + last, inter);
}

static int listen_to(MPI_Comm inter) {
  for (;;) {
    MPI_Status status;
    int bytes = 0;
    if (MPI_Recv(data, kMost, MPI_CHAR, 0, MPI_ANY_TAG, inter, &status) != MPI_SUCCESS) return 0;
    if (status.MPI_TAG != 1) return status.MPI_TAG == 3;
    MPI_Get_count(&status, MPI_CHAR, &bytes);
    if (MPI_Send(data, bytes, MPI_CHAR, 0, 1, inter) != MPI_SUCCESS) return 0;
  }
}

/* Either side of a meeting that may have failed. */
static int meet(int code, MPI_Comm inter, int teller, int last) {
  int is_last = 0;
  if (code != MPI_SUCCESS) return 0;
  MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
  if (teller)
    tell(inter, last);
  else
    is_last = listen_to(inter);
  MPI_Comm_disconnect(&inter);
  return is_last;
}

static void spawn_one(void) {
  char* words[] = {"child", NULL};
  MPI_Comm inter = MPI_COMM_NULL;
  const int code =
      MPI_Comm_spawn(self, words, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE);
  (void)meet(code, inter, 0, 0);
}

static void serve(const char* name) {
  char port[MPI_MAX_PORT_NAME];
  int last = 0;
  MPI_Open_port(MPI_INFO_NULL, port);
  CHECK(MPI_Publish_name(name, MPI_INFO_NULL, port) == MPI_SUCCESS);
  printf("%d\n", (int)getpid());
  fflush(stdout);
  for (int round = 0; !last; ++round) {
    MPI_Comm inter = MPI_COMM_NULL;
    const int code = MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    last = meet(code, inter, 0, 0);
    if (round % 2 == 1) spawn_one();
  }
  MPI_Unpublish_name(name, MPI_INFO_NULL, port);
  MPI_Close_port(port);
  puts("served");
}

static void visit(const char* name, int last) {
  char port[MPI_MAX_PORT_NAME];
  MPI_Comm inter = MPI_COMM_NULL;
  if (MPI_Lookup_name(name, MPI_INFO_NULL, port) != MPI_SUCCESS) exit(4);
  const int code = MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
  (void)meet(code, inter, 1, last);
}

int main(int argc, char** argv) {
  MPI_Comm parent;
  const char* what = argc > 1 ? argv[1] : "";
  self = argv[0];
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL)
    (void)meet(MPI_SUCCESS, parent, 1, 0);
  else if (strcmp(what, "serve") == 0)
    serve(argv[2]);
  else if (strcmp(what, "visit") == 0)
    visit(argv[2], atoi(argv[3]));
  else
    spawn_one();
  MPI_Finalize();
  return 0;
}
