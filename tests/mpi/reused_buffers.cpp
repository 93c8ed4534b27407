// SPDX-License-Identifier: BSD-3-Clause
// A send buffer may be changed as soon as the send is complete, however long the message is and
// whichever way it goes: each message has what the buffer held when it was sent.
#include <mpi.h>

#include <algorithm>
#include <vector>

#include "check.h"

namespace {

constexpr int kTimes = 12;
constexpr int kWords[] = {1 << 10, 1 << 15, 1 << 18, (1 << 18) + 77};

void send_all(std::vector<int>& buffer, int words) {
  MPI_Request persistent;
  MPI_Send_init(buffer.data(), words, MPI_INT, 1, 0, MPI_COMM_WORLD, &persistent);
  for (int i = 0; i < kTimes; ++i) {
    std::fill_n(buffer.begin(), words, i);
    MPI_Request request;
    switch (i % 4) {
      case 0:
        MPI_Send(buffer.data(), words, MPI_INT, 1, 0, MPI_COMM_WORLD);
        break;
      case 1:
        MPI_Isend(buffer.data(), words, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
      case 2:
        MPI_Ssend(buffer.data(), words, MPI_INT, 1, 0, MPI_COMM_WORLD);
        break;
      default:
        MPI_Start(&persistent);
        for (int done = 0; done == 0;) MPI_Test(&persistent, &done, MPI_STATUS_IGNORE);
    }
    std::fill_n(buffer.begin(), words, -1);
  }
  MPI_Request_free(&persistent);
}

// Some receives stand before the message comes, some do not, and one has holes.
void receive_all(std::vector<int>& buffer, int words) {
  MPI_Datatype pairs;
  MPI_Type_vector(words / 2, 1, 2, MPI_INT, &pairs);
  MPI_Type_commit(&pairs);
  for (int i = 0; i < kTimes; ++i) {
    std::fill(buffer.begin(), buffer.end(), -2);
    if (i % 3 == 1) MPI_Probe(0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (i % 5 == 4 && words % 2 == 0) {
      MPI_Recv(buffer.data(), 2, pairs, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(std::count(buffer.begin(), buffer.end(), i) == words);
    } else {
      MPI_Recv(buffer.data(), words, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(std::count(buffer.begin(), buffer.begin() + words, i) == words);
    }
  }
  MPI_Type_free(&pairs);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::vector<int> buffer(1 << 20);
  for (const int words : kWords)
    rank_in(MPI_COMM_WORLD) == 0 ? send_all(buffer, words) : receive_all(buffer, words);
  return finish();
}
