/* SPDX-License-Identifier: BSD-3-Clause
   Epochs with nobody, data after an epoch, hints of files, and the types of a view. */
#include <string.h>

#include "../io/scratch.h"
#include "case.h"

/* All that does nothing: no result changes. */
static void operate_on_nobody(MPI_Win win) {
  int value = 5, result = 7;
  MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
  MPI_Get(&result, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
  MPI_Accumulate(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, win);
  CHECK_EQUAL(result, 7);
}

/* The epochs are ended as ever: what comes after them is in order. */
static void epochs_with_nobody(MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm), right = (rank + 1) % size,
            left = (rank + size - 1) % size;
  int memory = 3, sent = 10 + rank;
  MPI_Group all, to, from;
  MPI_Win win;
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, 1, &right, &to);
  MPI_Group_incl(all, 1, &left, &from);
  MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, comm, &win);
  MPI_Win_fence(0, win);
  operate_on_nobody(win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Win_post(from, 0, win);
  MPI_Win_start(to, 0, win);
  operate_on_nobody(win);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win);
  operate_on_nobody(win);
  MPI_Win_unlock(right, win);
  MPI_Win_post(from, 0, win);
  MPI_Win_start(to, 0, win);
  MPI_Put(&sent, 1, MPI_INT, right, 0, 1, MPI_INT, win);
  MPI_Win_complete(win);
  MPI_Win_wait(win); /* only now is what the others put here mine to read */
  CHECK_EQUAL(memory, 10 + left);
  MPI_Win_free(&win);
  MPI_Group_free(&to), MPI_Group_free(&from), MPI_Group_free(&all);
}

static int value_of(MPI_File file, const char* key, char value[64]) {
  MPI_Info used = MPI_INFO_NULL;
  int length = 64, flag = 0;
  CHECK_EQUAL(MPI_File_get_info(file, &used), MPI_SUCCESS);
  CHECK(used != MPI_INFO_NULL);
  MPI_Info_get_string(used, key, &length, value, &flag);
  CHECK_EQUAL(MPI_Info_free(&used), MPI_SUCCESS);
  return flag;
}

static void hints_stay(MPI_Comm comm) {
  char value[64];
  MPI_File file = scratch_file(comm, "errata_hints");
  MPI_Info one, other, first, second;
  MPI_File_get_info(file, &first);
  MPI_File_get_info(file, &second);
  CHECK(first != MPI_INFO_NULL && first != second); /* each call makes one, to be freed */
  MPI_Info_free(&first), MPI_Info_free(&second);
  MPI_Info_create(&one), MPI_Info_create(&other);
  MPI_Info_set(one, "cb_buffer_size", "131072");
  MPI_Info_set(other, "nobody_knows_this", "1");
  CHECK_EQUAL(MPI_File_set_info(file, one), MPI_SUCCESS);
  CHECK(value_of(file, "cb_buffer_size", value) && strcmp(value, "131072") == 0);
  CHECK_EQUAL(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", other), MPI_SUCCESS);
  CHECK(value_of(file, "cb_buffer_size", value) && strcmp(value, "131072") == 0);
  CHECK_EQUAL(MPI_File_set_info(file, other), MPI_SUCCESS);
  CHECK(value_of(file, "cb_buffer_size", value) && strcmp(value, "131072") == 0);
  MPI_Info_free(&one), MPI_Info_free(&other);
  MPI_File_close(&file);
}

/* Predefined types come back as they are; derived ones are the caller's, to be freed. */
static void types_of_a_view(MPI_Comm comm) {
  MPI_File file = scratch_file(comm, "errata_view");
  char datarep[MPI_MAX_DATAREP_STRING];
  memset(datarep, 'x', sizeof datarep);
  MPI_Datatype type, etype, filetype;
  MPI_Offset disp = -1;
  int size = 0;
  MPI_Type_vector(2, 1, 3, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_File_set_view(file, 8, MPI_INT, type, "native", MPI_INFO_NULL);
  MPI_Type_free(&type);
  for (int again = 0; again < 2; again++) {
    CHECK_EQUAL(MPI_File_get_view(file, &disp, &etype, &filetype, datarep), MPI_SUCCESS);
    CHECK(disp == 8 && etype == MPI_INT && strcmp(datarep, "native") == 0);
    CHECK_EQUAL(datarep[sizeof "native"], 'x'); /* nothing is written behind the name */
    MPI_Type_size(filetype, &size);
    CHECK_EQUAL(size, 8);
    CHECK_EQUAL(MPI_Type_free(&filetype), MPI_SUCCESS);
  }
  MPI_File_close(&file);
}

/* Calls of the conversion functions: where they were told to begin. */
static struct {
  void* user[8];
  MPI_Offset position[8];
  int calls;
} log_;

static int same_extent(MPI_Datatype type, MPI_Aint* extent, void* state) {
  MPI_Aint lb;
  (void)state;
  return MPI_Type_get_extent(type, &lb, extent);
}

static int copied(void* to, const void* from, int bytes, void* user, MPI_Offset position) {
  memcpy(to, from, (size_t)bytes);
  if (log_.calls < 8) log_.user[log_.calls] = user, log_.position[log_.calls++] = position;
  return MPI_SUCCESS;
}

static int read_pair(void* user, MPI_Datatype type, int count, void* stream, MPI_Offset position,
                     void* state) {
  (void)type, (void)state;
  return copied((char*)user + 8 * position, stream, 8 * count, user, position);
}

static int write_pair(void* user, MPI_Datatype type, int count, void* stream, MPI_Offset position,
                      void* state) {
  (void)type, (void)state;
  return copied(stream, (char*)user + 8 * position, 8 * count, user, position);
}

/* Three ints are one pair and a half: the half is converted by a second call. */
static void conversion_goes_on(MPI_Comm comm) {
  static int made = 0;
  int out[3] = {1, 2, 3}, in[4] = {-1, -1, -1, -1};
  MPI_Datatype pair;
  MPI_File file = scratch_file(comm, "errata_conversion");
  if (!made++) MPI_Register_datarep("in pairs", read_pair, write_pair, same_extent, NULL);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  if (rank_in(comm) == 0) MPI_File_write_at(file, 0, out, 3, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(comm);
  MPI_File_sync(file);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "in pairs", MPI_INFO_NULL);
  log_.calls = 0;
  CHECK_EQUAL(MPI_File_read_at(file, 0, in, 2, pair, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK(in[0] == 1 && in[1] == 2 && in[2] == 3 && in[3] == -1);
  CHECK(log_.calls > 1);
  CHECK_EQUAL(log_.position[0], 0);
  CHECK_EQUAL(log_.position[log_.calls - 1], 1);
  for (int i = 0; i < log_.calls; i++) CHECK(log_.user[i] == in);
  MPI_Barrier(comm);
  MPI_Type_free(&pair);
  MPI_File_close(&file);
}

static const Case cases[] = {
    {"req errata 2.9, 3.7", "epochs with MPI_PROC_NULL alone are ended", ANY, epochs_with_nobody},
    {"req errata 2.49, 2.50", "hints that a call does not name stay", ANY, hints_stay},
    {"req errata 2.31", "the types of a view, twice", ANY, types_of_a_view},
    {"req errata 2.40", "a conversion that goes on", ANY, conversion_goes_on},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
