/* SPDX-License-Identifier: BSD-3-Clause
   MPI-IO: individual and shared file pointers, ordered access. */
#include <dirent.h>

#include "case.h"
#include "scratch.h"

enum { RECORD = 64, RECORDS = 300 };

/* Records of all processes, in whatever order: each is whole and there once, and the file holds
   nothing else. */
static void shared_writes(MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm);
  MPI_File file = scratch_file(comm, "shared");
  int record[RECORD / 4];
  MPI_Offset bytes = 0, position = -1;
  for (int i = 0; i < RECORDS; ++i) {
    for (int k = 0; k < RECORD / 4; ++k) record[k] = rank * RECORDS + i;
    CHECK_EQUAL(MPI_File_write_shared(file, record, RECORD / 4, MPI_INT, MPI_STATUS_IGNORE),
                MPI_SUCCESS);
  }
  CHECK_EQUAL(MPI_File_write_shared(file, record, 0, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
  MPI_File_sync(file);
  MPI_Barrier(comm);
  MPI_File_get_size(file, &bytes);
  CHECK_EQUAL(bytes, (long long)size * RECORDS * RECORD);
  MPI_File_get_position_shared(file, &position);
  CHECK_EQUAL(position, bytes);
  if (rank == 0) {
    char* seen = calloc((size_t)size * RECORDS, 1);
    int last[16];
    memset(last, -1, sizeof last);
    for (int i = 0; i < size * RECORDS; ++i) {
      MPI_File_read_at(file, (MPI_Offset)i * RECORD, record, RECORD / 4, MPI_INT,
                       MPI_STATUS_IGNORE);
      for (int k = 1; k < RECORD / 4; ++k) CHECK_EQUAL(record[k], record[0]);
      if (!CHECK(record[0] >= 0 && record[0] < size * RECORDS)) continue;
      CHECK(!seen[record[0]]);
      seen[record[0]] = 1;
      CHECK(record[0] % RECORDS > last[record[0] / RECORDS]); /* program order */
      last[record[0] / RECORDS] = record[0] % RECORDS;
    }
    free(seen);
  }
  MPI_File_close(&file);
}

static void ordered_writes(MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm);
  MPI_File file = scratch_file(comm, "ordered");
  int out[16], in[1024];
  MPI_Status status;
  for (int i = 0; i < 16; ++i) out[i] = rank;
  /* Rank r gives r numbers: rank 0 none. */
  CHECK_EQUAL(MPI_File_write_ordered(file, out, rank, MPI_INT, &status), MPI_SUCCESS);
  CHECK_EQUAL(count_of(&status, MPI_INT), rank);
  CHECK_EQUAL(MPI_File_write_ordered_begin(file, out, 1, MPI_INT), MPI_SUCCESS);
  CHECK_EQUAL(MPI_File_write_ordered_end(file, out, &status), MPI_SUCCESS);
  const int total = size * (size - 1) / 2;
  MPI_Offset position = -1;
  MPI_File_get_position_shared(file, &position);
  CHECK_EQUAL(position, 4 * (total + size));
  MPI_File_sync(file);
  MPI_Barrier(comm);
  MPI_File_read_at(file, 0, in, total + size, MPI_INT, &status);
  CHECK_EQUAL(count_of(&status, MPI_INT), total + size);
  int place = 0;
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < r; ++i) CHECK_EQUAL(in[place++], r);
  for (int r = 0; r < size; ++r) CHECK_EQUAL(in[place++], r);
  MPI_Barrier(comm);
  CHECK_EQUAL(MPI_File_seek_shared(file, 0, MPI_SEEK_SET), MPI_SUCCESS);
  CHECK_EQUAL(MPI_File_read_ordered(file, in, rank, MPI_INT, &status), MPI_SUCCESS);
  for (int i = 0; i < rank; ++i) CHECK_EQUAL(in[i], rank);
  MPI_File_close(&file);
}

static void seeking_together(MPI_Comm comm) {
  MPI_File file = scratch_file(comm, "seeking");
  MPI_Offset position = -1;
  CHECK_EQUAL(MPI_File_seek_shared(file, 10, MPI_SEEK_SET), MPI_SUCCESS);
  CHECK_EQUAL(MPI_File_get_position_shared(file, &position), MPI_SUCCESS);
  CHECK_EQUAL(position, 10);
  MPI_Barrier(comm);
  CHECK_CLASS(MPI_File_seek_shared(file, -11, MPI_SEEK_CUR), MPI_ERR_ARG);
  if (size_of(comm) > 1)
    CHECK_CLASS(MPI_File_seek_shared(file, rank_in(comm), MPI_SEEK_SET), MPI_ERR_NOT_SAME);
  MPI_File_set_size(file, 100);
  CHECK_EQUAL(MPI_File_seek_shared(file, -1, MPI_SEEK_END), MPI_SUCCESS);
  MPI_File_get_position_shared(file, &position);
  CHECK_EQUAL(position, 99);
  MPI_File_close(&file);
}

/* Two opens of one file have pointers of their own. */
static void independent_opens(MPI_Comm comm) {
  char name[NAME_LENGTH];
  MPI_File mine, ours;
  MPI_Offset position = -1;
  int data = 7;
  scratch(comm, "opens", name);
  MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &ours);
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR, MPI_INFO_NULL, &mine);
  MPI_File_write_shared(mine, &data, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write_shared(mine, &data, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_get_position_shared(mine, &position);
  CHECK_EQUAL(position, 8);
  MPI_File_get_position_shared(ours, &position);
  CHECK_EQUAL(position, 0);
  MPI_File_get_position(mine, &position);
  CHECK_EQUAL(position, 0);
  MPI_File_close(&mine);
  MPI_File_close(&ours);
  MPI_Barrier(comm);
  if (rank_in(comm) == 0) MPI_File_delete(name, MPI_INFO_NULL);
}

static int files_with(const char* directory, const char* part) {
  int n = 0;
  DIR* all = opendir(directory);
  for (struct dirent* one = readdir(all); one != NULL; one = readdir(all))
    n += strstr(one->d_name, part) != NULL;
  closedir(all);
  return n;
}

static void no_helper_files(MPI_Comm comm) {
  char name[NAME_LENGTH], *slash;
  MPI_File file;
  scratch(comm, "alone", name);
  MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_File_write_shared(file, name, 10, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_write_ordered(file, name, 10, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_Barrier(comm);
  slash = strrchr(name, '/');
  *slash = '\0';
  CHECK_EQUAL(files_with(name, slash + 1), 1);
  MPI_Barrier(comm);
  MPI_File_close(&file);
  CHECK_EQUAL(files_with(name, slash + 1), 0);
}

static const Case cases[] = {
    {"req io 6.82, req io 6.89, req io 6.90, req io 7.126, req io 7.127, req io 8.139",
     "records at the shared pointer", ANY, shared_writes},
    {"req io 6.91, req io 6.92, req io 7.124", "records in the order of ranks", ANY,
     ordered_writes},
    {"req io 6.82, req io 6.83, req io 6.79", "seeking together", ANY, seeking_together},
    {"req io 2.32, req io 6.88, req io 2.1", "opens do not share pointers", ANY, independent_opens},
    {"req io 11.182, req io 10.165", "no file but the program's", ANY, no_helper_files},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
