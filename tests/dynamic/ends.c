/* SPDX-License-Identifier: BSD-3-Clause */
/* Children and parents that end badly. Usage: ends wait-for-child connected|freed|disconnected |
   replace-child | leave-child | lose-caller | wait-for-abort | wait-for-ever */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

extern char** environ;

static const char* self;

static int be_child(MPI_Comm parent, const char* what) {
  int go = 0;
  if (strcmp(what, "die-after") == 0) {
    MPI_Comm_disconnect(&parent);
    raise(SIGKILL);
  }
  if (strcmp(what, "linger") == 0) {
    char byte;
    MPI_Comm_disconnect(&parent);
    const int file = open(getenv("TESSERA_TEST_FIFO"), O_RDONLY);
    CHECK(file >= 0 && read(file, &byte, 1) == 1);
    MPI_Finalize();
    return 0;
  }
  if (strcmp(what, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (strcmp(what, "stay") == 0) {
    printf("child %d\n", (int)getpid());
    fflush(stdout);
  }
  MPI_Recv(&go, 1, MPI_INT, 0, 1, parent, MPI_STATUS_IGNORE);
  if (go == 2) MPI_Comm_free(&parent);
  if (go != 0) raise(SIGKILL);
  MPI_Comm_disconnect(&parent);
  MPI_Finalize();
  return 0;
}

static MPI_Comm child(const char* what) {
  char text[32];
  char* words[] = {text, NULL};
  MPI_Comm inter;
  snprintf(text, sizeof text, "%s", what);
  MPI_Comm_spawn(self, words, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE);
  return inter;
}

static void send_order(MPI_Comm inter, int order) {
  MPI_Send(&order, 1, MPI_INT, 0, 1, inter);
}

static void wait_for_child(const char* how) {
  const int freed = strcmp(how, "freed") == 0, connected = freed || strcmp(how, "connected") == 0;
  MPI_Comm inter = child(connected ? "listen" : "die-after");
  int got;
  if (connected && freed) {
    send_order(inter, 2);
    MPI_Comm_free(&inter);
    MPI_Recv(&got, 1, MPI_INT, 0, 9, MPI_COMM_SELF, MPI_STATUS_IGNORE); /* never comes */
  } else if (connected) {
    send_order(inter, 1);
    MPI_Recv(&got, 1, MPI_INT, 0, 9, inter, MPI_STATUS_IGNORE); /* never comes */
  }
  MPI_Comm_disconnect(&inter);
  inter = child("listen"); /* the parent is as it was */
  send_order(inter, 0);
  MPI_Comm_disconnect(&inter);
  puts("parent is well");
}

/* req dynamic 2.23: the parent finalizes while the child, which has left, goes on */
static void leave_child(void) {
  MPI_Comm inter = child("linger");
  MPI_Comm_disconnect(&inter);
}

/* A manager that loses a worker, is told, and starts another one. */
static void replace_child(void) {
  MPI_Comm inter = child("listen");
  int got;
  MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
  send_order(inter, 1);
  CHECK(class_of(MPI_Recv(&got, 1, MPI_INT, 0, 9, inter, MPI_STATUS_IGNORE)) ==
        MPI_ERR_PROC_ABORTED);
  CHECK(MPI_Comm_disconnect(&inter) == MPI_SUCCESS && inter == MPI_COMM_NULL);
  inter = child("listen");
  send_order(inter, 0);
  MPI_Comm_disconnect(&inter);
  puts("child was replaced");
}

/* A caller dies before any message went between the two, whatever would have carried it. */
static void lose_caller(void) {
  char port[MPI_MAX_PORT_NAME];
  char* words[] = {(char*)self, "call-and-die", port, NULL};
  MPI_Comm inter;
  pid_t pid;
  int got;
  MPI_Open_port(MPI_INFO_NULL, port);
  CHECK(posix_spawn(&pid, self, NULL, NULL, words, environ) == 0);
  MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
  MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
  CHECK(class_of(MPI_Recv(&got, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE)) ==
        MPI_ERR_PROC_ABORTED);
  CHECK(MPI_Comm_disconnect(&inter) == MPI_SUCCESS);
  CHECK(waitpid(pid, NULL, 0) == pid);
  MPI_Close_port(port);
  puts("caller is lost");
}

static void call_and_die(const char* port) {
  MPI_Comm inter;
  MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
  raise(SIGKILL);
}

int main(int argc, char** argv) {
  MPI_Comm parent;
  const char* what = argc > 1 ? argv[1] : "";
  self = argv[0];
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) return be_child(parent, what);
  if (strcmp(what, "wait-for-child") == 0) wait_for_child(argv[2]);
  if (strcmp(what, "replace-child") == 0) replace_child();
  if (strcmp(what, "leave-child") == 0) leave_child();
  if (strcmp(what, "lose-caller") == 0) lose_caller();
  if (strcmp(what, "call-and-die") == 0) call_and_die(argv[2]);
  if (strcmp(what, "wait-for-abort") == 0 || strcmp(what, "wait-for-ever") == 0) {
    int got;
    printf("parent %d\n", (int)getpid());
    fflush(stdout);
    MPI_Comm inter = child(strcmp(what, "wait-for-abort") == 0 ? "abort" : "stay");
    MPI_Recv(&got, 1, MPI_INT, 0, 9, inter, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
