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

}  // namespace

int main() {
  MPI_Init(nullptr, nullptr);
  const int me = rank_in(MPI_COMM_WORLD), n = size_of(MPI_COMM_WORLD);
  const int other = me % 2 == 0 ? me + 1 : me - 1;
  if (me % 2 == 0 && other < n) take_twos(other);
  if (me % 2 == 1) send_twos(other);
  return finish();
}
