/* SPDX-License-Identifier: BSD-3-Clause */
/* Spawn: arguments, results, errors. The program spawns itself; a child's first argument says what
   it does. Usage: spawn CASE; the cases are the names in the table at the end. */
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "spawn.h"

const char* self;

MPI_Comm children_of(MPI_Comm comm, char** words, int n, MPI_Info info) {
  MPI_Comm inter = MPI_COMM_NULL;
  int codes[64];
  memset(codes, 77, sizeof codes);
  MPI_Comm_spawn(self, words, n, info, 0, comm, &inter, codes);
  for (int i = 0; i < n; ++i) CHECK(codes[i] == MPI_SUCCESS);
  return inter;
}

/* ---- children ---- */

static void child_exchange(
    MPI_Comm parent) { /* sends its rank times ten to parent 0, takes it back plus one */
  int rank, value;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  value = 10 * rank;
  MPI_Send(&value, 1, MPI_INT, 0, 1, parent);
  MPI_Recv(&value, 1, MPI_INT, 0, 2, parent, MPI_STATUS_IGNORE);
  CHECK(value == 10 * rank + 1);
}

static void child_merge(MPI_Comm parent) {
  MPI_Comm all;
  int sum = 0, one = 1, size;
  MPI_Intercomm_merge(parent, 1, &all);
  MPI_Comm_size(all, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
  CHECK(sum == size);
  MPI_Comm_disconnect(&all);
}

static void child_chain(MPI_Comm parent, int depth) { /* passes what the deepest one sends */
  int value = 4711;
  if (depth > 0) {
    char text[16];
    snprintf(text, sizeof text, "%d", depth - 1);
    char* words[] = {"chain", text, NULL};
    MPI_Comm below = children_of(MPI_COMM_SELF, words, 1, MPI_INFO_NULL);
    MPI_Recv(&value, 1, MPI_INT, 0, 1, below, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&below);
  }
  MPI_Send(&value, 1, MPI_INT, 0, 1, parent);
}

static void child_words(MPI_Comm parent, int argc,
                        char** argv) { /* sends its arguments as they are */
  MPI_Send(&argc, 1, MPI_INT, 0, 1, parent);
  for (int i = 1; i < argc; ++i)
    MPI_Send(argv[i], (int)strlen(argv[i]) + 1, MPI_CHAR, 0, 2, parent);
}

static void child_environment(MPI_Comm parent) {
  char directory[512] = "";
  const char* value = getenv("TESSERA_TEST_GIVEN");
  CHECK(getcwd(directory, sizeof directory) != NULL);
  if (value == NULL) value = "";
  MPI_Send(directory, (int)strlen(directory) + 1, MPI_CHAR, 0, 1, parent);
  MPI_Send(value, (int)strlen(value) + 1, MPI_CHAR, 0, 1, parent);
}

static void child_number(MPI_Comm parent) { /* which command it is of, and its place in the world */
  int *app, flag, got[3];
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &app, &flag);
  CHECK(flag);
  got[0] = *app;
  MPI_Comm_rank(MPI_COMM_WORLD, &got[1]);
  MPI_Comm_size(MPI_COMM_WORLD, &got[2]);
  MPI_Send(got, 3, MPI_INT, 0, 1, parent);
}

static int be_child(MPI_Comm parent, int argc, char** argv) {
  MPI_Comm again;
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Comm_get_parent(&again);
  CHECK(again == parent); /* req dynamic 1.18 */
  MPI_Comm_get_name(parent, name, &length);
  CHECK(strcmp(name, "MPI_COMM_PARENT") == 0); /* req dynamic 1.17 req errata 1.10 */
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "exchange") == 0) child_exchange(parent);
  if (strcmp(what, "merge") == 0) child_merge(parent);
  if (strcmp(what, "chain") == 0) child_chain(parent, atoi(argv[2]));
  if (strcmp(what, "words") == 0) child_words(parent, argc, argv);
  if (strcmp(what, "environment") == 0) child_environment(parent);
  if (strcmp(what, "number") == 0) child_number(parent);
  be_child_of_keys(what, parent);
  MPI_Comm_disconnect(&parent);
  MPI_Comm_get_parent(&again);
  CHECK(again == MPI_COMM_NULL); /* req dynamic 1.18 */
  MPI_Finalize();
  return 0;
}

/* ---- parents ---- */

/* req dynamic 1.14 req dynamic 1.15 req dynamic 1.16 req dynamic 1.6 */
void exchange(void) {
  char* words[] = {"exchange", NULL};
  MPI_Comm inter = children_of(MPI_COMM_WORLD, words, 3, MPI_INFO_NULL);
  int rank, remote, local, size, value;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_size(inter, &local);
  MPI_Comm_remote_size(inter, &remote);
  CHECK(local == size && remote == 3);
  for (int i = 0; rank == 0 && i < 3; ++i) {
    MPI_Recv(&value, 1, MPI_INT, i, 1, inter, MPI_STATUS_IGNORE);
    CHECK(value == 10 * i);
    ++value;
    MPI_Send(&value, 1, MPI_INT, i, 2, inter);
  }
  MPI_Comm_disconnect(&inter);
  CHECK(inter == MPI_COMM_NULL);
}

/* Every rank orders children for itself, all at the same moment, while the children of the round
   before end. */
static void at_once(int rounds) {
  char* words[] = {"exchange", NULL};
  for (int round = 0; round < rounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm inter = children_of(MPI_COMM_SELF, words, 2, MPI_INFO_NULL);
    for (int i = 0; i < 2; ++i) {
      int value;
      MPI_Recv(&value, 1, MPI_INT, i, 1, inter, MPI_STATUS_IGNORE);
      CHECK(value == 10 * i);
      ++value;
      MPI_Send(&value, 1, MPI_INT, i, 2, inter);
    }
    MPI_Comm_disconnect(&inter);
  }
}

/* req dynamic 2.27 */
static void merge(void) {
  char* words[] = {"merge", NULL};
  MPI_Comm inter = children_of(MPI_COMM_WORLD, words, 2, MPI_INFO_NULL), all;
  int sum = 0, one = 1, size, mine, rank, where;
  MPI_Intercomm_merge(inter, 0, &all);
  MPI_Comm_size(all, &size);
  MPI_Comm_size(MPI_COMM_WORLD, &mine);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_rank(all, &where);
  CHECK(size == mine + 2 && where == rank);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
  CHECK(sum == size);
  MPI_Comm_disconnect(&all);
  MPI_Comm_disconnect(&inter);
}

/* req dynamic 1.24 */
static void chain(void) {
  char* words[] = {"chain", "2", NULL};
  MPI_Comm inter = children_of(MPI_COMM_SELF, words, 1, MPI_INFO_NULL);
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE);
  CHECK(value == 4711);
  MPI_Comm_disconnect(&inter);
}

/* req dynamic 1.3 */
static void words_arrive(void) {
  char* words[] = {"words",
                   "",
                   "a b",
                   "\"quoted\" 'twice' $HOME",
                   "two\nlines",
                   "Gr\xc3\xbc\xc3\x9f"
                   "e",
                   NULL};
  MPI_Comm inter = children_of(MPI_COMM_SELF, words, 1, MPI_INFO_NULL);
  int count = 0;
  char text[256];
  MPI_Recv(&count, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE);
  CHECK(count == 7);
  for (int i = 0; i < 6; ++i) {
    MPI_Recv(text, sizeof text, MPI_CHAR, 0, 2, inter, MPI_STATUS_IGNORE);
    CHECK(strcmp(text, words[i]) == 0);
  }
  MPI_Comm_disconnect(&inter);
}

/* req dynamic 1.10 req dynamic 1.28 */
static void environment(void) {
  MPI_Info info;
  char *words[] = {"environment", NULL}, text[512];
  MPI_Info_create(&info);
  MPI_Info_set(info, "wdir", "/");
  MPI_Info_set(info, "env", "TESSERA_TEST_GIVEN=yes=so\nTESSERA_TEST_OTHER=1");
  MPI_Info_set(info, "nobody_knows_this", "1"); /* req dynamic 1.9 */
  MPI_Comm inter = children_of(MPI_COMM_SELF, words, 1, info);
  MPI_Recv(text, sizeof text, MPI_CHAR, 0, 1, inter, MPI_STATUS_IGNORE);
  CHECK(strcmp(text, "/") == 0);
  MPI_Recv(text, sizeof text, MPI_CHAR, 0, 1, inter, MPI_STATUS_IGNORE);
  CHECK(strcmp(text, "yes=so") == 0);
  MPI_Comm_disconnect(&inter);
  MPI_Info_free(&info);
}

/* req dynamic 1.19 req dynamic 1.21 req dynamic 1.22 */
static void multiple(void) {
  char *commands[] = {(char*)self, (char*)self}, *words[] = {"number", NULL},
       **arguments[] = {words, words};
  const int most[] = {1, 2};
  const MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
  int codes[3] = {9, 9, 9}, got[3];
  MPI_Comm inter;
  MPI_Comm_spawn_multiple(2, commands, arguments, most, infos, 0, MPI_COMM_SELF, &inter, codes);
  for (int i = 0; i < 3; ++i) {
    CHECK(codes[i] == MPI_SUCCESS);
    MPI_Recv(got, 3, MPI_INT, i, 1, inter, MPI_STATUS_IGNORE);
    CHECK(got[0] == (i == 0 ? 0 : 1) && got[1] == i && got[2] == 3);
  }
  MPI_Comm_disconnect(&inter);
}

/* req dynamic 1.8 req dynamic 1.4 */
static void soft(void) {
  static const struct {
    const char* set;
    int most, started;
  } cases[] = {{"0:10", 2, 2}, {"2:10:4", 4, 2}, {"7,3", 3, 3}, {"3:1:-2", 2, 1}, {"0", 3, 0}};
  for (unsigned k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    int codes[8], good = 0, remote = -1;
    MPI_Info info;
    MPI_Comm inter;
    MPI_Info_create(&info);
    MPI_Info_set(info, "soft", cases[k].set);
    MPI_Comm_spawn(self, MPI_ARGV_NULL, cases[k].most, info, 0, MPI_COMM_SELF, &inter, codes);
    MPI_Comm_remote_size(inter, &remote);
    CHECK(remote == cases[k].started);
    for (int i = 0; i < cases[k].most; ++i) {
      good += codes[i] == MPI_SUCCESS;
      CHECK(codes[i] == MPI_SUCCESS || class_of(codes[i]) == MPI_ERR_SPAWN);
    }
    CHECK(good == cases[k].started);
    MPI_Comm_disconnect(&inter);
    MPI_Info_free(&info);
  }
}

static void fails(const char* program, char** words, const char* key, const char* value,
                  int error_class) {
  int codes[2] = {0, 0}, code, rank, length;
  char text[MPI_MAX_ERROR_STRING];
  MPI_Info info;
  MPI_Comm inter = MPI_COMM_WORLD;
  MPI_Info_create(&info);
  if (key != NULL) MPI_Info_set(info, key, value);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  code = MPI_Comm_spawn(program, words, 2, info, 0, MPI_COMM_WORLD, &inter, codes);
  CHECK(class_of(code) == error_class && inter == MPI_COMM_NULL);
  MPI_Error_string(code, text, &length);
  CHECK(error_class != MPI_ERR_SPAWN ||
        (class_of(codes[0]) == MPI_ERR_SPAWN && class_of(codes[1]) == MPI_ERR_SPAWN));
  if (rank == 0 && getenv("TESSERA_TEST_VERBOSE") != NULL) puts(text);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Info_free(&info);
}

/* req dynamic 1.1 */
static void wrong_arguments(void) {
  int size, code;
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  code = MPI_Comm_spawn(self, MPI_ARGV_NULL, 1, MPI_INFO_NULL, size, MPI_COMM_WORLD, &inter,
                        MPI_ERRCODES_IGNORE);
  CHECK(class_of(code) == MPI_ERR_ROOT);
  code = MPI_Comm_spawn(self, MPI_ARGV_NULL, -1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                        MPI_ERRCODES_IGNORE);
  CHECK(class_of(code) == MPI_ERR_ARG);
  code = MPI_Comm_spawn(self, MPI_ARGV_NULL, 0, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                        MPI_ERRCODES_IGNORE);
  CHECK(code == MPI_SUCCESS);
  MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
  MPI_Comm none;
  code =
      MPI_Comm_spawn(self, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, inter, &none, MPI_ERRCODES_IGNORE);
  CHECK(class_of(code) == MPI_ERR_COMM);
  MPI_Comm_free(&inter);
}

/* req dynamic 1.5 req dynamic 1.7 req dynamic 1.10 req dynamic 1.12
   req dynamic 1.26 req dynamic 1.27 */
static void errors(void) {
  char *three[] = {"-c", "exit 3", NULL}, *die[] = {"-c", "kill -9 $$", NULL};
  fails("/no/such/program", MPI_ARGV_NULL, NULL, NULL, MPI_ERR_SPAWN);
  fails("no-such-program-anywhere", MPI_ARGV_NULL, NULL, NULL, MPI_ERR_SPAWN);
  fails("/etc/passwd", MPI_ARGV_NULL, NULL, NULL, MPI_ERR_SPAWN);
  fails("/bin/true", MPI_ARGV_NULL, NULL, NULL, MPI_ERR_SPAWN);
  fails("/bin/sh", three, NULL, NULL, MPI_ERR_SPAWN);
  fails("/bin/sh", die, NULL, NULL, MPI_ERR_SPAWN);
  fails(self, MPI_ARGV_NULL, "wdir", "/no/such/directory", MPI_ERR_SPAWN);
  fails(self, MPI_ARGV_NULL, "host", "another-host.invalid", MPI_ERR_SPAWN);
  fails(self, MPI_ARGV_NULL, "arch", "pdp11", MPI_ERR_SPAWN);
  fails(self, MPI_ARGV_NULL, "file", "/no/such/file", MPI_ERR_SPAWN);
  fails(self, MPI_ARGV_NULL, "file", "/etc/passwd", MPI_ERR_ARG);
  fails(self, MPI_ARGV_NULL, "mpi_initial_errhandler", "mpi_errors_ignored", MPI_ERR_ARG);
  fails(self, MPI_ARGV_NULL, "soft", "1:2:0", MPI_ERR_ARG);
  fails(self, MPI_ARGV_NULL, "env", "no assignment", MPI_ERR_ARG);
  wrong_arguments();
  exchange(); /* nothing has suffered */
}

int main(int argc, char** argv) {
  MPI_Comm parent;
  self = argv[0];
  if (argc > 1 && strcmp(argv[1], "handler") == 0 && getenv("TESSERA_INITIAL_ERRHANDLER") != NULL)
    CHECK(MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS); /* before MPI_Init: the initial handler */
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) return be_child(parent, argc, argv);
  const char* what = argc > 1 ? argv[1] : "exchange";
  if (strcmp(what, "exchange") == 0) exchange();
  if (strcmp(what, "merge") == 0) merge();
  if (strcmp(what, "chain") == 0) chain();
  if (strcmp(what, "words") == 0) words_arrive();
  if (strcmp(what, "environment") == 0) environment();
  if (strcmp(what, "multiple") == 0) multiple();
  if (strcmp(what, "soft") == 0) soft();
  if (strcmp(what, "errors") == 0) errors();
  keys(what, argv);
  if (strcmp(what, "farm") == 0) farm(atoi(argv[2]));
  if (strcmp(what, "at-once") == 0) at_once(atoi(argv[2]));
  MPI_Finalize();
  return 0;
}
