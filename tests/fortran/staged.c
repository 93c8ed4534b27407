/* SPDX-License-Identifier: BSD-3-Clause */
/* C completes, starts and frees requests of Fortran (staged.f90), and MPIX_Request_stage refuses
 * what it cannot stage. */
#include <mpi.h>
#include <mpix.h>
#include <stddef.h>

void c_wait(int* number);
void c_test(int* number);
void c_start(int* number);
void c_free(int* number);
int c_refused(void);
int c_staged(void);

void c_wait(int* number) {
  MPI_Request request = MPI_Request_fromint(*number);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  *number = MPI_Request_toint(request);
}

void c_test(int* number) {
  MPI_Request request = MPI_Request_fromint(*number);
  for (int done = 0; !done;) MPI_Testall(1, &request, &done, MPI_STATUSES_IGNORE);
  *number = MPI_Request_toint(request);
}

void c_start(int* number) {
  MPI_Request request = MPI_Request_fromint(*number);
  MPI_Startall(1, &request);
}

void c_free(int* number) {
  MPI_Request request = MPI_Request_fromint(*number);
  MPI_Request_free(&request);
  *number = MPI_Request_toint(request);
}

static void count(void* state) {
  ++*(int*)state;
}

static int is_class(int code, int expected) {
  int class = MPI_SUCCESS;
  MPI_Error_class(code, &class);
  return class == expected;
}

static int query(void* extra, MPI_Status* status) {
  (void)extra;
  (void)status;
  return MPI_SUCCESS;
}

static int nothing(void* extra) {
  (void)extra;
  return MPI_SUCCESS;
}

static int cancel(void* extra, int complete) {
  (void)extra;
  (void)complete;
  return MPI_SUCCESS;
}

/* The number of mistakes that are not told as they should be. */
int c_refused(void) {
  int wrong = 0;
  int calls = 0;
  int value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Errhandler before;
  MPI_Comm_get_errhandler(MPI_COMM_SELF, &before);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  wrong += !is_class(MPIX_Request_stage(NULL, count, count, count, &calls), MPI_ERR_REQUEST);
  wrong += !is_class(MPIX_Request_stage(&request, count, count, count, &calls), MPI_ERR_REQUEST);
  MPI_Grequest_start(query, nothing, cancel, NULL, &request);
  wrong += !is_class(MPIX_Request_stage(&request, count, count, count, &calls), MPI_ERR_REQUEST);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
  wrong += !is_class(MPIX_Request_stage(&request, NULL, count, count, &calls), MPI_ERR_ARG);
  wrong += !is_class(MPIX_Request_stage(&request, count, NULL, count, &calls), MPI_ERR_ARG);
  wrong += !is_class(MPIX_Request_stage(&request, count, count, NULL, &calls), MPI_ERR_ARG);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
  MPI_Start(&request);
  wrong += !is_class(MPIX_Request_stage(&request, count, count, count, &calls), MPI_ERR_REQUEST);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, before);
  MPI_Errhandler_free(&before);
  return wrong + calls;
}

struct counts {
  int staged, unstaged, released;
};

static void staged(void* state) {
  ++((struct counts*)state)->staged;
}

static void unstaged(void* state) {
  ++((struct counts*)state)->unstaged;
}

static void released(void* state) {
  ++((struct counts*)state)->released;
}

/* How often each function ran, as one number: 3 starts, 3 ends, 1 release. */
int c_staged(void) {
  struct counts counts = {0, 0, 0};
  int in = 0;
  int out = 7;
  MPI_Request request;
  MPI_Recv_init(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
  MPIX_Request_stage(&request, staged, unstaged, released, &counts);
  for (int i = 0; i < 3; ++i) {
    MPI_Start(&request);
    MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  return 100 * counts.staged + 10 * counts.unstaged + counts.released;
}
