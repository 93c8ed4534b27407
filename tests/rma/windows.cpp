// SPDX-License-Identifier: BSD-3-Clause
// Windows as objects: constructors, attributes, names, groups, info, keyvals, error handlers.
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"

namespace {

int me;
int n;

// req rma 1.1, 1.8, 2.1, 2.6, 4.1, 4.2, 4.3, 13.1
void attributes(MPI_Win win, void* base, MPI_Aint size, int unit, int flavor) {
  void* got_base = nullptr;
  MPI_Aint* got_size = nullptr;
  int* value = nullptr;
  int flag = 0;
  MPI_Win_get_attr(win, MPI_WIN_BASE, &got_base, &flag);
  CHECK(flag != 0 && got_base == base);
  MPI_Win_get_attr(win, MPI_WIN_SIZE, &got_size, &flag);
  CHECK(flag != 0);
  CHECK_EQUAL(*got_size, size);
  MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &value, &flag);
  CHECK_EQUAL(*value, unit);
  MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &value, &flag);
  CHECK_EQUAL(*value, flavor);
  MPI_Win_get_attr(win, MPI_WIN_MODEL, &value, &flag);
  CHECK_EQUAL(*value, MPI_WIN_UNIFIED);
}

// req rma 1.3, 1.5, 1.6, 1.9, 2.7, 2.17, 4.16
void flavors() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<int> memory(16);
  int* allocated = nullptr;
  int* shared = nullptr;
  MPI_Win win[4];
  MPI_Win_create(memory.data(), 64, 4, MPI_INFO_NULL, comm, &win[0]);
  MPI_Win_allocate(me == 0 ? 0 : 8 * me, me + 1, MPI_INFO_NULL, comm, &allocated, &win[1]);
  MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &win[2]);
  MPI_Win_allocate_shared(me, 1, MPI_INFO_NULL, comm, &shared, &win[3]);
  MPI_Comm_free(&comm);  // the windows keep the group
  attributes(win[0], memory.data(), 64, 4, MPI_WIN_FLAVOR_CREATE);
  attributes(win[1], allocated, me == 0 ? 0 : 8 * me, me + 1, MPI_WIN_FLAVOR_ALLOCATE);
  attributes(win[2], MPI_BOTTOM, 0, 1, MPI_WIN_FLAVOR_DYNAMIC);
  attributes(win[3], shared, me, 1, MPI_WIN_FLAVOR_SHARED);
  for (MPI_Win& w : win) {
    MPI_Win_fence(0, w);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, w);
    MPI_Win_free(&w);
    CHECK(w == MPI_WIN_NULL);
  }
}

// req rma 2.10, 2.11, 2.12, 2.13, 2.15, 2.16, 16.1, 16.2, 16.7
void layout(bool contiguous) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", contiguous ? "false" : "true");
  const MPI_Aint sizes[] = {0, 3, 4096, 1, 777};
  char* mine = nullptr;
  MPI_Win win;
  MPI_Win_allocate_shared(sizes[me % 5], 1, info, MPI_COMM_WORLD, &mine, &win);
  MPI_Info_free(&info);
  char* end = nullptr;
  for (int rank = 0; rank < n; ++rank) {
    MPI_Aint size = -1;
    int unit = -1;
    char* base = nullptr;
    MPI_Win_shared_query(win, rank, &size, &unit, &base);
    CHECK_EQUAL(size, sizes[rank % 5]);
    CHECK_EQUAL(unit, 1);
    CHECK(base != nullptr);
    if (contiguous && end != nullptr) CHECK(base == end);
    if (rank == me) CHECK(base == mine);
    end = base + size;
  }
  std::memset(mine, me + 1, static_cast<std::size_t>(sizes[me % 5]));
  MPI_Win_fence(0, win);
  for (int rank = 0; rank < n; ++rank) {
    MPI_Aint size = 0;
    int unit = 0;
    char* base = nullptr;
    MPI_Win_shared_query(win, rank, &size, &unit, &base);
    for (MPI_Aint i = 0; i < size; ++i) CHECK_EQUAL(base[i], rank + 1);
  }
  MPI_Aint size = 0;
  MPI_Aint unit = 0;
  char* first = nullptr;
  MPI_Win_shared_query_c(win, MPI_PROC_NULL, &size, &unit, &first);
  CHECK_EQUAL(size, n > 1 ? 3 : 0);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

// req rma 16.3, 16.4, 16.5
void query_of_other_windows() {
  int* base = nullptr;
  MPI_Win win;
  MPI_Win_allocate(8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  for (int rank = 0; rank < n; ++rank) {
    MPI_Aint size = -1;
    int unit = 0;
    int* theirs = nullptr;
    MPI_Win_shared_query(win, rank, &size, &unit, &theirs);
    CHECK(size == 8 || (size == 0 && theirs == nullptr));
    if (rank == me) CHECK(size == 8 && theirs == base);
    if (rank != me) CHECK(theirs != base);
  }
  MPI_Win_free(&win);
  int memory[2] = {};
  MPI_Win_create(memory, 8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Aint size = -1;
  int unit = 0;
  int* theirs = nullptr;
  MPI_Win_shared_query(win, me, &size, &unit, &theirs);
  CHECK(size == 8 && theirs == memory);
  if (n > 1) {
    MPI_Win_shared_query(win, (me + 1) % n, &size, &unit, &theirs);
    CHECK_EQUAL(size, 0);
  }
  MPI_Win_free(&win);
}

// req rma 3.12, 2.6
void alignment() {
  MPI_Info info;
  MPI_Info_create(&info);
  for (const char* value : {"64", "4096", "2097152", "3", "-7", "garbage"}) {
    MPI_Info_set(info, "mpi_minimum_memory_alignment", value);
    char* base = nullptr;
    MPI_Win win;
    MPI_Win_allocate(100, 1, info, MPI_COMM_WORLD, &base, &win);
    const long asked = std::strtol(value, nullptr, 10);
    CHECK_EQUAL(reinterpret_cast<std::uintptr_t>(base) % 16, 0);
    if (asked > 3) CHECK_EQUAL(reinterpret_cast<std::uintptr_t>(base) % asked, 0);
    MPI_Win_free(&win);
  }
  MPI_Info_free(&info);
}

std::string hint(MPI_Win win, const char* key) {
  MPI_Info info;
  MPI_Win_get_info(win, &info);
  char value[MPI_MAX_INFO_VAL + 1] = "";
  int length = sizeof value;
  int flag = 0;
  MPI_Info_get_string(info, key, &length, value, &flag);
  MPI_Info_free(&info);
  return flag != 0 ? value : "(none)";
}

// req rma 1.7, 3.1, 3.2, 3.3, 3.5, 3.6, 3.7, 3.8, 3.9, 3.10, 3.11, 3.14, 3.15, 3.16
void infos() {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "accumulate_ordering", "waw,rar,waw");
  MPI_Info_set(info, "accumulate_ops", "same_op");
  MPI_Info_set(info, "nobody_knows_this", "1");
  MPI_Info_set(info, "same_size", "maybe");
  MPI_Info_set(info, "mpi_accumulate_granularity", "64");
  int memory = 0;
  MPI_Win win;
  MPI_Win_create(&memory, sizeof memory, 4, info, MPI_COMM_WORLD, &win);
  MPI_Info_set(info, "accumulate_ops", "changed");
  CHECK(hint(win, "accumulate_ordering") == "rar,waw");
  CHECK(hint(win, "accumulate_ops") == "same_op");
  CHECK(hint(win, "nobody_knows_this") == "(none)");
  CHECK(hint(win, "same_size") == "false");
  CHECK(hint(win, "mpi_accumulate_granularity") == "64");
  CHECK(hint(win, "no_locks") == "false");
  CHECK(hint(win, "mpi_memory_alloc_kinds") == "mpi,system");
  MPI_Info_set(info, "no_locks", "true");
  MPI_Info_set(info, "mpi_assert_memory_alloc_kinds", "gpu:device,system");
  MPI_Win_set_info(win, info);
  CHECK(hint(win, "no_locks") == "true");
  CHECK(hint(win, "mpi_memory_alloc_kinds") == "system");
  MPI_Win_free(&win);
  MPI_Info_free(&info);
  MPI_Win_create(&memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  CHECK(hint(win, "accumulate_ordering") == "rar,raw,war,waw");
  CHECK(hint(win, "accumulate_ops") == "same_op_no_op");
  MPI_Win_free(&win);
}

int deleted;
int count_deletion(MPI_Win, int, void* value, void* extra) {
  CHECK(extra == &deleted);
  deleted += *static_cast<int*>(value);
  return *static_cast<int*>(value) == 99 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

// req rma 4.5, 4.6, 4.7, 4.8, 4.9, 4.21
void keyvals(MPI_Win win) {
  int key = MPI_KEYVAL_INVALID;
  int one = 1;
  int ten = 10;
  static int stubborn;  // the window keeps its address
  stubborn = 99;
  int flag = -1;
  int* value = nullptr;
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, count_deletion, &key, &deleted);
  MPI_Win_get_attr(win, key, &value, &flag);
  CHECK_EQUAL(flag, 0);
  MPI_Win_set_attr(win, key, &one);
  MPI_Win_get_attr(win, key, &value, &flag);
  CHECK(flag != 0 && value == &one);
  MPI_Win_set_attr(win, key, &ten);
  CHECK_EQUAL(deleted, 1);
  MPI_Win_delete_attr(win, key);
  CHECK_EQUAL(deleted, 11);
  MPI_Win_set_attr(win, key, &stubborn);
  CHECK(MPI_Win_delete_attr(win, key) != MPI_SUCCESS);
  CHECK(MPI_Win_free(&win) != MPI_SUCCESS && win != MPI_WIN_NULL);
  stubborn = 1;
  CHECK_CLASS(MPI_Win_set_attr(win, MPI_WIN_SIZE, &one), MPI_ERR_KEYVAL);
  CHECK_CLASS(MPI_Win_delete_attr(win, MPI_WIN_BASE), MPI_ERR_KEYVAL);
  // A saved copy of a freed key releases it; it does nothing else.
  int freed = MPI_KEYVAL_INVALID;
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &freed, nullptr);
  MPI_Win_set_attr(win, freed, &one);
  const int copy = freed;
  MPI_Win_free_keyval(&freed);
  CHECK_CLASS(MPI_Win_set_attr(win, copy, &ten), MPI_ERR_KEYVAL);
  CHECK_CLASS(MPI_Win_delete_attr(win, freed), MPI_ERR_KEYVAL);
  CHECK_EQUAL(MPI_Win_delete_attr(win, copy), MPI_SUCCESS);
  CHECK_CLASS(MPI_Win_delete_attr(win, copy), MPI_ERR_KEYVAL);
  int of_comm = 0;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &of_comm, nullptr);
  CHECK_CLASS(MPI_Win_set_attr(win, of_comm, &one), MPI_ERR_KEYVAL);
  MPI_Comm_free_keyval(&of_comm);
  MPI_Win_free_keyval(&key);
  CHECK_EQUAL(key, MPI_KEYVAL_INVALID);
}

int handled;
void count_error(MPI_Win* win, int* code, ...) {
  CHECK(win != nullptr && *win != MPI_WIN_NULL);
  handled = rma::class_of(*code);
}

// req rma 1.12, 1.13, 4.10, 4.11, 4.12, 4.13, 4.14, 4.15
void names_groups_handlers() {
  int memory = 0;
  MPI_Win win;
  MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  CHECK(MPI_Win_fromint(MPI_Win_toint(win)) == win);
  MPI_Errhandler handler;
  MPI_Win_get_errhandler(win, &handler);
  CHECK(handler == MPI_ERRORS_ARE_FATAL);
  char name[MPI_MAX_OBJECT_NAME] = "?";
  int length = -1;
  MPI_Win_get_name(win, name, &length);
  CHECK(length == 0 && name[0] == 0);
  const std::string longest(2 * MPI_MAX_OBJECT_NAME, 'x');
  MPI_Win_set_name(win, longest.c_str());
  MPI_Win_get_name(win, name, &length);
  CHECK_EQUAL(length, MPI_MAX_OBJECT_NAME - 1);
  MPI_Win_get_name(MPI_WIN_NULL, name, &length);
  CHECK(std::strcmp(name, "MPI_WIN_NULL") == 0);
  MPI_Group group;
  MPI_Group whole;
  MPI_Comm_group(MPI_COMM_WORLD, &whole);
  MPI_Win_get_group(win, &group);
  MPI_Win_create_errhandler(count_error, &handler);
  MPI_Win_set_errhandler(win, handler);
  MPI_Errhandler_free(&handler);
  CHECK_CLASS(MPI_Put(&memory, 1, MPI_INT, n, 0, 1, MPI_INT, win), MPI_ERR_RANK);
  CHECK_EQUAL(handled, MPI_ERR_RANK);
  MPI_Win_call_errhandler(win, MPI_ERR_OTHER);
  CHECK_EQUAL(handled, MPI_ERR_OTHER);
  MPI_Win_get_errhandler(win, &handler);
  MPI_Errhandler_free(&handler);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  keyvals(win);
  MPI_Win_free(&win);
  int result = MPI_UNEQUAL;
  MPI_Group_compare(group, whole, &result);
  CHECK_EQUAL(result, MPI_IDENT);
  MPI_Group_free(&group);
  MPI_Group_free(&whole);
}

long descriptors() {
  long count = 0;
  for (int fd = 0; fd < 1024; ++fd) {
    char path[64];
    char target[64];
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (readlink(path, target, sizeof target) > 0) ++count;
  }
  return count;
}

long mappings() {
  std::FILE* file = std::fopen("/proc/self/maps", "r");
  long lines = 0;
  for (int c; (c = std::fgetc(file)) != EOF;) lines += c == '\n' ? 1 : 0;
  std::fclose(file);
  return lines;
}

// req rma 1.10, 2.5, 2.8, 4.20
void many(int alive, int rounds) {
  std::vector<MPI_Win> windows(static_cast<std::size_t>(alive));
  std::vector<int*> bases(windows.size());
  for (std::size_t i = 0; i < windows.size(); ++i)
    MPI_Win_allocate(8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &bases[i], &windows[i]);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const int value = static_cast<int>(i) + me;
    MPI_Win_lock(MPI_LOCK_SHARED, (me + 1) % n, 0, windows[i]);
    MPI_Put(&value, 1, MPI_INT, (me + 1) % n, 1, 1, MPI_INT, windows[i]);
    MPI_Win_unlock((me + 1) % n, windows[i]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    MPI_Win_lock(MPI_LOCK_SHARED, me, 0, windows[i]);
    CHECK_EQUAL(bases[i][1], static_cast<int>(i) + (me + n - 1) % n);
    MPI_Win_unlock(me, windows[i]);
    MPI_Win_free(&windows[i]);
  }
  const long files = descriptors();
  const long maps = mappings();
  for (int i = 0; i < rounds; ++i) {
    MPI_Win win;
    int* base = nullptr;
    MPI_Win_allocate(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    base[0] = i;
    MPI_Win_free(&win);
  }
  CHECK(descriptors() <= files + 2);
  CHECK(mappings() <= maps + 8);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  me = rma::rank_in(MPI_COMM_WORLD);
  n = rma::size_of(MPI_COMM_WORLD);
  const int alive = argc > 1 ? std::atoi(argv[1]) : 200;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 200;
  flavors();
  layout(true);
  layout(false);
  query_of_other_windows();
  alignment();
  infos();
  names_groups_handlers();
  many(alive, rounds);
  MPI_Finalize();
  return 0;
}
