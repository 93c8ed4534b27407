// SPDX-License-Identifier: BSD-3-Clause
// MPI_THREAD_MULTIPLE: a thread that waits keeps no other thread from working. On 2 ranks. Each way
// of waiting ends only after another thread of the same rank has done thousands of ping-pongs;
// where that needs the lock of the one that waits, nothing ever ends and the time-out does.
// Argument: ping-pongs (2000).
#include <functional>

#include "together.h"

namespace {

Place place;
int ping_pongs = 2000;
constexpr int kPing = 1, kWanted = 2;

int peer() {
  return 1 - place.rank;
}

void play(MPI_Comm comm) {
  for (int i = 0; i < ping_pongs; ++i) {
    int ball = i, back = -1;
    if (place.rank == 0) MPI_Send(&ball, 1, MPI_INT, peer(), kPing, comm);
    MPI_Recv(&back, 1, MPI_INT, peer(), kPing, comm, MPI_STATUS_IGNORE);
    if (place.rank == 1) MPI_Send(&back, 1, MPI_INT, peer(), kPing, comm);
    expect(back == i, "a ping-pong goes on beside a thread that waits");
  }
}

// One thread of each rank waits in `wait` while another plays; when both have played, that one does
// `release`, which ends the wait.
void beside(MPI_Comm comm, const std::function<void()>& wait,
            const std::function<void()>& release) {
  std::atomic<bool> played{false};
  together(2, [&](int thread) {
    if (thread == 0) {
      wait();
      expect(played, "nothing ends the wait before its time");
      return;
    }
    play(comm);
    played = true;
    MPI_Barrier(comm);
    release();
  });
  MPI_Barrier(MPI_COMM_WORLD);
}

void send_to(int to) {
  const int value = 42;
  MPI_Send(&value, 1, MPI_INT, to, kWanted, MPI_COMM_WORLD);
}

void receive_from(int from) {
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, from, kWanted, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect(value == 42, "the wanted message comes");
}

void wait_for_probe() {
  MPI_Status status;
  MPI_Probe(MPI_ANY_SOURCE, kWanted, MPI_COMM_WORLD, &status);
  receive_from(status.MPI_SOURCE);
}

void wait_for_request() {
  int value = 0;
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, kWanted, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(value == 42, "the wanted message comes");
}

// A long message waits for its receive, which is posted late.
void send_long(std::vector<int>& data) {
  MPI_Send(data.data(), static_cast<int>(data.size()), MPI_INT, peer(), kWanted, MPI_COMM_WORLD);
}

void receive_long() {
  std::vector<int> data(1 << 18);
  MPI_Recv(data.data(), static_cast<int>(data.size()), MPI_INT, peer(), kWanted, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  expect(data.front() == 7 && data.back() == 7, "a long message comes whole");
}

// Only one rank waits in the barrier at first: the other comes when the game is over.
void barrier_beside(MPI_Comm game, MPI_Comm meeting) {
  together(2, [&](int thread) {
    if (thread == 1) play(game);
    if ((thread == 0) == (place.rank == 0)) MPI_Barrier(meeting);
  });
}

}  // namespace

int main(int argc, char** argv) {
  place = start_with_threads(argc, argv);
  if (argc > 1) ping_pongs = std::atoi(argv[1]);
  MPI_Comm game, meeting;
  MPI_Comm_dup(MPI_COMM_WORLD, &game);
  MPI_Comm_dup(MPI_COMM_WORLD, &meeting);
  // Released by the other rank, and by a thread of the same process, whose message nobody rings
  // for.
  beside(
      game, [] { receive_from(peer()); }, [] { send_to(peer()); });
  beside(
      game, [] { receive_from(place.rank); }, [] { send_to(place.rank); });
  beside(game, wait_for_probe, [] { send_to(peer()); });
  beside(game, wait_for_request, [] { send_to(place.rank); });
  std::vector<int> data(1 << 18, 7);
  beside(
      game, [&] { send_long(data); }, receive_long);
  barrier_beside(game, meeting);
  MPI_Comm_free(&game);
  MPI_Comm_free(&meeting);
  return finish_with_threads();
}
