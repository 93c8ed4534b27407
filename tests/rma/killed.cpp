// SPDX-License-Identifier: BSD-3-Clause
// killed CASE VICTIM WAY: a process dies in an epoch; what waits for it in the others must return
// an error that names it, and the rest of the job goes on.
#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "window.h"

namespace {

using rma::me;
using rma::n;

int victim;
bool direct;  // memory of others is reached without them
MPI_Win win;
std::int64_t value = 7;
constexpr int kLong = 3'000'000;  // bytes, several packets

void die_if_chosen() {
  if (me == victim) std::raise(SIGKILL);
}

bool names_the_victim(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  const std::string told(text), number = std::to_string(victim);
  const bool named = told.find("rank " + number + " of ") != std::string::npos ||
                     told.find("process " + number + " ") != std::string::npos;
  if (!named) std::fprintf(stderr, "rank %d was told: %s\n", me, text);
  return named;
}

void expect(int code) {
  CHECK_CLASS(code, MPI_ERR_PROC_ABORTED);
  CHECK(names_the_victim(code));
}

int put(int rank) {
  return MPI_Put(&value, 1, MPI_INT64_T, rank, 1, 1, MPI_INT64_T, win);
}

// The lowest of those that live on.
int survivor() {
  return victim == 0 ? 1 : 0;
}

// req rma 17.1
void in_fence() {
  MPI_Win_fence(0, win);
  put((me + 1) % n);
  die_if_chosen();
  expect(MPI_Win_fence(0, win));
}

MPI_Group others() {
  MPI_Group all, rest;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_excl(all, 1, &me, &rest);
  MPI_Group_free(&all);
  return rest;
}

void in_start() {
  MPI_Group rest = others();
  die_if_chosen();
  MPI_Win_post(rest, 0, win);
  expect(MPI_Win_start(rest, 0, win));
  MPI_Group_free(&rest);
}

// All know of the death before they post: it keeps the living from nothing.
void before_post() {
  MPI_Group rest = others();
  die_if_chosen();
  while (MPI_Send(&value, 1, MPI_INT64_T, victim, 0, MPI_COMM_WORLD) == MPI_SUCCESS) continue;
  MPI_Win_post(rest, 0, win);
  expect(MPI_Win_start(rest, 0, win));
  MPI_Group_free(&rest);
}

// All have started before one dies.
void in_wait() {
  MPI_Group rest = others();
  CHECK_CLASS(MPI_Win_post(rest, 0, win), MPI_SUCCESS);
  CHECK_CLASS(MPI_Win_start(rest, 0, win), MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  die_if_chosen();
  for (int rank = 0; rank < n; ++rank)
    if (rank != me && rank != victim) put(rank);
  MPI_Win_complete(win);
  expect(MPI_Win_wait(win));
  MPI_Group_free(&rest);
}

// The lock may be asked for by the call itself, or by the first access.
int lock_and_put(int kind, int rank) {
  const int locked = MPI_Win_lock(kind, rank, 0, win);
  if (locked != MPI_SUCCESS) return locked;
  const int done = put(rank);
  return done != MPI_SUCCESS ? done : MPI_Win_flush(rank, win);
}

// The dead one keeps what the others ask for.
void in_lock() {
  const int target = survivor();
  if (me == victim) CHECK_CLASS(lock_and_put(MPI_LOCK_EXCLUSIVE, target), MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  die_if_chosen();
  expect(lock_and_put(MPI_LOCK_EXCLUSIVE, target));
}

// The same, when the whole epoch is one message: its end tells, and it has ended.
void in_unlock() {
  const int target = survivor();
  if (me == victim) CHECK_CLASS(lock_and_put(MPI_LOCK_EXCLUSIVE, target), MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  die_if_chosen();
  for (int i = 0; i < 2; ++i) {
    const int locked = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    if (locked == MPI_SUCCESS) put(target);
    expect(locked == MPI_SUCCESS ? MPI_Win_unlock(target, win) : locked);
  }
}

void in_shared_lock() {
  const int target = survivor();
  CHECK_CLASS(lock_and_put(MPI_LOCK_SHARED, target), MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  die_if_chosen();
  CHECK_CLASS(MPI_Win_unlock(target, win), MPI_SUCCESS);
  expect(lock_and_put(MPI_LOCK_EXCLUSIVE, target));
}

void in_lock_all() {
  if (me == victim) CHECK_CLASS(MPI_Win_lock_all(0, win), MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  die_if_chosen();
  expect(lock_and_put(MPI_LOCK_EXCLUSIVE, survivor()));
}

// An exclusive lock of somebody dead excludes lock_all.
void before_lock_all() {
  if (me == victim) lock_and_put(MPI_LOCK_EXCLUSIVE, survivor());
  MPI_Barrier(MPI_COMM_WORLD);
  die_if_chosen();
  expect(MPI_Win_lock_all(0, win));
}

// What needs the target ends with an error; memory that is reached without it is still there.
void in_flush() {
  CHECK_CLASS(MPI_Win_lock_all(0, win), MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  die_if_chosen();
  int code = MPI_SUCCESS;
  do {  // it may answer as long as it lives
    code = put(victim);
    if (code == MPI_SUCCESS) code = MPI_Win_flush(victim, win);
  } while (code == MPI_SUCCESS && !direct);
  if (!direct) expect(code);
  std::int64_t one = 1, before = 0;
  const int alive = survivor();
  CHECK_CLASS(MPI_Fetch_and_op(&one, &before, MPI_INT64_T, alive, 3, MPI_SUM, win), MPI_SUCCESS);
  CHECK_CLASS(MPI_Win_flush(alive, win), MPI_SUCCESS);
}

// Long data are on their way when one dies; those that live on put and get as before.
void in_long() {
  std::vector<char> data(kLong, static_cast<char>('a' + me)), back(kLong);
  const auto move = [&](int rank) {
    int code = MPI_Put(data.data(), kLong, MPI_BYTE, rank, me * kLong / 8, kLong, MPI_BYTE, win);
    if (code != MPI_SUCCESS) return code;
    code = MPI_Win_flush(rank, win);
    if (code != MPI_SUCCESS) return code;
    code = MPI_Get(back.data(), kLong, MPI_BYTE, rank, me * kLong / 8, kLong, MPI_BYTE, win);
    const int flushed = MPI_Win_flush_all(win);
    return code == MPI_SUCCESS ? flushed : code;
  };
  CHECK_CLASS(MPI_Win_lock_all(0, win), MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  int code = MPI_SUCCESS;
  for (int i = 0; code == MPI_SUCCESS && (i < 4 || (!direct && me != victim)); ++i) {
    if (i == 3) die_if_chosen();
    code = move(me == victim ? survivor() : victim);
  }
  if (!direct) expect(code);
  const int alive = survivor(), place = me * kLong / 8;
  CHECK_CLASS(MPI_Put(data.data(), kLong, MPI_BYTE, alive, place, kLong, MPI_BYTE, win),
              MPI_SUCCESS);
  CHECK_CLASS(MPI_Win_flush(alive, win), MPI_SUCCESS);
  CHECK_CLASS(MPI_Get(back.data(), kLong, MPI_BYTE, alive, place, kLong, MPI_BYTE, win),
              MPI_SUCCESS);
  CHECK_CLASS(MPI_Win_flush(alive, win), MPI_SUCCESS);
  CHECK(back == data);
}

struct Case {
  const char* name;
  void (*run)();
};
constexpr Case kCases[] = {
    {"fence", in_fence},        {"start", in_start},       {"post", before_post},
    {"wait", in_wait},          {"lock", in_lock},         {"unlock", in_unlock},
    {"shared", in_shared_lock}, {"lock_all", in_lock_all}, {"excluded", before_lock_all},
    {"flush", in_flush},        {"long", in_long}};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(nullptr, nullptr);
  rma::look_around();
  CHECK_EQUAL(argc, 4);
  victim = std::atoi(argv[2]);
  direct = std::strcmp(argv[3], "direct") == 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  std::int64_t* base = nullptr;
  MPI_Win_allocate(n * kLong, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Barrier(MPI_COMM_WORLD);
  for (const Case& each : kCases) {
    if (std::strcmp(argv[1], each.name) == 0) each.run();
  }
  std::printf("rank %d: done\n", me);
  MPI_Finalize();  // the window has an epoch that nobody can end
}
