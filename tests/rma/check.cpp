// SPDX-License-Identifier: BSD-3-Clause
// osc_check: programs that the standard forbids are told so, and legal ones hear nothing.
#include "check.h"

#include <cstring>
#include <functional>
#include <string>

#include "window.h"

namespace {

using rma::me;
using rma::n;

// What the last error of this process said.
std::string told;

void listen(MPI_Win* win, int* code, ...) {
  static_cast<void>(win);
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(*code, text, &length);
  told.assign(text, static_cast<std::size_t>(length));
}

bool says(const char* words) {
  return told.find(words) != std::string::npos;
}

#define CHECK_SAYS(words)                                               \
  do {                                                                  \
    if (!says(words)) std::fprintf(stderr, "told: %s\n", told.c_str()); \
    CHECK(says(words));                                                 \
  } while (false)

struct Listened : rma::Window {
  explicit Listened(bool create = true) : Window(create, 16) {
    MPI_Win_create_errhandler(listen, &handler);
    MPI_Win_set_errhandler(win, handler);
    MPI_Win_set_name(win, "field");
    told.clear();
  }
  ~Listened() { MPI_Errhandler_free(&handler); }
  MPI_Errhandler handler;
};

std::int64_t numbers[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
std::int64_t into[16];

int put(MPI_Win win, int rank, int at, int count = 1) {
  return MPI_Put(numbers, count, MPI_INT64_T, rank, at, count, MPI_INT64_T, win);
}
int get(MPI_Win win, int rank, int at, int count = 1) {
  return MPI_Get(into, count, MPI_INT64_T, rank, at, count, MPI_INT64_T, win);
}
int sum(MPI_Win win, int rank, int at, MPI_Op op = MPI_SUM) {
  return MPI_Accumulate(numbers, 1, MPI_INT64_T, rank, at, 1, MPI_INT64_T, op, win);
}

// One origin, in an epoch of a lock: told at the second call, which is not carried out.
void one_origin() {
  Listened window;
  MPI_Win win = window.win;
  const int next = (me + 1) % n;
  CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win), MPI_SUCCESS);
  CHECK_CLASS(put(win, next, 2, 3), MPI_SUCCESS);
  CHECK_CLASS(put(win, next, 4), MPI_ERR_RMA_CONFLICT);
  CHECK_SAYS("MPI_Put by rank ");
  CHECK_SAYS("(target_disp 2)");
  CHECK_SAYS("(target_disp 4)");
  CHECK_SAYS("both access bytes 32 to 39 of the window of rank ");
  CHECK_SAYS("field");
  CHECK_CLASS(get(win, next, 3), MPI_ERR_RMA_CONFLICT);
  CHECK_SAYS("MPI_Get by rank ");
  CHECK_CLASS(sum(win, next, 3), MPI_ERR_RMA_CONFLICT);
  CHECK_SAYS("MPI_Accumulate of MPI_SUM by rank ");
  CHECK_CLASS(get(win, next, 5), MPI_SUCCESS);
  CHECK_CLASS(get(win, next, 5), MPI_SUCCESS);
  CHECK_CLASS(put(win, next, 5), MPI_ERR_RMA_CONFLICT);
  CHECK_CLASS(sum(win, next, 7), MPI_SUCCESS);
  CHECK_CLASS(sum(win, next, 7, MPI_REPLACE), MPI_SUCCESS);  // in order
  double real = 1;
  CHECK_CLASS(MPI_Accumulate(&real, 1, MPI_DOUBLE, next, 7, 1, MPI_DOUBLE, MPI_SUM, win),
              MPI_ERR_RMA_CONFLICT);
  CHECK_CLASS(MPI_Win_unlock(next, win), MPI_SUCCESS);
}

// A column of a matrix lies beside another one, and meets a row.
void columns() {
  Listened window;
  MPI_Win win = window.win;
  MPI_Datatype column;
  MPI_Type_vector(4, 1, 4, MPI_INT64_T, &column);
  MPI_Type_commit(&column);
  CHECK_CLASS(MPI_Win_lock_all(0, win), MPI_SUCCESS);
  for (int i = 0; i < 4; ++i)
    CHECK_CLASS(MPI_Put(numbers, 4, MPI_INT64_T, me, i, 1, column, win), MPI_SUCCESS);
  CHECK_CLASS(get(win, me, 4, 4), MPI_ERR_RMA_CONFLICT);
  CHECK_SAYS("bytes 32 to 39");
  CHECK_CLASS(MPI_Win_unlock_all(win), MPI_SUCCESS);
  MPI_Type_free(&column);
}

// Two origins between fences: told to the target.
void two_origins(const std::function<int(MPI_Win)>& first,
                 const std::function<int(MPI_Win)>& second, const char* words) {
  Listened window;
  MPI_Win win = window.win;
  CHECK_CLASS(MPI_Win_fence(0, win), MPI_SUCCESS);
  if (me == 1) CHECK_CLASS(first(win), MPI_SUCCESS);
  if (me == 2) CHECK_CLASS(second(win), MPI_SUCCESS);
  const int code = MPI_Win_fence(0, win);
  CHECK_CLASS(code, me == 0 && words != nullptr ? MPI_ERR_RMA_CONFLICT : MPI_SUCCESS);
  if (me == 0 && words != nullptr) CHECK_SAYS(words);
  CHECK_CLASS(MPI_Win_fence(0, win), MPI_SUCCESS);  // the next epoch begins anew
}

void two_origins_all() {
  const auto puts = [](MPI_Win win) { return put(win, 0, 3, 2); };
  const auto gets = [](MPI_Win win) { return get(win, 0, 4); };
  const auto sums = [](MPI_Win win) { return sum(win, 0, 4); };
  const auto maxima = [](MPI_Win win) { return sum(win, 0, 4, MPI_MAX); };
  const auto beside = [](MPI_Win win) { return put(win, 0, 5); };
  const auto fetches = [](MPI_Win win) {
    return MPI_Fetch_and_op(nullptr, into, MPI_INT64_T, 0, 4, MPI_NO_OP, win);
  };
  two_origins(puts, puts,
              "MPI_Put by rank 1 (target_disp 3) and MPI_Put by rank 2 (target_disp 3)");
  two_origins(puts, gets, "bytes 32 to 39 of the window of rank 0");
  two_origins(puts, sums, "MPI_Accumulate of MPI_SUM by rank 2");
  two_origins(sums, gets, "MPI_Get by rank 2");
  two_origins(sums, maxima, "MPI_Accumulate of MPI_MAX by rank 2");
  two_origins(sums, sums, nullptr);
  two_origins(gets, gets, nullptr);
  two_origins(puts, beside, nullptr);
  two_origins(sums, fetches, nullptr);
}

void local_stores(bool create) {
  Listened window(create);
  MPI_Win win = window.win;
  CHECK_CLASS(MPI_Win_fence(0, win), MPI_SUCCESS);
  if (me == 0) window.base[6] = 77;
  if (me == 1) CHECK_CLASS(get(win, 0, 6), MPI_SUCCESS);
  CHECK_CLASS(MPI_Win_fence(0, win), me == 0 ? MPI_ERR_RMA_CONFLICT : MPI_SUCCESS);
  if (me == 0) CHECK_SAYS("MPI_Get by rank 1 (target_disp 6) gets byte 48 of the window of rank 0");
  window.base[7] = me + 5;  // where nobody looks
  if (me == 1) CHECK_CLASS(put(win, 0, 8), MPI_SUCCESS);
  CHECK_CLASS(MPI_Win_fence(0, win), MPI_SUCCESS);
  CHECK_EQUAL(window.base[8], me == 0 ? 1 : 0);
}

void assertions() {
  Listened window;
  MPI_Win win = window.win;
  CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOPRECEDE, win), MPI_SUCCESS);
  if (me == 1) CHECK_CLASS(put(win, 0, 1), MPI_SUCCESS);
  CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOPRECEDE, win), me == 1 ? MPI_ERR_ASSERT : MPI_SUCCESS);
  if (me == 1) CHECK_SAYS("MPI_MODE_NOPRECEDE says that the fence ends no accesses");
  CHECK_CLASS(MPI_Win_fence(me == 0 ? MPI_MODE_NOPRECEDE : 0, win), MPI_ERR_ASSERT);
  CHECK_SAYS("rank 0 gave MPI_MODE_NOPRECEDE to this fence and rank 1 did not");
  CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOPUT, win), MPI_SUCCESS);
  if (me == 2) CHECK_CLASS(sum(win, 0, 1), MPI_SUCCESS);
  CHECK_CLASS(MPI_Win_fence(0, win), me == 0 ? MPI_ERR_ASSERT : MPI_SUCCESS);
  if (me == 0) CHECK_SAYS("MPI_MODE_NOPUT");
  window.base[3] = -9;
  if (me == 1) CHECK_CLASS(put(win, 2, 3), MPI_SUCCESS);
  CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOSTORE, win), me == 2 ? MPI_SUCCESS : MPI_ERR_ASSERT);
  if (me == 0) CHECK_SAYS("byte 24 has changed");
  CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, win), MPI_SUCCESS);
  window.base[4] = -9;
  CHECK_CLASS(put(win, 0, 9 + me), MPI_ERR_RMA_SYNC);  // in no epoch
  CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOPRECEDE, win), MPI_SUCCESS);
  CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOSUCCEED, win), MPI_SUCCESS);
}

// Legal programs: what is separated, disjoint, or goes together.
void legal() {
  Listened window;
  MPI_Win win = window.win;
  MPI_Request request;
  const int next = (me + 1) % n, previous = (me + n - 1) % n;
  CHECK_CLASS(MPI_Win_lock_all(0, win), MPI_SUCCESS);
  for (int i = 0; i < 3; ++i) {
    CHECK_CLASS(put(win, next, 0, 4), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_flush(next, win), MPI_SUCCESS);
    CHECK_CLASS(get(win, next, 2, 4), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_flush_local(next, win), MPI_SUCCESS);
    CHECK_CLASS(put(win, next, 3), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_flush_all(win), MPI_SUCCESS);
    MPI_Rget(into, 1, MPI_INT64_T, next, 3, 1, MPI_INT64_T, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_CLASS(put(win, next, 3), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_flush_all(win), MPI_SUCCESS);
  }
  CHECK_CLASS(MPI_Win_unlock_all(win), MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  std::int64_t free = 0, taken = 1, found;  // the words of a lock
  CHECK_CLASS(MPI_Win_lock_all(0, win), MPI_SUCCESS);
  MPI_Compare_and_swap(&taken, &free, &found, MPI_INT64_T, 0, 9, win);
  CHECK_CLASS(MPI_Fetch_and_op(&free, &found, MPI_INT64_T, 0, 9, MPI_REPLACE, win), MPI_SUCCESS);
  CHECK_CLASS(sum(win, 0, 10), MPI_SUCCESS);
  CHECK_CLASS(sum(win, 0, 10), MPI_SUCCESS);
  CHECK_CLASS(MPI_Win_unlock_all(win), MPI_SUCCESS);
  MPI_Group all, origins, targets;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &previous, &origins);
  MPI_Group_incl(all, 1, &next, &targets);
  for (int i = 0; i < 3; ++i) {
    window.base[12] = i;
    CHECK_CLASS(MPI_Win_post(origins, 0, win), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_start(targets, 0, win), MPI_SUCCESS);
    CHECK_CLASS(put(win, next, 11), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_complete(win), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_wait(win), MPI_SUCCESS);
  }
  MPI_Group_free(&all), MPI_Group_free(&origins), MPI_Group_free(&targets);
  CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOPRECEDE, win), MPI_SUCCESS);
  for (int i = 0; i < 3; ++i) {
    CHECK_CLASS(put(win, next, 5), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOSTORE, win), MPI_SUCCESS);
    CHECK_CLASS(get(win, next, 5), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT, win), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_fence(0, win), MPI_SUCCESS);
  }
  CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOSUCCEED, win), MPI_SUCCESS);
  CHECK_EQUAL(told.size(), 0);
}

}  // namespace

int main() {
  MPI_Init(nullptr, nullptr);
  rma::look_around();
  one_origin();
  columns();
  legal();
  if (n >= 3) {
    two_origins_all();
    local_stores(true);
    local_stores(false);
    assertions();
  }
  MPI_Finalize();
}
