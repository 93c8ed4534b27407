/* SPDX-License-Identifier: BSD-3-Clause
   MPI-IO on a file system of 1 MiB that runs full, and on one that is read-only (full.sh mounts
   them and calls this with DIRECTORY full or DIRECTORY read_only).
   req io 2.11, req io 3.39, req io 7.106, req io 11.175, req io 11.176 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 8192, BYTES = 96 * LARGEST }; /* of each rank; two ranks do not fit */
static int piece;                              /* 64: io/posix stores through a mapping */

static int failures, rank, size;

static void check(int holds, const char* what, const char* form) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "rank %d, %s: %s does not hold\n", rank, form, what);
}
#define CHECK(condition) check((condition) != 0, #condition, form)

static int class_of(int code) {
  int class_is = MPI_SUCCESS;
  MPI_Error_class(code, &class_is);
  return class_is;
}

static int says(int code, const char* part) {
  char text[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_string(code, text, &length);
  return strstr(text, part) != NULL;
}

static char datum(int of, int i) {
  return (char)(1 + of * 60 + i % 50);
}

/* A byte of the file is one that its rank wrote, or zero. */
static void look(MPI_File file, const char* form) {
  static char turn[LARGEST * 16];
  MPI_Offset bytes = 0;
  MPI_Status status;
  MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  CHECK(MPI_File_get_size(file, &bytes) == MPI_SUCCESS);
  for (MPI_Offset at = 0; at < bytes; at += (MPI_Offset)piece * size) {
    int count = 0, bad = 0;
    CHECK(MPI_File_read_at(file, at, turn, piece * size, MPI_BYTE, &status) == MPI_SUCCESS);
    MPI_Get_count(&status, MPI_BYTE, &count);
    const int before = (int)(at / size);
    for (int i = 0; i < count; ++i)
      bad += turn[i] != 0 && turn[i] != datum(i / piece, before + i % piece);
    CHECK(bad == 0);
  }
}

/* All write pieces in turn; there is no room for the last ones. */
static void run_full(const char* name, int together) {
  static char data[BYTES];
  const char* form = together ? "together" : "each alone";
  MPI_File file;
  MPI_Info info;
  MPI_Datatype type, filetype;
  MPI_Status status;
  MPI_Info_create(&info);
  MPI_Info_set(info, "romio_cb_write", together ? "enable" : "disable");
  MPI_Info_set(info, "cb_buffer_size", "65536");
  CHECK(MPI_File_open(MPI_COMM_WORLD, name,
                      MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info,
                      &file) == MPI_SUCCESS);
  MPI_Type_contiguous(piece, MPI_BYTE, &type);
  MPI_Type_create_resized(type, 0, (MPI_Aint)piece * size, &filetype);
  MPI_Type_commit(&filetype);
  MPI_File_set_view(file, (MPI_Offset)piece * rank, MPI_BYTE, filetype, "native", MPI_INFO_NULL);
  for (int i = 0; i < BYTES; ++i) data[i] = datum(rank, i);
  const int code = MPI_File_write_all(file, data, BYTES, MPI_BYTE, &status);
  int failed = code != MPI_SUCCESS, all = 0;
  CHECK(!failed || class_of(code) == MPI_ERR_NO_SPACE);
  CHECK(!failed || (says(code, name) && says(code, "offset") && says(code, "No space left")));
  MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(together ? all == size : all > 0);
  look(file, form);
  CHECK(class_of(MPI_File_preallocate(file, 1 << 24)) == MPI_ERR_NO_SPACE);
  CHECK(MPI_File_set_size(file, 0) == MPI_SUCCESS);
  CHECK(MPI_File_write_at_all(file, rank * 100, data, 100, MPI_BYTE, &status) == MPI_SUCCESS);
  CHECK(MPI_File_close(&file) == MPI_SUCCESS);
  MPI_Type_free(&type);
  MPI_Type_free(&filetype);
  MPI_Info_free(&info);
}

static void run_read_only(const char* name) {
  const char* form = "a read-only file system";
  MPI_File file;
  int code =
      MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  CHECK(class_of(code) == MPI_ERR_READ_ONLY);
  CHECK(says(code, name) && says(code, "Read-only file system"));
  CHECK(file == MPI_FILE_NULL);
}

int main(int argc, char** argv) {
  char name[512];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  snprintf(name, sizeof name, "%s/file", argv[1]);
  if (strcmp(argv[2], "full") == 0) {
    for (piece = 64; piece <= LARGEST; piece *= LARGEST / 64) {
      run_full(name, 1);
      run_full(name, 0);
    }
  } else {
    run_read_only(name);
  }
  MPI_Finalize();
  return failures != 0;
}
