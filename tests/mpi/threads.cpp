// SPDX-License-Identifier: BSD-3-Clause
// MPI_THREAD_MULTIPLE: many threads of all ranks in point-to-point calls, requests, probes and
// collective operations at once; every message is checked. Arguments: threads per rank (4), rounds
// (60).
#include "together.h"

namespace {

Place place;
int threads = 4;
int rounds = 60;

// Sizes around the limits of protocols, in ints.
constexpr int kSizes[] = {0, 1, 8, 200, 1024, 9000, 40000};

int word(int from, int thread, int size, int i) {
  return from * 1009 + thread * 131 + size * 17 + i;
}

std::vector<int> message(int from, int thread, int size) {
  std::vector<int> data(static_cast<std::size_t>(size) + 1);
  for (int i = 0; i < size; ++i) data[static_cast<std::size_t>(i)] = word(from, thread, size, i);
  return data;
}

bool right(const std::vector<int>& data, int from, int thread, int size, const MPI_Status& status) {
  int count = -1;
  MPI_Get_count(&status, MPI_INT, &count);
  if (count != size || status.MPI_SOURCE != from) return false;
  for (int i = 0; i < size; ++i) {
    if (data[static_cast<std::size_t>(i)] != word(from, thread, size, i)) return false;
  }
  return true;
}

// Each thread exchanges with its like on the next rank, by all sizes.
void exchange(MPI_Comm comm, int thread, int tag) {
  const int next = (place.rank + 1) % place.size,
            previous = (place.rank + place.size - 1) % place.size;
  for (int size : kSizes) {
    const std::vector<int> out = message(place.rank, thread, size);
    std::vector<int> in(out.size());
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(in.data(), size, MPI_INT, previous, tag, comm, &request);
    MPI_Send(out.data(), size, MPI_INT, next, tag, comm);
    MPI_Wait(&request, &status);
    expect(right(in, previous, thread, size, status), "a thread gets what its like has sent");
  }
}

void own_tags() {
  together(threads, [](int thread) {
    for (int round = 0; round < rounds; ++round) exchange(MPI_COMM_WORLD, thread, 100 + thread);
  });
}

// Duplicates are made by several threads at once, each of its own parent.
void own_communicators() {
  std::vector<MPI_Comm> parents(static_cast<std::size_t>(threads));
  for (MPI_Comm& parent : parents) MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  together(threads, [&](int thread) {
    MPI_Comm& parent = parents[static_cast<std::size_t>(thread)];
    for (int round = 0; round < rounds; ++round) {
      MPI_Comm mine;
      MPI_Comm_dup(parent, &mine);
      exchange(mine, thread, 5);
      MPI_Comm_free(&mine);
    }
    MPI_Comm_free(&parent);
  });
}

// Counts which letters came; each must come once.
class Register {
 public:
  Register() : came_(static_cast<std::size_t>(place.size * threads * rounds)) {}
  void enter(const Letter& letter, const MPI_Status& status) {
    const bool known =
        letter.intact() && letter.rank == status.MPI_SOURCE && letter.number < rounds;
    expect(known, "a letter is intact and comes from who wrote it");
    if (known)
      ++came_[static_cast<std::size_t>((letter.rank * threads + letter.thread) * rounds +
                                       letter.number)];
  }
  void check() const {
    for (const auto& times : came_) expect(times == 1, "each letter comes exactly once");
  }

 private:
  std::vector<std::atomic<int>> came_;
};

void write_letters(int thread, int tag) {
  for (int number = 0; number < rounds; ++number) {
    const Letter letter = Letter::of(place.rank, thread, number);
    for (int to = 0; to < place.size; ++to)
      MPI_Send(&letter, kLetterInts, MPI_INT, to, tag + thread, MPI_COMM_WORLD);
  }
}

// Half of the threads of a team write to everybody, the others take what comes, from anybody with
// any tag.
template <class Take>
void post_office(Take take) {
  Register entries;
  together(2 * threads, [&](int thread) {
    if (thread < threads) return write_letters(thread, 200);
    for (int i = 0; i < place.size * rounds; ++i) take(entries);
  });
  entries.check();
  MPI_Barrier(MPI_COMM_WORLD);
}

void take_by_receive(Register& entries) {
  Letter letter{};
  MPI_Status status;
  MPI_Recv(&letter, kLetterInts, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  entries.enter(letter, status);
}

void take_by_test(Register& entries) {
  Letter letter{};
  MPI_Status status;
  MPI_Request request;
  MPI_Irecv(&letter, kLetterInts, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  for (int done = 0; done == 0; std::this_thread::yield()) MPI_Test(&request, &done, &status);
  entries.enter(letter, status);
}

// Nobody else can take what this thread has found.
void take_by_mprobe(Register& entries) {
  Letter letter{};
  MPI_Status found, status;
  MPI_Message handle;
  MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &handle, &found);
  MPI_Mrecv(&letter, kLetterInts, MPI_INT, &handle, &status);
  expect(found.MPI_SOURCE == status.MPI_SOURCE && found.MPI_TAG == status.MPI_TAG,
         "a probed message is the one received");
  entries.enter(letter, status);
}

void take_by_improbe(Register& entries) {
  Letter letter{};
  MPI_Status status;
  MPI_Message handle;
  for (int flag = 0; flag == 0; std::this_thread::yield())
    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &handle, &status);
  MPI_Mrecv(&letter, kLetterInts, MPI_INT, &handle, &status);
  entries.enter(letter, status);
}

// A receive that is withdrawn either has its message or was cancelled; the message is received
// afterwards then.
void cancel_one(int thread, int tag) {
  const Letter out = Letter::of(place.rank, thread, tag);
  const int next = (place.rank + 1) % place.size,
            previous = (place.rank + place.size - 1) % place.size;
  Letter in{};
  MPI_Request request;
  MPI_Status status;
  int cancelled = 0;
  MPI_Irecv(&in, kLetterInts, MPI_INT, previous, tag, MPI_COMM_WORLD, &request);
  MPI_Send(&out, kLetterInts, MPI_INT, next, tag, MPI_COMM_WORLD);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  if (cancelled != 0) MPI_Recv(&in, kLetterInts, MPI_INT, previous, tag, MPI_COMM_WORLD, &status);
  expect(in.intact() && in.rank == previous && in.thread == thread,
         "a message outlives a cancelled receive");
}

void cancelled_receives() {
  together(threads, [](int thread) {
    for (int round = 0; round < rounds; ++round) cancel_one(thread, 300 + thread);
  });
}

// Several requests of a thread complete in any order.
void sets_of_requests() {
  constexpr int kCount = 8;
  together(threads, [](int thread) {
    for (int round = 0; round < rounds; ++round) {
      Letter in[kCount]{}, out[kCount]{};
      MPI_Request requests[2 * kCount];
      for (int i = 0; i < kCount; ++i) {
        out[i] = Letter::of(place.rank, thread, i);
        const int tag = 400 + thread * kCount + i;
        MPI_Irecv(&in[i], kLetterInts, MPI_INT, (place.rank + 1) % place.size, tag, MPI_COMM_WORLD,
                  &requests[i]);
        MPI_Isend(&out[i], kLetterInts, MPI_INT, (place.rank + place.size - 1) % place.size, tag,
                  MPI_COMM_WORLD, &requests[kCount + i]);
      }
      int index = -1;
      for (int i = 0; i < kCount / 2; ++i)
        MPI_Waitany(2 * kCount, requests, &index, MPI_STATUS_IGNORE);
      MPI_Waitall(2 * kCount, requests, MPI_STATUSES_IGNORE);
      for (int i = 0; i < kCount; ++i)
        expect(in[i].intact() && in[i].number == i, "each request has its own message");
    }
  });
}

void collect(MPI_Comm comm, int thread, int round) {
  const int value = place.rank + thread * 10 + round;
  int sum = 0, all = place.size * (thread * 10 + round) + place.size * (place.size - 1) / 2;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
  expect(sum == all, "an allreduce adds what the threads of its communicator gave");
  const int root = round % place.size;
  std::vector<int> data = message(place.rank == root ? root : -1, thread, 3000);
  MPI_Bcast(data.data(), 3000, MPI_INT, root, comm);
  expect(data == message(root, thread, 3000), "a bcast brings the data of its root");
  std::vector<int> out(static_cast<std::size_t>(place.size), value), in(out.size());
  MPI_Request request;
  MPI_Ialltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < place.size; ++i)
    expect(in[static_cast<std::size_t>(i)] == i + thread * 10 + round,
           "an ialltoall brings everybody's value");
  MPI_Barrier(comm);
}

void collectives() {
  std::vector<MPI_Comm> comms(static_cast<std::size_t>(threads));
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  together(threads, [&](int thread) {
    for (int round = 0; round < rounds; ++round)
      collect(comms[static_cast<std::size_t>(thread)], thread, round);
  });
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  place = start_with_threads(argc, argv);
  if (argc > 1) threads = std::atoi(argv[1]);
  if (argc > 2) rounds = std::atoi(argv[2]);
  own_tags();
  own_communicators();
  for (auto take : {take_by_receive, take_by_test, take_by_mprobe, take_by_improbe})
    post_office(take);
  cancelled_receives();
  sets_of_requests();
  collectives();
  return finish_with_threads();
}
