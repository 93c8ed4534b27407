// SPDX-License-Identifier: BSD-3-Clause
// Partitioned communication: what arrives, in which pairs, part by part, and what is refused.
#include <algorithm>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "check.h"

namespace {

constexpr int kTag = 7;

int value_of(int index, int round) {
  return index * 3 + round * 1000 + 1;
}

struct Side {
  int partitions;
  int count;
};

// Rank 0 marks its partitions in any order; rank 1, with partitions of its own, sees them arrive.
// req dynamic 4.1, 4.8, 4.9, 4.10, 4.12, 4.13, 4.15, 4.17, 4.23, 4.24
void divided(const Side& from, const Side& to, int rounds) {
  const int me = rank_in(MPI_COMM_WORLD);
  const int elements = from.partitions * from.count;
  std::vector<int> data(static_cast<std::size_t>(elements), -1);
  MPI_Request request = MPI_REQUEST_NULL;
  if (me == 0)
    MPI_Psend_init(data.data(), from.partitions, from.count, MPI_INT, 1, kTag, MPI_COMM_WORLD,
                   MPI_INFO_NULL, &request);
  else
    MPI_Precv_init(data.data(), to.partitions, to.count, MPI_INT, 0, kTag, MPI_COMM_WORLD,
                   MPI_INFO_NULL, &request);
  std::mt19937 random(42);
  for (int round = 0; round < rounds; ++round) {
    MPI_Status status{};
    if (me == 0) {
      std::vector<int> order(static_cast<std::size_t>(from.partitions));
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), random);
      MPI_Start(&request);
      for (const int p : order) {
        for (int i = p * from.count; i < (p + 1) * from.count; ++i)
          data[static_cast<std::size_t>(i)] = value_of(i, round);
        CHECK(MPI_Pready(p, request) == MPI_SUCCESS);
      }
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Start(&request);
      for (int p = to.partitions - 1; p >= 0; --p) {
        for (int flag = 0; flag == 0;) MPI_Parrived(request, p, &flag);
        for (int i = p * to.count; i < (p + 1) * to.count; ++i)
          CHECK(data[static_cast<std::size_t>(i)] == value_of(i, round));
      }
      MPI_Wait(&request, &status);
      int count = 0;
      MPI_Get_count(&status, MPI_INT, &count);
      CHECK(status.MPI_SOURCE == 0 && status.MPI_TAG == kTag && count == elements);
      std::fill(data.begin(), data.end(), -1);
    }
  }
  MPI_Request_free(&request);
}

// Every second element of a buffer twice as long. req dynamic 4.8, 4.22
void types_with_gaps() {
  constexpr int kPartitions = 6;
  constexpr int kCount = 50;
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &pair);
  MPI_Type_commit(&pair);
  std::vector<int> data(2 * kPartitions * kCount, -1);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Request request = MPI_REQUEST_NULL;
  const int me = rank_in(comm);
  if (me == 0)
    MPI_Psend_init(data.data(), kPartitions, kCount, pair, 1, 0, comm, MPI_INFO_NULL, &request);
  else
    MPI_Precv_init(data.data(), 4, kPartitions * kCount / 4, pair, 0, 0, comm, MPI_INFO_NULL,
                   &request);
  MPI_Type_free(&pair);
  MPI_Comm_free(&comm);
  for (int i = 0; me == 0 && i < kPartitions * kCount; ++i)
    data[static_cast<std::size_t>(2 * i)] = value_of(i, 0);
  MPI_Start(&request);
  if (me == 0) MPI_Pready_range(0, kPartitions - 1, request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < kPartitions * kCount; ++i) {
    CHECK(data[static_cast<std::size_t>(2 * i)] == value_of(i, 0));
    CHECK(data[static_cast<std::size_t>(2 * i + 1)] == -1);
  }
  MPI_Request_free(&request);
}

// The order of initialization pairs them, whatever is started first; requests that are never
// started count, and leave nothing. req dynamic 4.2, 4.6, 4.20
void pairs_in_order_of_initialization() {
  const int me = rank_in(MPI_COMM_WORLD);
  int data[3] = {10, 20, 30};
  MPI_Request requests[3];
  for (int i = 0; i < 3; ++i) {
    if (me == 0)
      MPI_Psend_init(&data[i], 1, 1, MPI_INT, 1, kTag, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
    else
      MPI_Precv_init(&data[i], 1, 1, MPI_INT, 0, kTag, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
  }
  if (me == 1) data[0] = data[1] = data[2] = 0;
  MPI_Request_free(&requests[1]);
  for (const int i : {2, 0}) {
    MPI_Start(&requests[i]);
    if (me == 0) MPI_Pready(0, requests[i]);
  }
  for (const int i : {0, 2}) {
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[i]);
  }
  if (me == 1) CHECK(data[0] == 10 && data[1] == 0 && data[2] == 30);
}

// Ordinary messages of the same envelope neither see nor take any of it. req dynamic 4.7
void beside_ordinary_messages() {
  const int me = rank_in(MPI_COMM_WORLD);
  int part = 1, plain = 2;
  MPI_Request request = MPI_REQUEST_NULL;
  if (me == 0) {
    MPI_Psend_init(&part, 1, 1, MPI_INT, 1, kTag, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Pready(0, request);
    MPI_Send(&plain, 1, MPI_INT, 1, kTag, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    part = plain = 0;
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Recv(&plain, 1, MPI_INT, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(plain == 2);
    int flag = 1;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    CHECK(flag == 0);
    MPI_Precv_init(&part, 1, 1, MPI_INT, 0, kTag, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(part == 1);
  }
  MPI_Request_free(&request);
}

// A sender several starts ahead of a late receiver overwrites nothing. req dynamic 4.25, 4.26
void late_receiver() {
  const int me = rank_in(MPI_COMM_WORLD);
  constexpr int kRounds = 200;
  constexpr int kCount = 16384;  // more than shares a unit
  std::vector<int> data(4 * kCount);
  MPI_Request request = MPI_REQUEST_NULL;
  if (me == 0)
    MPI_Psend_init(data.data(), 4, kCount, MPI_INT, 1, kTag, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request);
  else
    MPI_Precv_init(data.data(), 4, kCount, MPI_INT, 0, kTag, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request);
  for (int round = 0; round < kRounds; ++round) {
    if (me == 0) std::fill(data.begin(), data.end(), round);
    MPI_Start(&request);
    if (me == 0) MPI_Pready_range(0, 3, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (me == 1)
      CHECK(std::all_of(data.begin(), data.end(), [&](int value) { return value == round; }));
  }
  MPI_Request_free(&request);
}

// A partition is there before others are marked: the sender marks those only when it is told so.
// req dynamic 4.9, 4.15
void one_leaves_early() {
  const int me = rank_in(MPI_COMM_WORLD);
  constexpr int kCount = 16384;  // more than shares a unit
  std::vector<int> data(4 * kCount);
  MPI_Request request = MPI_REQUEST_NULL;
  if (me == 0)
    MPI_Psend_init(data.data(), 4, kCount, MPI_INT, 1, kTag, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request);
  else
    MPI_Precv_init(data.data(), 4, kCount, MPI_INT, 0, kTag, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request);
  for (int early = 0; early < 4; ++early) {
    MPI_Start(&request);
    if (me == 0) {
      std::fill(data.begin(), data.end(), early + 1);
      MPI_Pready(early, request);
      MPI_Recv(nullptr, 0, MPI_INT, 1, kTag + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int p = 0; p < 4; ++p)
        if (p != early) MPI_Pready(p, request);
    } else {
      for (int p = 0, flag = 1; p < 4; ++p, flag = 1) {
        if (p == early) continue;
        MPI_Parrived(request, p, &flag);
        CHECK(flag == 0);
      }
      for (int flag = 0; flag == 0;) MPI_Parrived(request, early, &flag);
      CHECK(data[static_cast<std::size_t>(early * kCount)] == early + 1);
      MPI_Send(nullptr, 0, MPI_INT, 0, kTag + 1, MPI_COMM_WORLD);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
}

// Threads mark and look at the same time; another one waits. req dynamic 4.14, 4.18, 4.19
void many_threads() {
  const int me = rank_in(MPI_COMM_WORLD);
  constexpr int kThreads = 4, kEach = 64, kCount = 80, kRounds = 10;
  std::vector<int> data(kThreads * kEach * kCount);
  MPI_Request request = MPI_REQUEST_NULL;
  if (me == 0)
    MPI_Psend_init(data.data(), kThreads * kEach, kCount, MPI_INT, 1, kTag, MPI_COMM_WORLD,
                   MPI_INFO_NULL, &request);
  else
    MPI_Precv_init(data.data(), kThreads * kEach, kCount, MPI_INT, 0, kTag, MPI_COMM_WORLD,
                   MPI_INFO_NULL, &request);
  for (int round = 0; round < kRounds; ++round) {
    MPI_Start(&request);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int p = t; p < kThreads * kEach; p += kThreads) {
          for (int flag = 0; me == 1 && flag == 0;) MPI_Parrived(request, p, &flag);
          for (int i = p * kCount; i < (p + 1) * kCount; ++i) {
            if (me == 0) data[static_cast<std::size_t>(i)] = value_of(i, round);
            CHECK(data[static_cast<std::size_t>(i)] == value_of(i, round));
          }
          if (me == 0) MPI_Pready(p, request);
        }
      });
    }
    if (me == 0) {
      MPI_Request copy = request;
      MPI_Wait(&copy, MPI_STATUS_IGNORE);
    }
    for (std::thread& thread : threads) thread.join();
    if (me == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
}

// To oneself, and to nobody. req dynamic 4.4, 4.16, 4.22
void alone() {
  int out[4] = {1, 2, 3, 4}, in[4] = {};
  MPI_Request requests[2];
  MPI_Psend_init(out, 4, 1, MPI_INT, 0, kTag, MPI_COMM_SELF, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(in, 2, 2, MPI_INT, 0, kTag, MPI_COMM_SELF, MPI_INFO_NULL, &requests[1]);
  int flag = 0;
  CHECK(MPI_Parrived(requests[1], 0, &flag) == MPI_SUCCESS && flag == 1);
  for (int round = 0; round < 3; ++round) {
    in[3] = 0;
    MPI_Startall(2, requests);
    const int list[] = {3, 0, 2, 1};
    CHECK(MPI_Pready_list(4, list, requests[0]) == MPI_SUCCESS);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(std::equal(in, in + 4, out));
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);

  MPI_Psend_init(out, 2, 2, MPI_INT, MPI_PROC_NULL, kTag, MPI_COMM_SELF, MPI_INFO_NULL,
                 &requests[0]);
  MPI_Precv_init(in, 2, 2, MPI_INT, MPI_PROC_NULL, kTag, MPI_COMM_SELF, MPI_INFO_NULL,
                 &requests[1]);
  for (int round = 0; round < 3; ++round) {  // what is marked in one start says nothing of the next
    MPI_Startall(2, requests);
    if (round != 1) CHECK(MPI_Pready(0, requests[0]) == MPI_SUCCESS);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Startall(2, requests);
  CHECK(MPI_Pready(1, requests[0]) == MPI_SUCCESS);
  CHECK(MPI_Parrived(requests[1], 1, &flag) == MPI_SUCCESS && flag == 1);
  MPI_Status statuses[2];
  MPI_Waitall(2, requests, statuses);
  CHECK(statuses[1].MPI_SOURCE == MPI_PROC_NULL);
  for (MPI_Request& request : requests) MPI_Request_free(&request);
  flag = 0;
  CHECK(MPI_Parrived(MPI_REQUEST_NULL, 0, &flag) == MPI_SUCCESS && flag == 1);

  // Partitions without data. req dynamic 4.3
  MPI_Psend_init(nullptr, 3, 0, MPI_INT, 0, kTag, MPI_COMM_SELF, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(nullptr, 5, 0, MPI_INT, 0, kTag, MPI_COMM_SELF, MPI_INFO_NULL, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Pready_range(0, 2, requests[0]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

// req dynamic 4.3, 4.5, 4.8, 4.11, 4.16, 4.20, 4.24, 4.27, 4.29
void refused() {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  int data[4] = {}, flag = 0;
  MPI_Request send = MPI_REQUEST_NULL, receive = MPI_REQUEST_NULL;
  const auto psend = [&](int partitions, int count, int tag) {
    return class_of(MPI_Psend_init(data, partitions, count, MPI_INT, 0, tag, MPI_COMM_SELF,
                                   MPI_INFO_NULL, &send));
  };
  CHECK(psend(0, 1, kTag) == MPI_ERR_ARG);
  CHECK(psend(1, -1, kTag) == MPI_ERR_COUNT);
  CHECK(psend(1, 1, -1) == MPI_ERR_TAG);
  CHECK(class_of(MPI_Precv_init(data, 1, 1, MPI_INT, MPI_ANY_SOURCE, kTag, MPI_COMM_SELF,
                                MPI_INFO_NULL, &receive)) == MPI_ERR_RANK);
  CHECK(class_of(MPI_Precv_init(data, 1, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_SELF, MPI_INFO_NULL,
                                &receive)) == MPI_ERR_TAG);
  CHECK(psend(4, 1, kTag) == MPI_SUCCESS);
  MPI_Precv_init(data, 2, 1, MPI_INT, 0, kTag, MPI_COMM_SELF, MPI_INFO_NULL, &receive);
  CHECK(class_of(MPI_Pready(0, send)) == MPI_ERR_REQUEST);
  CHECK(class_of(MPI_Parrived(send, 0, &flag)) == MPI_ERR_REQUEST);
  MPI_Start(&send);
  MPI_Start(&receive);
  CHECK(class_of(MPI_Start(&send)) == MPI_ERR_REQUEST);
  CHECK(class_of(MPI_Pready(0, receive)) == MPI_ERR_REQUEST);
  CHECK(class_of(MPI_Pready(4, send)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Pready_range(2, 1, send)) == MPI_ERR_ARG);
  CHECK(MPI_Pready(1, send) == MPI_SUCCESS);
  CHECK(class_of(MPI_Pready(1, send)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Request_free(&send)) == MPI_ERR_REQUEST && send != MPI_REQUEST_NULL);
  CHECK(class_of(MPI_Cancel(&receive)) == MPI_ERR_REQUEST);
  CHECK(class_of(MPI_Parrived(receive, 2, &flag)) == MPI_ERR_ARG);
  for (const int p : {0, 2, 3}) MPI_Pready(p, send);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  CHECK(class_of(MPI_Wait(&receive, MPI_STATUS_IGNORE)) == MPI_ERR_TRUNCATE);
  MPI_Request_free(&send);
  MPI_Request_free(&receive);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  alone();
  refused();
  if (size_of(MPI_COMM_WORLD) > 1 && rank_in(MPI_COMM_WORLD) < 2) {
    divided({18, 5}, {5, 18}, 3);
    divided({1, 70}, {7, 10}, 3);
    divided({7, 10}, {1, 70}, 3);
    divided({1000, 1}, {10, 100}, 3);
    divided({3, 40000}, {4, 30000}, 3);          // 160 KB and more: rendezvous
    divided({40, 16384}, {16, 40960}, 5);        // 64 KiB: neighbours leave together
    divided({1'000'000, 1}, {1'000, 1'000}, 1);  // req dynamic 4.28
    divided({1'000, 1'000}, {1'000'000, 1}, 1);
    beside_ordinary_messages();
    pairs_in_order_of_initialization();
    late_receiver();
    one_leaves_early();
    many_threads();
  }
  if (size_of(MPI_COMM_WORLD) == 2) types_with_gaps();
  return finish();
}
