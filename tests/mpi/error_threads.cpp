// SPDX-License-Identifier: BSD-3-Clause
// The error of an operation that another thread has found, completed or both, with its text.
#include <signal.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "check.h"

namespace {

constexpr int kLong = 5, kToken = 6, kGo = 7;

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  return {text, static_cast<std::size_t>(length)};
}

void send_nothing(int to, int tag) {
  MPI_Send(nullptr, 0, MPI_INT, to, tag, MPI_COMM_WORLD);
}

void receive_nothing(int from, int tag) {
  MPI_Recv(nullptr, 0, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// A thread lets rank 1 begin and waits for its token, before which comes what the main thread has
// begun; the main thread is not in MPI then.
void let_a_thread_receive() {
  std::thread helper([] {
    send_nothing(1, kGo);
    receive_nothing(1, kToken);
  });
  helper.join();
}

int receive_too_little() {
  int small = 0;
  MPI_Request request;
  MPI_Irecv(&small, 1, MPI_INT, 1, kLong, MPI_COMM_WORLD, &request);
  let_a_thread_receive();
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void send_too_much() {
  int many[100] = {};
  receive_nothing(0, kGo);
  MPI_Send(many, 100, MPI_INT, 0, kLong, MPI_COMM_WORLD);
  send_nothing(0, kToken);
}

// So long that its sender waits for an answer, which it does not look for before a signal: the
// thread learns of the message, and the data comes when the main thread waits. What is strided is
// not copied at once.
constexpr int kInts = 1 << 18, kRoom = 1 << 14;

int receive_too_little_by_rendezvous() {
  std::vector<int> strided(2 * kRoom);
  MPI_Datatype every_other;
  MPI_Type_vector(kRoom, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  int sender = 0;
  MPI_Recv(&sender, 1, MPI_INT, 1, kGo, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Request request;
  MPI_Irecv(strided.data(), 1, every_other, 1, kLong, MPI_COMM_WORLD, &request);
  let_a_thread_receive();
  kill(sender, SIGUSR1);
  const int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_free(&every_other);
  return code;
}

void send_too_much_by_rendezvous(const sigset_t& go_on) {
  const int self = getpid();
  const std::vector<int> many(kInts);
  int signal = 0;
  MPI_Send(&self, 1, MPI_INT, 0, kGo, MPI_COMM_WORLD);
  receive_nothing(0, kGo);
  MPI_Request request;
  MPI_Isend(many.data(), kInts, MPI_INT, 0, kLong, MPI_COMM_WORLD, &request);
  send_nothing(0, kToken);
  sigwait(&go_on, &signal);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int gather(int count) {
  int mine[2] = {}, all[3];
  MPI_Request request;
  MPI_Igather(mine, count, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// The thread receives too much from rank 1, and the main thread the last part.
int gather_too_much() {
  int mine = 0, all[3];
  MPI_Request request;
  MPI_Igather(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  let_a_thread_receive();
  send_nothing(2, kGo);
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void take_part_in_gather(int rank) {
  receive_nothing(0, kGo);
  gather(rank == 1 ? 2 : 1);
  if (rank == 1) send_nothing(0, kToken);
}

void expect_truncated(int code, const char* words) {
  CHECK(class_of(code) == MPI_ERR_TRUNCATE);
  CHECK(text_of(code).find(words) != std::string::npos);
}

}  // namespace

int main(int argc, char** argv) {
  sigset_t go_on;
  sigemptyset(&go_on);
  sigaddset(&go_on, SIGUSR1);
  sigprocmask(SIG_BLOCK, &go_on, nullptr);  // for all threads, also those of the library
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int rank = rank_in(MPI_COMM_WORLD);
  if (rank == 0) {
    expect_truncated(receive_too_little(), "has 400 bytes");
    expect_truncated(receive_too_little_by_rendezvous(), "has 1048576 bytes");
  } else if (rank == 1) {
    send_too_much();
    send_too_much_by_rendezvous(go_on);
  }
  if (rank == 0) {
    expect_truncated(gather_too_much(), "rank 1 sent more than the 4 bytes that");
  } else {
    take_part_in_gather(rank);
  }
  return finish();
}
