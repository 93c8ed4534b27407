/* SPDX-License-Identifier: BSD-3-Clause */
/* Spawn: info keys that children see the effect of, MPI_UNIVERSE_SIZE, and what the root alone
 * says. */
#include <string.h>

#include "check.h"
#include "spawn.h"

/* ---- children ---- */

/* Calls that fail, before MPI_Init too, return; the handlers of the initial objects say why. */
static void child_handler(MPI_Comm parent) {
  MPI_Errhandler handler;
  const MPI_Comm comms[] = {MPI_COMM_WORLD, MPI_COMM_SELF, parent};
  int good = 1;
  for (int i = 0; i < 3; ++i) {
    MPI_Comm_get_errhandler(comms[i], &handler);
    good &= handler == MPI_ERRORS_RETURN;
  }
  good &= class_of(MPI_Send(&good, 1, MPI_INT, 99, 1, MPI_COMM_WORLD)) == MPI_ERR_RANK;
  MPI_Send(&good, 1, MPI_INT, 0, 1, parent);
}

void be_child_of_keys(const char* what, MPI_Comm parent) {
  if (strcmp(what, "handler") == 0) child_handler(parent);
}

/* ---- parents ---- */

static int heard_of(MPI_Comm inter, int child) {
  int value = -1;
  MPI_Recv(&value, 1, MPI_INT, child, 1, inter, MPI_STATUS_IGNORE);
  return value;
}

/* req dynamic 1.11: each command has its own handler; ours stays */
static void handler(void) {
  char *words[] = {"handler", NULL}, *number[] = {"number", NULL},
       *commands[] = {(char*)self, (char*)self}, **arguments[] = {words, number};
  const int most[] = {1, 1};
  MPI_Info infos[2] = {MPI_INFO_NULL, MPI_INFO_NULL};
  MPI_Errhandler mine;
  MPI_Comm inter;
  MPI_Info_create(&infos[0]);
  MPI_Info_set(infos[0], "mpi_initial_errhandler", "MPI_Errors_Return");
  MPI_Comm_spawn_multiple(2, commands, arguments, most, infos, 0, MPI_COMM_SELF, &inter,
                          MPI_ERRCODES_IGNORE);
  CHECK(heard_of(inter, 0) == 1);
  int got[3];
  MPI_Recv(got, 3, MPI_INT, 1, 1, inter, MPI_STATUS_IGNORE);
  MPI_Comm_get_errhandler(inter, &mine);
  CHECK(mine == MPI_ERRORS_ARE_FATAL);
  MPI_Comm_disconnect(&inter);
  MPI_Info_free(&infos[0]);
}

/* req dynamic 1.10: keys in a file, which those of the info object precede */
static void info_file(const char* name) {
  MPI_Info info;
  char *words[] = {"environment", NULL}, text[512];
  MPI_Info_create(&info);
  MPI_Info_set(info, "file", name);
  MPI_Info_set(info, "wdir", "/");
  MPI_Comm inter = children_of(MPI_COMM_SELF, words, 1, info);
  MPI_Recv(text, sizeof text, MPI_CHAR, 0, 1, inter, MPI_STATUS_IGNORE);
  CHECK(strcmp(text, "/") == 0);
  MPI_Recv(text, sizeof text, MPI_CHAR, 0, 1, inter, MPI_STATUS_IGNORE);
  CHECK(strcmp(text, "of the file") == 0);
  MPI_Comm_disconnect(&inter);
  MPI_Info_free(&info);
}

/* req errata 2.10 req dynamic 1.2: what counts at the root alone is nonsense elsewhere, and each
   process chooses whether it wants codes. */
static void root_alone(void) {
  int rank, size, codes[2] = {9, 9};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int root = 0; root < size; ++root) {
    for (int asker = 0; asker < size; ++asker) {
      const int here = rank == root;
      char* words[] = {"number", NULL};
      MPI_Comm inter;
      codes[0] = codes[1] = 9;
      MPI_Comm_spawn(here ? self : NULL, here ? words : NULL, here ? 2 : -7, MPI_INFO_NULL, root,
                     MPI_COMM_WORLD, &inter, rank == asker ? codes : MPI_ERRCODES_IGNORE);
      const int wanted = rank == asker ? MPI_SUCCESS : 9;
      CHECK(codes[0] == wanted && codes[1] == wanted);
      int got[3] = {9, 9, 9};
      for (int i = 0; rank == 0 && i < 2; ++i)
        MPI_Recv(got, 3, MPI_INT, i, 1, inter, MPI_STATUS_IGNORE);
      MPI_Comm_disconnect(&inter);
    }
  }
}

void keys(const char* what, char** argv) {
  if (strcmp(what, "handler") == 0) handler();
  if (strcmp(what, "info-file") == 0) info_file(argv[2]);
  if (strcmp(what, "root-alone") == 0) root_alone();
}
