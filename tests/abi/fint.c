/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles and statuses as integers of Fortran, and back; compiled as C and as C++. */
#include <mpi_fint.h>
#include <stdio.h>

static int failures = 0;

#define CHECK(condition) check((condition), #condition, __LINE__)

static void check(int holds, const char* text, int line) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "fint.c:%d: not so: %s\n", line, text);
}

static void predefined(void) {
  CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
  CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_NULL)) == MPI_COMM_NULL);
  CHECK(MPI_Errhandler_f2c(MPI_Errhandler_c2f(MPI_ERRORS_RETURN)) == MPI_ERRORS_RETURN);
  CHECK(MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)) == MPI_FILE_NULL);
  CHECK(MPI_Group_f2c(MPI_Group_c2f(MPI_GROUP_EMPTY)) == MPI_GROUP_EMPTY);
  CHECK(MPI_Info_f2c(MPI_Info_c2f(MPI_INFO_ENV)) == MPI_INFO_ENV);
  CHECK(MPI_Message_f2c(MPI_Message_c2f(MPI_MESSAGE_NO_PROC)) == MPI_MESSAGE_NO_PROC);
  CHECK(MPI_Op_f2c(MPI_Op_c2f(MPI_SUM)) == MPI_SUM);
  CHECK(MPI_Request_f2c(MPI_Request_c2f(MPI_REQUEST_NULL)) == MPI_REQUEST_NULL);
  CHECK(MPI_Session_f2c(MPI_Session_c2f(MPI_SESSION_NULL)) == MPI_SESSION_NULL);
  CHECK(MPI_Type_f2c(MPI_Type_c2f(MPI_DOUBLE_PRECISION)) == MPI_DOUBLE_PRECISION);
  CHECK(MPI_Win_f2c(MPI_Win_c2f(MPI_WIN_NULL)) == MPI_WIN_NULL);
}

/* As a library does that gets its communicator from Fortran. */
static void made(void) {
  MPI_Comm comm;
  MPI_Datatype type;
  int size = 0;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Type_contiguous(3, MPI_INT, &type);
  const MPI_Fint f_comm = MPI_Comm_c2f(comm), f_type = MPI_Type_c2f(type);
  CHECK(MPI_Comm_f2c(f_comm) == comm && MPI_Type_f2c(f_type) == type);
  MPI_Type_size(MPI_Type_f2c(f_type), &size);
  CHECK(size == 3 * (int)sizeof(int));
  MPI_Type_free(&type);
  MPI_Comm_free(&comm);
}

static void statuses(void) {
  int number = 7, count = 0;
  MPI_Status status, again;
  MPI_Fint integers[MPI_F_STATUS_SIZE];
  status.MPI_ERROR = MPI_SUCCESS;
  MPI_Sendrecv(&number, 1, MPI_INT, 0, 9, &count, 1, MPI_INT, 0, 9, MPI_COMM_SELF, &status);
  CHECK(MPI_Status_c2f(&status, integers) == MPI_SUCCESS);
  CHECK(integers[0] == 0 && integers[1] == 9);
  CHECK(MPI_Status_f2c(integers, &again) == MPI_SUCCESS);
  CHECK(again.MPI_SOURCE == 0 && again.MPI_TAG == 9 && again.MPI_ERROR == status.MPI_ERROR);
  MPI_Get_count(&again, MPI_INT, &count);
  CHECK(count == 1);
  CHECK(MPI_Status_f2c(0, &again) == MPI_ERR_ARG && MPI_Status_c2f(&status, 0) == MPI_ERR_ARG);
}

int main(void) {
  MPI_Init(0, 0);
  predefined();
  made();
  statuses();
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
