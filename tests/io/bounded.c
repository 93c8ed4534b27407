/* SPDX-License-Identifier: BSD-3-Clause
   What a collective access of many rounds takes of memory: some times cb_buffer_size, whatever the
   amount of data. Per aggregator and round: its window, the data of the others for it, and each
   process's share of every window where its memory is scattered. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "scratch.h"

enum { PIECE = 1024, BUFFER = 256 << 10, PIECES = 16 << 10, AGGREGATORS = 2 };

/* The sanitizers keep what was freed. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { keeps_freed = 1 };
#else
enum { keeps_freed = 0 };
#endif

/* In KiB, of the process since it was last forgotten; 0: the system does not tell. */
static long peak(void) {
  char line[256];
  long kib = 0;
  FILE* file = fopen("/proc/self/status", "r");
  if (file == NULL) return 0;
  while (fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "VmHWM: %ld", &kib) == 1) break;
  fclose(file);
  return kib;
}

static long forget_peak(void) {
  FILE* file = fopen("/proc/self/clear_refs", "w");
  if (file == NULL) return 0;
  fputs("5", file);
  return fclose(file) == 0 ? peak() : 0;
}

/* Pieces of all processes in turn; memory has a gap behind each piece. */
static void memory_is_bounded(MPI_Comm comm) {
  char name[NAME_LENGTH];
  const int rank = rank_in(comm), size = size_of(comm);
  const size_t bytes = (size_t)PIECES * PIECE * 2;
  char* data = malloc(bytes);
  MPI_Info info;
  MPI_File file;
  MPI_Datatype one, seen, memory;
  MPI_Info_create(&info);
  MPI_Info_set(info, "romio_cb_write", "enable");
  MPI_Info_set(info, "romio_cb_read", "enable");
  MPI_Info_set(info, "cb_buffer_size", "262144");
  MPI_Info_set(info, "cb_nodes", "2");
  scratch(comm, "bounded", name);
  const int amode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  CHECK_EQUAL(MPI_File_open(comm, name, amode, info, &file), MPI_SUCCESS);
  MPI_Type_contiguous(PIECE, MPI_BYTE, &one);
  MPI_Type_create_resized(one, 0, (MPI_Aint)PIECE * size, &seen);
  MPI_Type_create_resized(one, 0, 2 * PIECE, &memory);
  MPI_Type_commit(&seen);
  MPI_Type_commit(&memory);
  MPI_File_set_view(file, (MPI_Offset)PIECE * rank, MPI_BYTE, seen, "native", MPI_INFO_NULL);
  memset(data, rank + 1, bytes);
  MPI_Barrier(comm);
  const long before = forget_peak();
  CHECK_EQUAL(MPI_File_write_at_all(file, 0, data, PIECES, memory, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQUAL(MPI_File_read_at_all(file, 0, data, PIECES, memory, MPI_STATUS_IGNORE), MPI_SUCCESS);
  const long grown = peak() - before;
  const long bound = ((2 + AGGREGATORS) * (long)BUFFER + (6 << 20)) / 1024;
  if (rank == 0)
    printf("peak memory grew by %ld KiB in a transfer of %d MiB\n", grown, PIECES / 1024);
  if (before > 0 && !keeps_freed) CHECK(grown <= bound);
  for (size_t i = 0; i < bytes; i += PIECE / 4) CHECK(data[i] == rank + 1);
  MPI_Type_free(&one);
  MPI_Type_free(&seen);
  MPI_Type_free(&memory);
  MPI_Info_free(&info);
  MPI_File_close(&file);
  free(data);
}

static const Case cases[] = {
    {"req io 4.54", "memory of collective access is bounded", ANY, memory_is_bounded},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
