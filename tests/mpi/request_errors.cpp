// SPDX-License-Identifier: BSD-3-Clause
// Errors of calls with several operations: who reports them, and what is not waited for.
#include <sys/resource.h>

#include <string>

#include "check.h"

namespace {

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return text;
}

// MPI_Startall reports as itself, with the place in the list.
void test_startall() {
  int number = 0;
  MPI_Request requests[2];
  MPI_Recv_init(&number, 1, MPI_INT, 0, 7, MPI_COMM_SELF, &requests[0]);
  MPI_Irecv(&number, 1, MPI_INT, 0, 8, MPI_COMM_SELF, &requests[1]);
  const int code = MPI_Startall(2, requests);
  CHECK(class_of(code) == MPI_ERR_REQUEST);
  CHECK(text_of(code).find("MPI_Startall: argument `array_of_requests[1]` is not persistent") == 0);
  for (MPI_Request& request : requests) {
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  CHECK(text_of(MPI_Startall(1, requests))
            .find("MPI_Startall: argument `array_of_requests[0]` is no"
                  " request") == 0);
}

// The send half fails, since no descriptor is left for a connection: the message that would then
// never come is not waited for. (Over TCP; run with the argument `unreachable`.)
void test_failing_sendrecv() {
  if (rank_in(MPI_COMM_WORLD) == 0) {
    rlimit allowed{};
    getrlimit(RLIMIT_NOFILE, &allowed);
    rlimit none = allowed;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_NOFILE, &none);
    int out = 1, in = 2;
    CHECK(class_of(MPI_Sendrecv(&out, 1, MPI_INT, 1, 0, &in, 1, MPI_INT, MPI_ANY_SOURCE, 5,
                                MPI_COMM_WORLD, MPI_STATUS_IGNORE)) == MPI_ERR_PROC_ABORTED);
    CHECK(in == 2);
    CHECK(class_of(MPI_Sendrecv_replace(&out, 1, MPI_INT, 1, 0, 1, 5, MPI_COMM_WORLD,
                                        MPI_STATUS_IGNORE)) == MPI_ERR_PROC_ABORTED);
    setrlimit(RLIMIT_NOFILE, &allowed);
  }
  if (failures > 0) MPI_Abort(MPI_COMM_WORLD, 1);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  test_startall();
  if (argc > 1 && std::string(argv[1]) == "unreachable") test_failing_sendrecv();
  return finish();
}
