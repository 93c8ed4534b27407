// SPDX-License-Identifier: BSD-3-Clause
// MPI_Mprobe takes one message, however many arrive while it waits.
#include "check.h"

namespace {

constexpr int kRounds = 500;

// Messages come in twos, and only when the receiver is about to wait for them.
void send_twos(int to) {
  for (int i = 0; i < kRounds; ++i) {
    MPI_Recv(nullptr, 0, MPI_INT, to, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int number = 2 * i; number < 2 * i + 2; ++number)
      MPI_Send(&number, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
  }
}

void take(int from, int expected) {
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  int number = -1;
  CHECK(MPI_Mprobe(from, 0, MPI_COMM_WORLD, &message, &status) == MPI_SUCCESS);
  CHECK(message != MPI_MESSAGE_NULL && status.MPI_SOURCE == from && status.MPI_TAG == 0);
  CHECK(MPI_Mrecv(&number, 1, MPI_INT, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(message == MPI_MESSAGE_NULL && number == expected);
}

void take_twos(int from) {
  for (int i = 0; i < kRounds && failures == 0; ++i) {
    MPI_Send(nullptr, 0, MPI_INT, from, 1, MPI_COMM_WORLD);
    take(from, 2 * i);
    if (failures > 0) MPI_Abort(MPI_COMM_WORLD, 1);  // the second message is lost
    take(from, 2 * i + 1);
  }
}

int told = 0;  // by the communicator that the message was matched on

void note(MPI_Comm*, int*, ...) {
  ++told;
}

// A failed receive is reported to the communicator of the probe, even if that was freed since.
void test_truncation() {
  MPI_Comm comm;
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(note, &handler);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_set_errhandler(comm, handler);
  const int numbers[2] = {1, 2};
  int number = -1;
  MPI_Message messages[2];
  MPI_Request sends[2], receive;
  for (int i = 0; i < 2; ++i) {
    MPI_Isend(numbers, 2, MPI_INT, 0, i, comm, &sends[i]);
    MPI_Mprobe(0, i, comm, &messages[i], MPI_STATUS_IGNORE);
  }
  CHECK(class_of(MPI_Mrecv(&number, 1, MPI_INT, &messages[0], MPI_STATUS_IGNORE)) ==
            MPI_ERR_TRUNCATE &&
        told == 1);
  MPI_Comm_free(&comm);
  CHECK(MPI_Imrecv(&number, 1, MPI_INT, &messages[1], &receive) == MPI_SUCCESS);
  CHECK(class_of(MPI_Wait(&receive, MPI_STATUS_IGNORE)) == MPI_ERR_TRUNCATE && told == 2);
  MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
  MPI_Errhandler_free(&handler);
}

}  // namespace

int main() {
  MPI_Init(nullptr, nullptr);
  test_truncation();
  const int me = rank_in(MPI_COMM_WORLD), n = size_of(MPI_COMM_WORLD);
  const int other = me % 2 == 0 ? me + 1 : me - 1;
  if (me % 2 == 0 && other < n) take_twos(other);
  if (me % 2 == 1) send_twos(other);
  return finish();
}
