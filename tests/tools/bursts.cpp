// SPDX-License-Identifier: BSD-3-Clause
// Partitions that are marked in one burst leave as one message from the second start on. Runs where
// a message is said to cost a second, so that all marks are a burst.
#include <algorithm>
#include <vector>

#include "tool.h"

namespace {

constexpr int kTag = 7;
constexpr int kPartitions = 4;
constexpr int kCount = 16384;  // more than shares a unit

// Rank 1 sees partition 0 before the others are marked: a process that waits lets go of it.
void mark_the_first_and_wait(MPI_Request request) {
  if (rank_in(MPI_COMM_WORLD) == 0) {
    MPI_Pready(0, request);
    MPI_Recv(nullptr, 0, MPI_INT, 1, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Pready_range(1, kPartitions - 1, request);
  } else {
    for (int flag = 0; flag == 0;) MPI_Parrived(request, 0, &flag);
    MPI_Send(nullptr, 0, MPI_INT, 0, kTag, MPI_COMM_WORLD);
  }
}

// The messages that rank 0 sent for one start.
template <class Mark>
unsigned long long messages(MPI_Request& request, std::vector<int>& data, int value, Mark mark) {
  const bool sends = rank_in(MPI_COMM_WORLD) == 0;
  const Counter sent("pml_ob1_messages_sent", MPI_T_PVAR_CLASS_COUNTER);
  if (sends) std::fill(data.begin(), data.end(), value);
  MPI_Start(&request);
  mark(request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(std::all_of(data.begin(), data.end(), [value](int element) { return element == value; }));
  return sends ? sent.value() : 0;
}

}  // namespace

int main(int argc, char** argv) {
  start_tools();
  MPI_Init(&argc, &argv);
  const bool sends = rank_in(MPI_COMM_WORLD) == 0;
  std::vector<int> data(std::size_t{kPartitions} * kCount);
  MPI_Request request = MPI_REQUEST_NULL;
  if (sends)
    MPI_Psend_init(data.data(), kPartitions, kCount, MPI_INT, 1, kTag, MPI_COMM_WORLD,
                   MPI_INFO_NULL, &request);
  else
    MPI_Precv_init(data.data(), kPartitions, kCount, MPI_INT, 0, kTag, MPI_COMM_WORLD,
                   MPI_INFO_NULL, &request);
  const auto mark_all = [sends](MPI_Request started) {
    for (int p = kPartitions - 1; sends && p >= 0; --p) MPI_Pready(p, started);
  };
  // The announcement, and messages with their notices: of the first mark, and of the rest.
  const auto first = messages(request, data, 1, mark_all);
  if (sends) CHECK(first >= 5);
  for (int round = 2; round < 5; ++round) {
    const auto one = messages(request, data, round, mark_all);
    if (sends) CHECK(one == 2);
  }
  const auto two = messages(request, data, 5, mark_the_first_and_wait);
  if (sends) CHECK(two >= 4);
  MPI_Request_free(&request);
  MPI_T_finalize();
  return finish();
}
