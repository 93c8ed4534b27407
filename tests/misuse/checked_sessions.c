/* SPDX-License-Identifier: BSD-3-Clause */
/* What programs with sessions forget: checked_sessions CASE. */
#include <mpi.h>
#include <string.h>

static MPI_Session open_session(void) {
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  return session;
}
static void forget_group(MPI_Session session) {
  MPI_Group group;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
}
static void forget_info(void) {
  MPI_Info info;
  MPI_Info_create(&info);
}
static void forget_type(void) {
  MPI_Datatype type;
  MPI_Type_contiguous(2, MPI_INT, &type);
}

static void alone(void) {
  MPI_Session session = open_session();
  forget_group(session);
  MPI_Session_finalize(&session);
}

/* Each of the two is told once. */
static void after(void) {
  MPI_Session session;
  MPI_Init(NULL, NULL);
  forget_info();
  MPI_Finalize();
  session = open_session();
  forget_group(session);
  MPI_Session_finalize(&session);
}

/* The type is freed in time: nothing of a session that goes on is told at MPI_Finalize. */
static void around(void) {
  MPI_Session session = open_session();
  MPI_Datatype type;
  MPI_Init(NULL, NULL);
  MPI_Type_contiguous(3, MPI_INT, &type);
  forget_info();
  MPI_Finalize();
  MPI_Type_free(&type);
  MPI_Session_finalize(&session);
}

static void left_open(void) {
  open_session();
  forget_type();
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (strcmp(argv[1], "alone") == 0) alone();
  if (strcmp(argv[1], "after") == 0) after();
  if (strcmp(argv[1], "around") == 0) around();
  if (strcmp(argv[1], "left_open") == 0) left_open();
  return 0;
}
