// SPDX-License-Identifier: BSD-3-Clause
// Synchronisation and atomics: what must hold between processes, by kind of window.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "check.h"
#include "window.h"

namespace {

using rma::me;
using rma::n;
using rma::Window;

// req rma 8.6, 8.2, 8.5, 15.6, 7.8, 12.2, 11.21
void counter(bool create) {
  Window w(create, 1);
  const int rounds = 200;
  std::vector<std::int64_t> seen;
  MPI_Win_lock_all(0, w.win);
  for (int i = 0; i < rounds; ++i) {
    const std::int64_t one = 1;
    std::int64_t old = -1;
    MPI_Fetch_and_op(&one, &old, MPI_INT64_T, 0, 0, MPI_SUM, w.win);
    MPI_Win_flush(0, w.win);
    CHECK(seen.empty() || old > seen.back());
    seen.push_back(old);
  }
  MPI_Win_unlock_all(w.win);
  std::vector<std::int64_t> all(static_cast<std::size_t>(n * rounds));
  MPI_Gather(seen.data(), rounds, MPI_INT64_T, all.data(), rounds, MPI_INT64_T, 0, MPI_COMM_WORLD);
  std::sort(all.begin(), all.end());
  for (int i = 0; me == 0 && i < n * rounds; ++i) CHECK_EQUAL(all[static_cast<std::size_t>(i)], i);
}

// req rma 7.9, 8.2, 8.6, 11.2
void test_and_set_lock(bool create) {
  Window w(create, 2);
  const std::int64_t free = 0;
  const std::int64_t mine = me + 1;
  MPI_Win_lock_all(0, w.win);
  for (int i = 0; i < 30; ++i) {
    for (std::int64_t was = -1; was != 0;) {
      MPI_Compare_and_swap(&mine, &free, &was, MPI_INT64_T, 0, 0, w.win);
      MPI_Win_flush(0, w.win);
    }
    std::int64_t value = 0;
    MPI_Get(&value, 1, MPI_INT64_T, 0, 1, 1, MPI_INT64_T, w.win);
    MPI_Win_flush(0, w.win);
    ++value;
    MPI_Put(&value, 1, MPI_INT64_T, 0, 1, 1, MPI_INT64_T, w.win);
    MPI_Win_flush(0, w.win);
    std::int64_t was = -1;
    MPI_Fetch_and_op(&free, &was, MPI_INT64_T, 0, 0, MPI_REPLACE, w.win);
    MPI_Win_flush(0, w.win);
    CHECK_EQUAL(was, mine);
  }
  MPI_Win_unlock_all(w.win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, me, 0, w.win);
  if (me == 0) CHECK_EQUAL(w.base[1], 30 * n);
  MPI_Win_unlock(me, w.win);
}

// req rma 11.1, 11.3, 11.4, 11.7, 6.3, 14.6, 18.1
void exclusive(bool create) {
  Window w(create, 1);
  for (int i = 0; i < 50; ++i) {
    std::int64_t value = 0;
    const int target = i % n;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w.win);
    MPI_Get(&value, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, w.win);
    MPI_Win_flush(target, w.win);
    ++value;
    MPI_Put(&value, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, w.win);
    MPI_Win_unlock(target, w.win);
    if (i % 10 == 0) {
      MPI_Win_lock_all(0, w.win);
      MPI_Win_unlock_all(w.win);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  std::int64_t mine = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, me, 0, w.win);
  mine = w.base[0];
  MPI_Win_unlock(me, w.win);
  std::int64_t sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  CHECK_EQUAL(sum, 50 * n);
}

// req rma 11.3, 11.4, 5.21
void all_or_nothing(bool create) {
  constexpr int kWords = 64;
  Window w(create, kWords);
  for (int i = 0; i < 40; ++i) {
    std::int64_t record[kWords];
    if (me == n - 1) {
      std::fill(record, record + kWords, i);
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w.win);
      MPI_Put(record, kWords, MPI_INT64_T, 0, 0, kWords, MPI_INT64_T, w.win);
    } else {
      MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w.win);
      MPI_Get(record, kWords, MPI_INT64_T, 0, 0, kWords, MPI_INT64_T, w.win);
    }
    MPI_Win_unlock(0, w.win);
    for (int k = 1; k < kWords; ++k) CHECK_EQUAL(record[k], record[0]);
  }
}

// req rma 13.5, 10.11, 10.12, 10.13, 10.15, 10.16, 10.17, 10.23
void neighbours(bool create) {
  Window w(create, 2);
  MPI_Group all;
  MPI_Win_get_group(w.win, &all);
  const int left = (me + n - 1) % n;
  const int right = (me + 1) % n;
  MPI_Group from;
  MPI_Group to;
  MPI_Group_incl(all, 1, &left, &from);
  MPI_Group_incl(all, 1, &right, &to);
  for (int i = 0; i < 100; ++i) {
    const std::int64_t value = 1'000 * i + me;
    MPI_Win_post(from, 0, w.win);
    MPI_Win_start(to, 0, w.win);
    MPI_Put(&value, 1, MPI_INT64_T, right, i % 2, 1, MPI_INT64_T, w.win);
    MPI_Win_complete(w.win);
    if (i % 3 == 0) {
      for (int flag = 0; flag == 0;) MPI_Win_test(w.win, &flag);
    } else {
      MPI_Win_wait(w.win);
    }
    CHECK_EQUAL(w.base[i % 2], 1'000 * i + left);
  }
  MPI_Win_post(MPI_GROUP_EMPTY, 0, w.win);
  MPI_Win_start(MPI_GROUP_EMPTY, 0, w.win);
  MPI_Win_complete(w.win);
  MPI_Win_wait(w.win);
  MPI_Group_free(&from);
  MPI_Group_free(&to);
  MPI_Group_free(&all);
}

// A star: all put to rank 0, which posts for all; ranks above 0 run ahead of each other.
// req rma 10.14, 10.22, 10.17
void star(bool create) {
  Window w(create, n);
  MPI_Group all;
  MPI_Group root;
  const int zero = 0;
  MPI_Win_get_group(w.win, &all);
  MPI_Group_incl(all, 1, &zero, &root);
  for (int i = 1; i <= 30; ++i) {
    const std::int64_t value = i;
    if (me == 0) MPI_Win_post(all, MPI_MODE_NOSTORE, w.win);
    MPI_Win_start(root, 0, w.win);
    MPI_Put(&value, 1, MPI_INT64_T, 0, me, 1, MPI_INT64_T, w.win);
    MPI_Win_complete(w.win);
    if (me == 0) MPI_Win_wait(w.win);
    for (int rank = 0; me == 0 && rank < n; ++rank) CHECK_EQUAL(w.base[rank], i);
  }
  MPI_Group_free(&root);
  MPI_Group_free(&all);
}

// req rma 13.3, 13.2, 2.15, 11.10, 14.4
void shared_flag() {
  std::int64_t* base = nullptr;
  MPI_Win win;
  MPI_Win_allocate_shared(64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  std::memset(base, 0, 64);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  const int right = (me + 1) % n;
  const std::int64_t data = 42 + me;
  const std::int64_t flag = 1;
  MPI_Put(&data, 1, MPI_INT64_T, right, 1, 1, MPI_INT64_T, win);
  MPI_Win_flush(right, win);
  MPI_Accumulate(&flag, 1, MPI_INT64_T, right, 0, 1, MPI_INT64_T, MPI_REPLACE, win);
  MPI_Win_flush(right, win);
  while (__atomic_load_n(base, __ATOMIC_ACQUIRE) == 0) MPI_Win_sync(win);
  CHECK_EQUAL(base[1], 42 + (me + n - 1) % n);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

// req rma 11.20
void third_party(bool create) {
  Window w(create, 1);
  MPI_Win_lock_all(0, w.win);
  std::int64_t value = 77;
  if (me == 1) {
    MPI_Put(&value, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, w.win);
    MPI_Win_flush(0, w.win);
    MPI_Send(nullptr, 0, MPI_INT, 2, 0, MPI_COMM_WORLD);
  } else if (me == 2) {
    MPI_Recv(nullptr, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    value = 0;
    MPI_Get(&value, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, w.win);
    MPI_Win_flush(0, w.win);
    CHECK_EQUAL(value, 77);
  }
  MPI_Win_unlock_all(w.win);
}

// req rma 11.24, 13.6
void loads_and_stores() {
  std::int64_t* base = nullptr;
  MPI_Win win;
  MPI_Win_allocate_shared(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  const int right = (me + 1) % n;
  std::int64_t* theirs = nullptr;
  MPI_Aint size = 0;
  int unit = 0;
  MPI_Win_shared_query(win, right, &size, &unit, &theirs);
  for (int i = 0; i < 50; ++i) {
    *base = 100 * i + me;
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);
    CHECK_EQUAL(*theirs, 100 * i + right);
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  rma::look_around();
  for (const bool create : {false, true}) {
    counter(create);
    test_and_set_lock(create);
    exclusive(create);
    if (n > 1) all_or_nothing(create);
    neighbours(create);
    star(create);
  }
  if (n > 2) {
    third_party(false);
    third_party(true);
  }
  shared_flag();
  loads_and_stores();
  MPI_Finalize();
  return 0;
}
