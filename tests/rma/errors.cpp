// SPDX-License-Identifier: BSD-3-Clause
// Every error that a window's calls can see, by class; afterwards the window works as before.
#include <climits>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"

namespace {

int me;
int n;

MPI_Win make(int flavor, int* memory) {
  MPI_Win win = MPI_WIN_NULL;
  int* base = nullptr;
  if (flavor == MPI_WIN_FLAVOR_CREATE)
    MPI_Win_create(memory, 40, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  if (flavor == MPI_WIN_FLAVOR_ALLOCATE)
    MPI_Win_allocate(40, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  if (flavor == MPI_WIN_FLAVOR_DYNAMIC) MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  return win;
}

// A correct epoch: what was refused before has changed nothing.
// req rma 12.2
void works(MPI_Win win) {
  int value = 3;
  int got = 0;
  CHECK_CLASS(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, win), MPI_SUCCESS);
  CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, me, 9, 1, MPI_INT, win), MPI_SUCCESS);
  CHECK_CLASS(MPI_Win_flush(me, win), MPI_SUCCESS);
  CHECK_CLASS(MPI_Get(&got, 1, MPI_INT, me, 9, 1, MPI_INT, win), MPI_SUCCESS);
  CHECK_CLASS(MPI_Win_unlock(me, win), MPI_SUCCESS);
  CHECK_EQUAL(got, 3);
}

// req rma 1.2, 1.5, 1.6, 1.7, 1.11, 1.13, 2.2, 3.13, 12.3, 17.7, 2.4
void constructors() {
  int memory[4] = {};
  int* base = nullptr;
  MPI_Win win;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK_CLASS(MPI_Win_create(memory, 16, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win), MPI_ERR_COMM);
  CHECK_CLASS(MPI_Win_create(memory, -1, 1, MPI_INFO_NULL, comm, &win), MPI_ERR_SIZE);
  CHECK_CLASS(MPI_Win_create(memory, 16, 0, MPI_INFO_NULL, comm, &win), MPI_ERR_DISP);
  CHECK_CLASS(MPI_Win_create(nullptr, 16, 1, MPI_INFO_NULL, comm, &win), MPI_ERR_BASE);
  CHECK_CLASS(MPI_Win_allocate(16, 1, MPI_INFO_NULL, comm, nullptr, &win), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Win_create(memory, 16, 1, MPI_INFO_NULL, comm, nullptr), MPI_ERR_ARG);
  // One rank is wrong, all hear of it.
  const int code = MPI_Win_allocate(me == n - 1 ? -5 : 16, 1, MPI_INFO_NULL, comm, &base, &win);
  CHECK_CLASS(code, me == n - 1 ? MPI_ERR_SIZE : MPI_ERR_ARG);
  if (n > 1) {
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "accumulate_ordering", me == 0 ? "none" : "rar");
    CHECK_CLASS(MPI_Win_allocate(16, 1, info, comm, &base, &win), MPI_ERR_ARG);
    MPI_Info_free(&info);
  }
  CHECK_CLASS(MPI_Win_allocate_shared(MPI_Aint{1} << 45, 1, MPI_INFO_NULL, comm, &base, &win),
              MPI_ERR_NO_MEM);
  CHECK_CLASS(MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, comm, &win), MPI_SUCCESS);
  MPI_Win_free(&win);
  CHECK_CLASS(MPI_Win_fence(0, MPI_WIN_NULL), MPI_ERR_WIN);
  CHECK_CLASS(MPI_Win_free(&win), MPI_ERR_WIN);
  MPI_Win_create_c(memory, 16, MPI_Aint{1} << 40, MPI_INFO_NULL, comm, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  // req rma 4.4, 16.6
  void* value = nullptr;
  int flag = 0;
  int unit = 0;
  MPI_Aint size = 0;
  MPI_Aint wide = 0;
  CHECK_CLASS(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &value, &flag), MPI_ERR_VALUE_TOO_LARGE);
  CHECK_CLASS(MPI_Win_shared_query(win, me, &size, &unit, &value), MPI_ERR_VALUE_TOO_LARGE);
  CHECK_CLASS(MPI_Win_shared_query_c(win, me, &size, &wide, &value), MPI_SUCCESS);
  CHECK_EQUAL(wide, MPI_Aint{1} << 40);
  MPI_Win_free(&win);
  MPI_Comm_free(&comm);
}

// req rma 5.4, 5.5, 5.6, 5.7, 5.9, 5.10, 5.13, 12.3, 16.8
void arguments(MPI_Win win) {
  int value = 1;
  MPI_Win_lock_all(0, win);
  const auto put = [&](const void* from, int count, MPI_Datatype type, int rank, MPI_Aint at,
                       int there, MPI_Datatype target) {
    return rma::class_of(MPI_Put(from, count, type, rank, at, there, target, win));
  };
  CHECK_EQUAL(put(&value, 1, MPI_INT, n, 0, 1, MPI_INT), MPI_ERR_RANK);
  CHECK_EQUAL(put(&value, 1, MPI_INT, -77, 0, 1, MPI_INT), MPI_ERR_RANK);
  CHECK_EQUAL(put(&value, -1, MPI_INT, 0, 0, 1, MPI_INT), MPI_ERR_COUNT);
  CHECK_EQUAL(put(&value, 1, MPI_INT, 0, 0, -1, MPI_INT), MPI_ERR_COUNT);
  CHECK_EQUAL(put(&value, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT), MPI_ERR_TYPE);
  CHECK_EQUAL(put(&value, 1, MPI_INT, 0, -1, 1, MPI_INT), MPI_ERR_DISP);
  CHECK_EQUAL(put(&value, 1, MPI_INT, 0, 10, 1, MPI_INT), MPI_ERR_RMA_RANGE);
  CHECK_EQUAL(put(&value, 1, MPI_INT, 0, LONG_MAX, 1, MPI_INT), MPI_ERR_RMA_RANGE);
  CHECK_EQUAL(put(&value, 1, MPI_INT, 0, 0, 1, MPI_DOUBLE), MPI_ERR_TYPE);
  CHECK_EQUAL(put(nullptr, 1, MPI_INT, 0, 0, 1, MPI_INT), MPI_ERR_BUFFER);
  CHECK_EQUAL(put(nullptr, 0, MPI_INT, 0, 0, 0, MPI_INT), MPI_SUCCESS);
  CHECK_EQUAL(put(nullptr, 0, MPI_INT, 0, 10'000, 0, MPI_INT), MPI_SUCCESS);
  MPI_Datatype far;
  const int at = 10;
  MPI_Type_create_indexed_block(1, 1, &at, MPI_INT, &far);
  CHECK_EQUAL(put(&value, 1, MPI_INT, 0, 0, 1, far), MPI_ERR_TYPE);  // not committed
  MPI_Type_commit(&far);
  CHECK_EQUAL(put(&value, 1, MPI_INT, 0, 0, 1, far), MPI_ERR_RMA_RANGE);
  MPI_Type_free(&far);
  MPI_Aint size = 0;
  int unit = 0;
  void* base = nullptr;
  CHECK_CLASS(MPI_Win_shared_query(win, n, &size, &unit, &base), MPI_ERR_RANK);
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(MPI_Put(&value, 1, MPI_INT, 0, 10, 1, MPI_INT, win), text, &length);
  // req rma 12.4
  CHECK(std::strstr(text, "MPI_Put") != nullptr && std::strstr(text, "rank 0") != nullptr);
  CHECK(std::strstr(text, "40 bytes") != nullptr);
  MPI_Win_unlock_all(win);
}

void user_sum(void*, void*, int*, MPI_Datatype*) {}

// req rma 7.1, 7.2, 7.6, 7.8, 7.9, 7.13
void accumulates(MPI_Win win) {
  int value = 1;
  int result = 0;
  double real = 1;
  MPI_Op mine;
  MPI_Op_create(user_sum, 1, &mine);
  MPI_Win_lock_all(0, win);
  const auto accumulate = [&](MPI_Datatype type, MPI_Datatype target, MPI_Op op) {
    return rma::class_of(MPI_Accumulate(&real, 1, type, 0, 0, 1, target, op, win));
  };
  CHECK_EQUAL(accumulate(MPI_INT, MPI_INT, mine), MPI_ERR_OP);
  CHECK_EQUAL(accumulate(MPI_INT, MPI_INT, MPI_NO_OP), MPI_ERR_OP);
  CHECK_EQUAL(accumulate(MPI_INT, MPI_INT, MPI_OP_NULL), MPI_ERR_OP);
  CHECK_EQUAL(accumulate(MPI_DOUBLE, MPI_DOUBLE, MPI_BXOR), MPI_ERR_OP);
  CHECK_EQUAL(accumulate(MPI_FLOAT, MPI_INT, MPI_SUM), MPI_ERR_TYPE);
  MPI_Datatype two;
  const int ones[] = {1, 1};
  const MPI_Aint places[] = {0, 8};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT};
  MPI_Type_create_struct(2, ones, places, types, &two);
  MPI_Type_commit(&two);
  double buffer[2] = {};
  CHECK_CLASS(MPI_Accumulate(buffer, 1, two, 0, 0, 1, two, MPI_SUM, win), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Fetch_and_op(buffer, buffer, two, 0, 0, MPI_SUM, win), MPI_ERR_TYPE);
  MPI_Type_free(&two);
  CHECK_CLASS(MPI_Compare_and_swap(&real, &real, &real, MPI_DOUBLE, 0, 0, win), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Compare_and_swap(&real, &real, &real, MPI_DOUBLE_INT, 0, 0, win), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Get_accumulate(nullptr, 0, MPI_DATATYPE_NULL, &result, 1, MPI_INT, 0, 0, 1,
                                 MPI_INT, MPI_NO_OP, win),
              MPI_SUCCESS);
  CHECK_CLASS(MPI_Accumulate(&value, 0, MPI_INT, 0, 0, 0, MPI_INT, MPI_SUM, win), MPI_SUCCESS);
  // What the operation makes of the type is known from the second time on.
  for (int i = 0; i < 2; ++i) {
    CHECK_CLASS(MPI_Fetch_and_op(&value, &result, MPI_INT, 0, 0, MPI_SUM, win), MPI_SUCCESS);
    CHECK_CLASS(MPI_Fetch_and_op(MPI_IN_PLACE, &result, MPI_INT, 0, 0, MPI_SUM, win),
                MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Fetch_and_op(MPI_IN_PLACE, &result, MPI_INT, 0, 0, MPI_NO_OP, win),
                MPI_SUCCESS);
  }
  CHECK_CLASS(MPI_Compare_and_swap(MPI_IN_PLACE, &value, &result, MPI_INT, 0, 0, win),
              MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Compare_and_swap(&value, MPI_IN_PLACE, &result, MPI_INT, 0, 0, win),
              MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Get_accumulate(MPI_IN_PLACE, 1, MPI_INT, &result, 1, MPI_INT, 0, 0, 1, MPI_INT,
                                 MPI_SUM, win),
              MPI_ERR_BUFFER);
  MPI_Win_unlock_all(win);
  MPI_Op_free(&mine);
}

// req rma 5.2, 9.1, 9.5, 10.7, 10.9, 10.19, 10.20, 11.8, 11.9, 10.5, 10.21, 10.10, 4.17, 11.12
// req rma 11.18, 11.22, 10.4
void epochs(MPI_Win win) {
  int value = 1;
  const auto put = [&](int rank) {
    return rma::class_of(MPI_Put(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, win));
  };
  MPI_Group all;
  MPI_Group none = MPI_GROUP_EMPTY;
  MPI_Win_get_group(win, &all);
  CHECK_EQUAL(put(0), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_unlock(me, win), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_flush(me, win), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_flush_all(win), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_sync(win), MPI_SUCCESS);
  CHECK_CLASS(MPI_Win_lock(17, me, 0, win), MPI_ERR_LOCKTYPE);
  CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, me, MPI_MODE_NOPUT, win), MPI_ERR_ASSERT);
  CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOCHECK, win), MPI_ERR_ASSERT);
  CHECK_CLASS(MPI_Win_fence(1, win), MPI_ERR_ASSERT);
  CHECK_CLASS(MPI_Win_post(all, MPI_MODE_NOPRECEDE, win), MPI_ERR_ASSERT);
  CHECK_CLASS(MPI_Win_start(all, MPI_MODE_NOPUT, win), MPI_ERR_ASSERT);
  CHECK_CLASS(MPI_Win_start(MPI_GROUP_NULL, 0, win), MPI_ERR_GROUP);

  MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
  CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_post(none, 0, win), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
  if (n > 1) CHECK_EQUAL(put((me + 1) % n), MPI_ERR_RMA_SYNC);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Rput(&value, 1, MPI_INT, me, 0, 1, MPI_INT, win, &request);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK_CLASS(MPI_Cancel(&request), MPI_ERR_REQUEST);
  CHECK_CLASS(MPI_Request_free(&request), MPI_ERR_REQUEST);
  CHECK_CLASS(MPI_Start(&request), MPI_ERR_REQUEST);
  MPI_Win_unlock(me, win);
  // req rma 9.8
  CHECK_CLASS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);

  MPI_Group_free(&all);
}

// req rma 9.1, 9.5, 10.4, 10.5, 10.9
void fences_and_groups(MPI_Win win) {
  int value = 1;
  const auto put = [&](int rank) {
    return rma::class_of(MPI_Put(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, win));
  };
  MPI_Group none = MPI_GROUP_EMPTY;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Win_fence(0, win);
  CHECK_EQUAL(put(0), MPI_SUCCESS);
  CHECK_CLASS(MPI_Rput(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win), MPI_ERR_RMA_SYNC);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  CHECK_EQUAL(put(0), MPI_ERR_RMA_SYNC);
  MPI_Win_fence(0, win);  // nothing follows: locks are right
  works(win);

  MPI_Win_post(none, 0, win);
  CHECK_CLASS(MPI_Win_post(none, 0, win), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
  MPI_Win_start(none, 0, win);
  CHECK_CLASS(MPI_Win_start(none, 0, win), MPI_ERR_RMA_SYNC);
  CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win), MPI_ERR_RMA_SYNC);
  CHECK_EQUAL(put(me), MPI_ERR_RMA_SYNC);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
}

// req rma 2.19, 2.20, 2.21, 2.22, 2.23, 2.24, 2.25, 2.26, 2.27, 2.28, 12.1, 16.3
void dynamic() {
  MPI_Win win = make(MPI_WIN_FLAVOR_DYNAMIC, nullptr);
  std::vector<int> memory(4'000);
  for (int i = 0; i < 100; ++i)
    CHECK_CLASS(MPI_Win_attach(win, &memory[static_cast<std::size_t>(40 * i)], 80), MPI_SUCCESS);
  CHECK_CLASS(MPI_Win_attach(win, &memory[1], 4), MPI_ERR_RMA_ATTACH);
  CHECK_CLASS(MPI_Win_attach(win, nullptr, 8), MPI_ERR_BASE);
  CHECK_CLASS(MPI_Win_attach(win, memory.data(), -8), MPI_ERR_SIZE);
  CHECK_CLASS(MPI_Win_attach(win, &memory[30], 0), MPI_SUCCESS);
  CHECK_CLASS(MPI_Win_detach(win, &memory[30]), MPI_SUCCESS);
  CHECK_CLASS(MPI_Win_detach(win, &memory[30]), MPI_ERR_RMA_ATTACH);
  MPI_Aint size = 0;
  int unit = 0;
  void* base = nullptr;
  CHECK_CLASS(MPI_Win_shared_query(win, me, &size, &unit, &base), MPI_ERR_RMA_FLAVOR);
  std::vector<MPI_Aint> addresses(static_cast<std::size_t>(n));
  MPI_Aint mine = 0;
  MPI_Get_address(memory.data(), &mine);
  MPI_Allgather(&mine, 1, MPI_AINT, addresses.data(), 1, MPI_AINT, MPI_COMM_WORLD);
  const int right = (me + 1) % n;
  const MPI_Aint there = addresses[static_cast<std::size_t>(right)];
  const auto put = [&](MPI_Aint byte, int count) {
    const int values[30] = {};
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    const int issued =
        MPI_Put(values, count, MPI_INT, right, MPI_Aint_add(there, byte), count, MPI_INT, win);
    const int ended = MPI_Win_unlock(right, win);
    return rma::class_of(issued != MPI_SUCCESS ? issued : ended);
  };
  CHECK_EQUAL(put(0, 20), MPI_SUCCESS);
  CHECK_EQUAL(put(0, 21), MPI_ERR_RMA_RANGE);
  CHECK_EQUAL(put(80, 1), MPI_ERR_RMA_RANGE);
  CHECK_EQUAL(put(-4, 1), MPI_ERR_RMA_RANGE);
  CHECK_EQUAL(put(160 * 99, 20), MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_CLASS(MPI_Win_detach(win, memory.data()), MPI_SUCCESS);
  CHECK_CLASS(MPI_Win_attach(win, &memory[20], 8), MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_EQUAL(put(0, 1), MPI_ERR_RMA_RANGE);
  CHECK_EQUAL(put(80, 2), MPI_SUCCESS);
  CHECK_EQUAL(put(160, 1), MPI_SUCCESS);
  MPI_Win_free(&win);
  int number = 0;
  win = make(MPI_WIN_FLAVOR_ALLOCATE, nullptr);
  CHECK_CLASS(MPI_Win_attach(win, &number, 4), MPI_ERR_RMA_FLAVOR);
  CHECK_CLASS(MPI_Win_detach(win, &number), MPI_ERR_RMA_FLAVOR);
  // req rma 3.1
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "no_locks", "true");
  MPI_Win_set_info(win, info);
  MPI_Info_free(&info);
  CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win), MPI_ERR_RMA_SYNC);
  MPI_Win_free(&win);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  me = rma::rank_in(MPI_COMM_WORLD);
  n = rma::size_of(MPI_COMM_WORLD);
  constructors();
  for (const int flavor : {MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_ALLOCATE}) {
    int memory[10] = {};
    MPI_Win win = make(flavor, memory);
    arguments(win);
    accumulates(win);
    epochs(win);
    fences_and_groups(win);
    MPI_Win_free(&win);
  }
  dynamic();
  MPI_Finalize();
  return 0;
}
