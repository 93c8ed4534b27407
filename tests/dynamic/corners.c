/* SPDX-License-Identifier: BSD-3-Clause */
/* Spawn and meetings in corners: sets for each command, threads, sessions, who is who in three
   jobs. The program spawns itself. Usage: corners CASE [NUMBER]; the cases are the names in main().
 */
#include <string.h>

#include "check.h"
#include "corners.h"

const char* self;

MPI_Comm children(MPI_Comm comm, const char* what, const char* more, int n) {
  char *words[] = {(char*)what, (char*)more, NULL}, *none[] = {(char*)what, NULL};
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Comm_spawn(self, more != NULL ? words : none, n, MPI_INFO_NULL, 0, comm, &inter,
                 MPI_ERRCODES_IGNORE);
  return inter;
}

static int attribute(int key) {
  int *value = NULL, flag = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag);
  CHECK(flag);
  return *value;
}

static MPI_Info info_with(const char* key, const char* value) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, key, value);
  return info;
}

/* ---- soft ---- */

/* req dynamic 1.23 */
static void soft_sets(void) {
  char *commands[] = {(char*)self, (char*)self}, *words[] = {"number", NULL},
       **arguments[] = {words, words};
  const int most[] = {3, 4};
  MPI_Info infos[] = {info_with("soft", "2"), info_with("soft", "0:3:3")};
  int codes[7], started[2] = {0, 0}, remote = 0, number = -1;
  MPI_Comm inter;
  MPI_Comm_spawn_multiple(2, commands, arguments, most, infos, 0, MPI_COMM_SELF, &inter, codes);
  MPI_Comm_remote_size(inter, &remote);
  CHECK(remote == 5);
  for (int i = 0; i < 7; ++i) {
    CHECK(codes[i] == MPI_SUCCESS || class_of(codes[i]) == MPI_ERR_SPAWN);
    started[i < 3 ? 0 : 1] += codes[i] == MPI_SUCCESS;
  }
  CHECK(started[0] == 2 && started[1] == 3);
  for (int i = 0; i < remote; ++i) {
    MPI_Recv(&number, 1, MPI_INT, i, 1, inter, MPI_STATUS_IGNORE);
    CHECK(number == (i < 2 ? 0 : 1));
  }
  MPI_Comm_disconnect(&inter);
  MPI_Info_free(&infos[0]);
  MPI_Info_free(&infos[1]);
}

static void send_number(MPI_Comm parent) {
  const int number = attribute(MPI_APPNUM);
  MPI_Send(&number, 1, MPI_INT, 0, 1, parent);
}

/* ---- what a process knows of its start ---- */

/* req dynamic 1.20: children are told the same, unless there are more of them */
static void universe(int wanted) {
  int size = 0, told = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int mine = attribute(MPI_UNIVERSE_SIZE);
  CHECK(mine >= size && (wanted == 0 || mine == (wanted > size ? wanted : size)));
  MPI_Comm inter = children(MPI_COMM_WORLD, "universe", NULL, 1);
  MPI_Bcast(&told, 1, MPI_INT, 0, inter);
  CHECK(told == (wanted > 0 ? wanted : told) && told >= 1);
  MPI_Comm_disconnect(&inter);
}

static void tell_universe(MPI_Comm parent) {
  int told = attribute(MPI_UNIVERSE_SIZE);
  MPI_Bcast(&told, 1, MPI_INT, MPI_ROOT, parent);
}

static void told(const char* key, const char* wanted) {
  char value[1024] = "";
  int room = sizeof value, flag = 0;
  MPI_Info_get_string(MPI_INFO_ENV, key, &room, value, &flag);
  CHECK(flag && strstr(value, wanted) != NULL);
}

/* req dynamic 1.30 */
static void know_start(MPI_Comm parent) {
  (void)parent;
  told("command", "dynamic_corners");
  told("argv", "start");
  told("maxprocs", "2");
}

/* ---- who is who ---- */

/* Whether rank i of group a is rank k of group b. */
static int same(MPI_Group a, int i, MPI_Group b, int k) {
  int found = MPI_UNDEFINED;
  MPI_Group_translate_ranks(a, 1, &i, b, &found);
  return found == k;
}

static MPI_Group others_of(MPI_Comm inter) {
  MPI_Group group;
  MPI_Comm_remote_group(inter, &group);
  return group;
}

/* req dynamic 2.29: the first job spawns the second; both spawn the third, to which the second
   connects once more. The second is the same process in all groups. */
static void identity(void) {
  MPI_Comm second = children(MPI_COMM_SELF, "second", NULL, 1), both, third;
  MPI_Group of_second = others_of(second), of_both;
  MPI_Intercomm_merge(second, 0, &both);
  MPI_Comm_group(both, &of_both);
  CHECK(same(of_both, 1, of_second, 0) && same(of_both, 0, of_second, MPI_UNDEFINED));
  third = children(both, "third", NULL, 1);
  MPI_Group of_third = others_of(third);
  CHECK(same(of_third, 0, of_both, MPI_UNDEFINED));
  MPI_Group_free(&of_second);
  MPI_Group_free(&of_both);
  MPI_Group_free(&of_third);
  MPI_Comm_disconnect(&third);
  MPI_Comm_disconnect(&both);
  MPI_Comm_disconnect(&second);
}

static void be_second(MPI_Comm parent) {
  MPI_Comm both, third, again;
  char port[MPI_MAX_PORT_NAME];
  MPI_Intercomm_merge(parent, 1, &both);
  third = children(both, "third", NULL, 1);
  MPI_Open_port(MPI_INFO_NULL, port);
  MPI_Send(port, sizeof port, MPI_CHAR, 0, 1, third);
  MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &again);
  MPI_Group once = others_of(third), twice = others_of(again);
  int result = -1;
  MPI_Group_compare(once, twice, &result);
  CHECK(result == MPI_IDENT);
  MPI_Group_free(&once);
  MPI_Group_free(&twice);
  MPI_Close_port(port);
  MPI_Comm_disconnect(&again);
  MPI_Comm_disconnect(&third);
  MPI_Comm_disconnect(&both);
}

static void be_third(MPI_Comm parent) {
  MPI_Comm again;
  char port[MPI_MAX_PORT_NAME];
  MPI_Recv(port, sizeof port, MPI_CHAR, 1, 1, parent, MPI_STATUS_IGNORE);
  MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &again);
  MPI_Group once = others_of(parent), twice = others_of(again);
  CHECK(same(twice, 0, once, 1));
  MPI_Group_free(&once);
  MPI_Group_free(&twice);
  MPI_Comm_disconnect(&again);
}

/* ---- what an engine is asked, or refuses ---- */

static void fails(const char* program, const char* key, const char* value) {
  char text[MPI_MAX_ERROR_STRING];
  int codes[2] = {0, 0}, length, rank;
  MPI_Info info = info_with(key, value);
  MPI_Comm inter = MPI_COMM_WORLD;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int code =
      MPI_Comm_spawn(program, MPI_ARGV_NULL, 2, info, 0, MPI_COMM_WORLD, &inter, codes);
  CHECK(class_of(code) == MPI_ERR_SPAWN && inter == MPI_COMM_NULL);
  CHECK(class_of(codes[0]) == MPI_ERR_SPAWN && class_of(codes[1]) == MPI_ERR_SPAWN);
  MPI_Error_string(code, text, &length);
  if (rank == 0) puts(text);
  MPI_Info_free(&info);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void missing(void) {
  fails("/no/such/program", "none", "");
  fails("no-such-program-anywhere", "none", "");
  fails("/etc/passwd", "none", "");
  fails(self, "wdir", "/no/such/directory");
}

/* ---- ends ---- */

enum { kMany = 1 << 20 };
static char data[kMany];

/* req dynamic 10.15: parents and children finalize without MPI_Comm_disconnect; what was sent
   arrives. The handles of what is never freed stay where LeakSanitizer finds them. */
static void finalize_connected(void) {
  static MPI_Comm inter;
  int rank;
  inter = children(MPI_COMM_WORLD, "finalize", NULL, 2);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; rank == 0 && i < 2; ++i) {
    MPI_Send("short", 6, MPI_CHAR, i, 1, inter);
    MPI_Send(data, kMany, MPI_CHAR, i, 2, inter);
  }
}

static void be_finalizing_child(MPI_Comm parent) {
  MPI_Recv(data, kMany, MPI_CHAR, 0, 1, parent, MPI_STATUS_IGNORE);
  CHECK(strcmp(data, "short") == 0);
  MPI_Recv(data, kMany, MPI_CHAR, 0, 2, parent, MPI_STATUS_IGNORE);
  CHECK(data[0] == 0);
}

/* req dynamic 10.9: the parents use sessions alone */
static int spawn_of_session(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm, inter;
  int number = -1;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "parents", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  inter = children(comm, "number", NULL, 1);
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) MPI_Recv(&number, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE);
  MPI_Comm_disconnect(&inter);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  return rank == 0 && number != 0;
}

/* ---- */

static void be_child(MPI_Comm parent, const char* what) {
  if (strcmp(what, "number") == 0) send_number(parent);
  if (strcmp(what, "universe") == 0) tell_universe(parent);
  if (strcmp(what, "start") == 0) know_start(parent);
  if (strcmp(what, "second") == 0) be_second(parent);
  if (strcmp(what, "third") == 0) be_third(parent);
  if (strcmp(what, "finalize") == 0) be_finalizing_child(parent);
  if (strcmp(what, "finalize") != 0) MPI_Comm_disconnect(&parent);
}

static void be_parent(const char* what, int number) {
  if (strcmp(what, "soft-sets") == 0) soft_sets();
  if (strcmp(what, "universe") == 0) universe(number);
  threads(what);
  if (strcmp(what, "identity") == 0) identity();
  if (strcmp(what, "finalize") == 0) finalize_connected();
  if (strcmp(what, "missing") == 0) missing();
  if (strcmp(what, "refused") == 0) fails(self, "none", "");
  if (strcmp(what, "start") == 0) {
    MPI_Comm inter = children(MPI_COMM_WORLD, "start", NULL, 2);
    MPI_Comm_disconnect(&inter);
  }
}

int main(int argc, char** argv) {
  static MPI_Comm parent;
  int level = 0;
  const char* what = argc > 1 ? argv[1] : "";
  self = argv[0];
  if (strcmp(what, "session") == 0) return spawn_of_session();
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  CHECK(level == MPI_THREAD_MULTIPLE);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL)
    be_child(parent, what);
  else
    be_parent(what, argc > 2 ? atoi(argv[2]) : 0);
  MPI_Finalize();
  return 0;
}
