// SPDX-License-Identifier: BSD-3-Clause
// Threads of each process in calls that could be taken for one another: collective operations on a
// communicator, a file and a window made of it; a wait and a cancel of one request; and threads
// that compute while the main thread communicates.
#include "../mpi/together.h"

#include <string>

#include "../io/scratch.h"

namespace {

constexpr int kRounds = 30;

void reduce(Place place) {
  for (int round = 0; round < kRounds; ++round) {
    int mine = place.rank + round, sum = -1;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum == place.size * (place.size - 1) / 2 + place.size * round, "the sum of a round");
  }
}

void write_file(MPI_File file, Place place) {
  for (int round = 0; round < kRounds; ++round) {
    const int mine = 1000 * place.rank + round;
    int back = -1;
    MPI_File_write_at_all(file, 4 * place.rank, &mine, 4, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(file, 4 * place.rank, &back, 4, MPI_BYTE, MPI_STATUS_IGNORE);
    expect(back == mine, "what a round wrote to the file");
  }
}

void put(MPI_Win win, const int* memory, Place place) {
  const int right = (place.rank + 1) % place.size;
  const int left = (place.rank + place.size - 1) % place.size;
  for (int round = 0; round < kRounds; ++round) {
    const int mine = 1000 * place.rank + round;
    MPI_Win_fence(0, win);
    MPI_Put(&mine, 1, MPI_INT, right, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    expect(*memory == 1000 * left + round, "what a round put into the window");
  }
}

// req errata 2.12
void three_objects(Place place) {
  MPI_File file = scratch_file(MPI_COMM_WORLD, "errata_threads");
  int* memory = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  together(3, [&](int thread) {
    if (thread == 0) reduce(place);
    if (thread == 1) write_file(file, place);
    if (thread == 2) put(win, memory, place);
  });
  MPI_Win_free(&win);
  MPI_File_close(&file);
}

// One thread sees to the completion, another cancels, a third may or may not send in time. The
// request is freed when all have done so: a handle that was freed cannot be cancelled.
// req errata 2.32
void cancelled_or_done(Place place) {
  for (int round = 0; round < 4 * kRounds; ++round) {
    int in = -1, out = round, cancelled = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&in, 1, MPI_INT, place.rank, 77, MPI_COMM_WORLD, &request);
    MPI_Request same = request;
    MPI_Status status;
    together(3, [&](int thread) {
      for (int done = 0; thread == 0 && done == 0;)
        MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
      if (thread == 1) MPI_Cancel(&same);
      if (thread == 2 && round % 2 == 0)
        MPI_Bsend(&out, 1, MPI_INT, place.rank, 77, MPI_COMM_WORLD);
    });
    MPI_Wait(&request, &status);
    expect(request == MPI_REQUEST_NULL, "the request is complete");
    MPI_Test_cancelled(&status, &cancelled);
    expect(cancelled != 0 ? in == -1 : in == round, "cancelled, or received whole");
    if (round % 2 != 0) expect(cancelled != 0, "what nothing matches is cancelled");
    if (round % 2 == 0 && cancelled != 0)
      MPI_Recv(&in, 1, MPI_INT, place.rank, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(round % 2 != 0 || in == round, "a message that was not received is there still");
  }
}

int run_three(int argc, char** argv) {
  const Place place = start_with_threads(argc, argv);
  char room[8192];
  MPI_Buffer_attach(room, sizeof room);
  three_objects(place);
  cancelled_or_done(place);
  void* detached = nullptr;
  int size = 0;
  MPI_Buffer_detach(&detached, &size);
  return finish_with_threads();
}

// Others compute; all calls are the main thread's.
// req errata 2.60
int run_funneled(int argc, char** argv) {
  int granted = -1, is_main = -1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &granted);
  expect(granted >= MPI_THREAD_FUNNELED, "MPI_THREAD_FUNNELED is granted");
  MPI_Is_thread_main(&is_main);
  expect(is_main == 1, "this is the main thread");
  Place place;
  MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &place.size);
  std::atomic<long> work{0};
  std::atomic<bool> over{false};
  std::thread other([&] {
    while (!over) ++work;
  });
  reduce(place);
  while (work == 0) std::this_thread::yield();
  over = true;
  other.join();
  return finish_with_threads();
}

}  // namespace

int main(int argc, char** argv) {
  const bool funneled = argc > 1 && std::string(argv[1]) == "funneled";
  return funneled ? run_funneled(argc, argv) : run_three(argc, argv);
}
