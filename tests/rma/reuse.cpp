// SPDX-License-Identifier: BSD-3-Clause
// When the memory of an operation may be changed: the origin's buffer after whatever completes a
// put at the origin, the target's memory after the epoch of whoever has read it.
#include <cstring>

#include "window.h"

using rma::me;
using rma::n;

namespace {

constexpr int kWords = 1 << 17;  // so many that data leave in several parts, without a copy
constexpr int kTimes = 12;

bool all_are(const std::int64_t* words, std::int64_t value) {
  return std::all_of(words, words + kWords, [value](std::int64_t word) { return word == value; });
}

std::vector<std::int64_t> buffer(kWords);

// Rank 0 puts again and again from one buffer, into places of their own, and changes the buffer as
// soon as `complete` says it may.
template <class Put, class End>
void check_puts(Put put, End end) {
  rma::Window window(false, kTimes * kWords);
  for (int i = 0; me == 0 && i < kTimes; ++i) {
    std::fill(buffer.begin(), buffer.end(), i + 1);
    put(window.win, i);
  }
  end(window.win);
  std::fill(buffer.begin(), buffer.end(), -1);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me != n - 1) return;
  MPI_Win_lock(MPI_LOCK_SHARED, me, 0, window.win);
  for (int i = 0; i < kTimes; ++i) CHECK(all_are(window.base + i * kWords, i + 1));
  MPI_Win_unlock(me, window.win);
}

// Every other time it is an accumulate, onto zeros.
void put_at(MPI_Win win, int i) {
  const int at = i * kWords;
  if (i % 2 == 0)
    MPI_Put(buffer.data(), kWords, MPI_INT64_T, n - 1, at, kWords, MPI_INT64_T, win);
  else
    MPI_Accumulate(buffer.data(), kWords, MPI_INT64_T, n - 1, at, kWords, MPI_INT64_T, MPI_SUM,
                   win);
}

void check_lock_epochs() {
  const auto nothing = [](MPI_Win) {};
  check_puts(
      [](MPI_Win win, int i) {
        MPI_Win_lock(MPI_LOCK_SHARED, n - 1, 0, win);
        put_at(win, i);
        MPI_Win_flush_local(n - 1, win);
        std::fill(buffer.begin(), buffer.end(), -1);
        MPI_Win_unlock(n - 1, win);
      },
      nothing);
  check_puts(
      [](MPI_Win win, int i) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, n - 1, 0, win);
        put_at(win, i);
        MPI_Win_unlock(n - 1, win);
      },
      nothing);
  check_puts(
      [](MPI_Win win, int i) {
        MPI_Win_lock_all(0, win);
        put_at(win, i);
        MPI_Win_flush_local_all(win);
        std::fill(buffer.begin(), buffer.end(), -1);
        MPI_Win_unlock_all(win);
      },
      nothing);
}

void check_requests() {
  check_puts(
      [](MPI_Win win, int i) {
        MPI_Request request;
        MPI_Win_lock(MPI_LOCK_SHARED, n - 1, 0, win);
        MPI_Rput(buffer.data(), kWords, MPI_INT64_T, n - 1, i * kWords, kWords, MPI_INT64_T, win,
                 &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        std::fill(buffer.begin(), buffer.end(), -1);
        MPI_Win_unlock(n - 1, win);
      },
      [](MPI_Win) {});
}

// All ranks go through every epoch.
void check_active_targets() {
  rma::Window window(false, kTimes * kWords);
  MPI_Group all, first, last;
  const int zero = 0, end = n - 1;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &zero, &first);
  MPI_Group_incl(all, 1, &end, &last);
  for (int i = 0; i < kTimes; ++i) {
    std::fill(buffer.begin(), buffer.end(), i + 1);
    if (i % 4 < 2) {
      MPI_Win_fence(0, window.win);
      if (me == 0) put_at(window.win, i);
      MPI_Win_fence(0, window.win);
    } else {
      if (me == n - 1) MPI_Win_post(first, 0, window.win);
      if (me == 0) {
        MPI_Win_start(last, 0, window.win);
        put_at(window.win, i);
        MPI_Win_complete(window.win);
        std::fill(buffer.begin(), buffer.end(), -1);
      }
      if (me == n - 1) MPI_Win_wait(window.win);
    }
    if (me == n - 1) CHECK(all_are(window.base + i * kWords, i + 1));
  }
  for (MPI_Group* group : {&all, &first, &last}) MPI_Group_free(group);
}

// Whoever reads under an exclusive lock reads what one writer has left, however soon the next one
// comes.
void check_gets() {
  rma::Window window(false, kWords);
  std::vector<std::int64_t> got(kWords);
  for (int i = 0; i < kTimes; ++i) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window.win);
    if ((i + me) % 2 == 0) {
      std::fill(buffer.begin(), buffer.end(), (me + 1) * 1000 + i);
      MPI_Put(buffer.data(), kWords, MPI_INT64_T, 0, 0, kWords, MPI_INT64_T, window.win);
    } else {
      MPI_Get(got.data(), kWords, MPI_INT64_T, 0, 0, kWords, MPI_INT64_T, window.win);
    }
    MPI_Win_unlock(0, window.win);
    if ((i + me) % 2 != 0) CHECK(all_are(got.data(), got[0]));
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  rma::look_around();
  check_lock_epochs();
  check_requests();
  check_active_targets();
  check_gets();
  MPI_Finalize();
  return 0;
}
