/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports, names, join. Usage: ports server NAME ROUNDS | client NAME ROUNDS | stopped-client NAME
 * ROUNDS | errors | join FD | join-pair */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { kBytes = 200000 };

static void talk(
    MPI_Comm inter,
    int server) { /* each process with its like on the other side, and a sum over all */
  static char out[kBytes], in[kBytes];
  int rank, size, remote, sum = 0, one = 1;
  MPI_Comm all;
  MPI_Comm_rank(inter, &rank);
  MPI_Comm_size(inter, &size);
  MPI_Comm_remote_size(inter, &remote);
  for (int peer = 0; peer < remote; ++peer) {
    memset(out, rank + 1, sizeof out);
    MPI_Sendrecv(out, kBytes, MPI_CHAR, peer, 3, in, kBytes, MPI_CHAR, peer, 3, inter,
                 MPI_STATUS_IGNORE);
    CHECK(in[0] == peer + 1 && in[kBytes - 1] == peer + 1);
  }
  MPI_Intercomm_merge(inter, !server, &all);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
  CHECK(sum == size + remote);
  MPI_Comm_disconnect(&all);
}

/* req dynamic 2.4 req dynamic 2.6 req dynamic 2.7 req dynamic 2.15 req dynamic 2.26 req
 * dynamic 2.31 */
static void server(const char* name, int rounds) {
  char port[MPI_MAX_PORT_NAME] = "";
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Publish_name(name, MPI_INFO_NULL, port);
  }
  for (int i = 0; i < rounds; ++i) {
    MPI_Comm inter;
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    talk(inter, 1);
    MPI_Comm_disconnect(&inter);
  }
  if (rank == 0) {
    MPI_Unpublish_name(name, MPI_INFO_NULL, port);
    MPI_Close_port(port);
  }
}

static void client(const char* name, int rounds, int stops) {
  char port[MPI_MAX_PORT_NAME] = "";
  int rank, code = MPI_ERR_NAME;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  while (rank == 0 && code != MPI_SUCCESS) {
    code = MPI_Lookup_name(name, MPI_INFO_NULL, port);
    if (code != MPI_SUCCESS) usleep(10000); /* the server is not there yet */
  }
  if (stops) raise(SIGSTOP); /* until it is killed */
  for (int i = 0; i < rounds; ++i) {
    MPI_Comm inter;
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    talk(inter, 0);
    MPI_Comm_disconnect(&inter);
  }
}

static int connect_to(const char* port, const char* timeout) {
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "timeout", timeout);
  const int code = MPI_Comm_connect(port, info, 0, MPI_COMM_SELF, &inter);
  MPI_Info_free(&info);
  return class_of(code);
}

/* req dynamic 2.1 req dynamic 2.2 req dynamic 2.3 req dynamic 2.5 req dynamic 2.12 req dynamic 2.13
   req dynamic 2.14 req dynamic 2.19 req dynamic 2.21 */
static void errors(void) {
  char port[MPI_MAX_PORT_NAME], other[MPI_MAX_PORT_NAME], found[MPI_MAX_PORT_NAME], name[64],
      forged[MPI_MAX_PORT_NAME];
  MPI_Info info;
  MPI_Comm inter, self = MPI_COMM_SELF;
  int ends[2], files[2];
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(MPI_Open_port(MPI_INFO_NULL, port) == MPI_SUCCESS &&
        MPI_Open_port(MPI_INFO_NULL, other) == MPI_SUCCESS);
  CHECK(strcmp(port, other) != 0 && strpbrk(port, " \t\n'\"$&;<>()*?[]|\\`") == NULL);
  CHECK(connect_to("garbage", "1") == MPI_ERR_PORT && connect_to("", "1") == MPI_ERR_PORT);
  CHECK(connect_to(port, "0.2") == MPI_ERR_PORT); /* nobody accepts */
  strcpy(forged, port);                           /* a stranger without the key */
  char* key = strchr(strchr(forged, '@') + 1, '@') + 1;
  *key = *key == '1' ? '2' : '1';
  CHECK(connect_to(forged, "0.2") == MPI_ERR_PORT);
  CHECK(MPI_Close_port(other) == MPI_SUCCESS && class_of(MPI_Close_port(other)) == MPI_ERR_PORT);
  CHECK(connect_to(other, "5") == MPI_ERR_PORT);
  CHECK(class_of(MPI_Comm_accept(other, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter)) == MPI_ERR_PORT);
  CHECK(class_of(MPI_Comm_accept(port, MPI_INFO_NULL, 1, MPI_COMM_SELF, &inter)) == MPI_ERR_ROOT);
  MPI_Info_create(&info);
  MPI_Info_set(info, "ip_address", "198.51.100.77");
  CHECK(class_of(MPI_Open_port(info, other)) == MPI_ERR_PORT);
  MPI_Info_set(info, "ip_port", "many");
  CHECK(class_of(MPI_Open_port(info, other)) == MPI_ERR_INFO_VALUE);
  MPI_Info_free(&info);
  snprintf(name, sizeof name, "tessera test %d", (int)getpid());
  CHECK(class_of(MPI_Lookup_name(name, MPI_INFO_NULL, found)) == MPI_ERR_NAME);
  CHECK(MPI_Publish_name(name, MPI_INFO_NULL, port) == MPI_SUCCESS);
  CHECK(class_of(MPI_Publish_name(name, MPI_INFO_NULL, port)) == MPI_ERR_SERVICE);
  CHECK(MPI_Lookup_name(name, MPI_INFO_NULL, found) == MPI_SUCCESS && strcmp(found, port) == 0);
  CHECK(class_of(MPI_Unpublish_name("another", MPI_INFO_NULL, port)) == MPI_ERR_SERVICE);
  CHECK(MPI_Unpublish_name(name, MPI_INFO_NULL, port) == MPI_SUCCESS);
  CHECK(class_of(MPI_Unpublish_name(name, MPI_INFO_NULL, port)) == MPI_ERR_SERVICE);
  CHECK(class_of(MPI_Lookup_name(name, MPI_INFO_NULL, found)) == MPI_ERR_NAME);
  CHECK(class_of(MPI_Comm_join(-1, &inter)) == MPI_ERR_ARG);
  CHECK(pipe(files) == 0 && class_of(MPI_Comm_join(files[0], &inter)) == MPI_ERR_ARG);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && close(ends[1]) == 0);
  CHECK(MPI_Comm_join(ends[0], &inter) != MPI_SUCCESS); /* the other side has gone */
  CHECK(class_of(MPI_Comm_disconnect(&self)) == MPI_ERR_COMM);
  CHECK(MPI_Close_port(port) == MPI_SUCCESS);
}

/* req dynamic 2.17 req dynamic 2.18 req dynamic 2.20 */
static void join(int fd) {
  MPI_Comm inter;
  char byte = 'x', got = 0;
  const int flags = fcntl(fd, F_GETFL);
  MPI_Comm_join(fd, &inter);
  CHECK(inter != MPI_COMM_NULL && fcntl(fd, F_GETFL) == flags);
  talk(inter, fd % 2);
  CHECK(write(fd, &byte, 1) == 1 && read(fd, &got, 1) == 1 && got == 'x');
  MPI_Comm_disconnect(&inter);
}

/* Two processes that were started alone, with a pair of sockets. */
static int join_pair(const char* self) {
  int ends[2], status[2] = {1, 1};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
  pid_t children[2];
  for (int i = 0; i < 2; ++i) {
    char text[16];
    snprintf(text, sizeof text, "%d", ends[i]);
    children[i] = fork();
    if (children[i] == 0) {
      close(ends[1 - i]);
      execl(self, self, "join", text, (char*)NULL);
      _exit(127);
    }
  }
  close(ends[0]);
  close(ends[1]);
  for (int i = 0; i < 2; ++i) waitpid(children[i], &status[i], 0);
  return status[0] != 0 || status[1] != 0;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "errors";
  if (strcmp(what, "join-pair") == 0) return join_pair(argv[0]);
  MPI_Init(&argc, &argv);
  if (strcmp(what, "server") == 0) server(argv[2], atoi(argv[3]));
  if (strcmp(what, "client") == 0) client(argv[2], atoi(argv[3]), 0);
  if (strcmp(what, "stopped-client") == 0) client(argv[2], atoi(argv[3]), 1);
  if (strcmp(what, "errors") == 0) errors();
  if (strcmp(what, "join") == 0) join(atoi(argv[2]));
  MPI_Finalize();
  return 0;
}
