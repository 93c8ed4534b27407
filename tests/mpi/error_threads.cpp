// SPDX-License-Identifier: BSD-3-Clause
// The error of an operation that another thread completed, with its text.
#include <string>
#include <thread>

#include "check.h"

namespace {

constexpr int kLong = 5, kToken = 6, kGo = 7;

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  return {text, static_cast<std::size_t>(length)};
}

// The helper waits for the token; before it comes the long message, which completes the receive of
// the main thread, which is not in MPI then.
int receive_too_little() {
  int small = 0;
  MPI_Request request;
  MPI_Irecv(&small, 1, MPI_INT, 1, kLong, MPI_COMM_WORLD, &request);
  std::thread helper([] {
    MPI_Send(nullptr, 0, MPI_INT, 1, kGo, MPI_COMM_WORLD);
    MPI_Recv(nullptr, 0, MPI_INT, 1, kToken, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  helper.join();
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void send_too_much() {
  int many[100] = {};
  MPI_Recv(nullptr, 0, MPI_INT, 0, kGo, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(many, 100, MPI_INT, 0, kLong, MPI_COMM_WORLD);
  MPI_Send(nullptr, 0, MPI_INT, 0, kToken, MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank_in(MPI_COMM_WORLD) == 0) {
    const int code = receive_too_little();
    CHECK(class_of(code) == MPI_ERR_TRUNCATE);
    CHECK(text_of(code).find("has 400 bytes") != std::string::npos);
  } else if (rank_in(MPI_COMM_WORLD) == 1) {
    send_too_much();
  }
  return finish();
}
