// SPDX-License-Identifier: BSD-3-Clause
// Generalized requests: when the program's callbacks run, and what becomes of their error codes.
#include <string>

#include "check.h"

namespace {

std::string log_text;  // which callbacks ran
int query_code = MPI_SUCCESS, free_code = MPI_SUCCESS, cancel_code = MPI_SUCCESS;
int handled = MPI_SUCCESS;  // the code that the error handler got

int query(void*, MPI_Status* status) {
  log_text += 'q';
  MPI_Status_set_elements(status, MPI_INT, 3);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = 5;
  status->MPI_TAG = 6;
  return query_code;
}

int release(void*) {
  log_text += 'f';
  return free_code;
}

int cancel(void*, int complete) {
  log_text += complete != 0 ? 'C' : 'c';
  return cancel_code;
}

void note(MPI_Comm*, int* code, ...) {
  handled = *code;
}

std::string taken() {
  std::string text;
  text.swap(log_text);
  return text;
}

int taken_code() {
  const int code = handled;
  handled = MPI_SUCCESS;
  return code;
}

MPI_Request start() {
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK(MPI_Grequest_start(query, release, cancel, nullptr, &request) == MPI_SUCCESS);
  return request;
}

MPI_Request completed() {
  const MPI_Request request = start();
  CHECK(MPI_Grequest_complete(request) == MPI_SUCCESS);
  return request;
}

void test_success() {
  MPI_Request request = completed();
  MPI_Status status;
  int count = 0;
  CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS && request == MPI_REQUEST_NULL);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == 3 && status.MPI_SOURCE == 5 && status.MPI_TAG == 6 && taken() == "qf");
}

// Freed before it is complete: the callback runs when both have happened.
void test_freed_early() {
  MPI_Request request = start(), copy = request;
  CHECK(MPI_Request_free(&request) == MPI_SUCCESS && taken().empty());
  free_code = MPI_ERR_IO;
  CHECK(MPI_Grequest_complete(copy) == MPI_ERR_IO && taken() == "f" && taken_code() == MPI_ERR_IO);
  request = completed();
  CHECK(MPI_Request_free(&request) == MPI_ERR_IO && request == MPI_REQUEST_NULL && taken() == "f");
  CHECK(taken_code() == MPI_ERR_IO);
  free_code = MPI_SUCCESS;
}

void test_codes(int added) {
  query_code = added;
  MPI_Request request = completed();
  int flag = 0;
  CHECK(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE) == added && flag == 1);
  CHECK(taken_code() == added && taken() == "q");
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == added && request == MPI_REQUEST_NULL);
  CHECK(taken_code() == added && taken() == "qf");
  free_code = MPI_ERR_FILE;  // that of the last callback
  request = completed();
  CHECK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE) == MPI_ERR_FILE && flag == 1);
  CHECK(taken_code() == MPI_ERR_FILE && taken() == "qf");
  query_code = free_code = MPI_SUCCESS;
  cancel_code = MPI_ERR_ACCESS;
  request = start();
  CHECK(MPI_Cancel(&request) == MPI_ERR_ACCESS && taken_code() == MPI_ERR_ACCESS);
  MPI_Grequest_complete(request);
  CHECK(MPI_Cancel(&request) == MPI_ERR_ACCESS && taken() == "cC");
  cancel_code = MPI_SUCCESS;
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && taken() == "qf");
}

void test_lists() {
  free_code = MPI_ERR_FILE;
  MPI_Request requests[2] = {completed(), MPI_REQUEST_NULL};
  MPI_Status statuses[2];
  MPI_Irecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &requests[1]);
  CHECK(MPI_Waitall(2, requests, statuses) == MPI_ERR_IN_STATUS);
  CHECK(statuses[0].MPI_ERROR == MPI_ERR_FILE && statuses[1].MPI_ERROR == MPI_SUCCESS);
  CHECK(taken() == "qf");
  requests[0] = completed();
  int index = -1;
  CHECK(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE) == MPI_ERR_FILE && index == 0);
  CHECK(taken() == "qf");
  free_code = MPI_SUCCESS;
  taken_code();
}

void test_completed_twice() {
  MPI_Request request = completed();
  CHECK(class_of(MPI_Grequest_complete(request)) == MPI_ERR_REQUEST);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && taken() == "qf");
}

}  // namespace

int main() {
  MPI_Init(nullptr, nullptr);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(note, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  int added;
  MPI_Add_error_code(MPI_ERR_OTHER, &added);
  test_success();
  test_freed_early();
  test_codes(added);
  test_lists();
  test_completed_twice();
  MPI_Errhandler_free(&handler);
  return finish();
}
