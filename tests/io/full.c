/* SPDX-License-Identifier: BSD-3-Clause
   MPI-IO on a file system of 1 MiB that runs full, and on one that is read-only (full.sh mounts
   them, in memory and on a loop device, and calls this with DIRECTORY full or DIRECTORY read_only).
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

/* A piece of each rank in turn. */
static void see_turns(MPI_File file) {
  MPI_Datatype type, filetype;
  MPI_Type_contiguous(piece, MPI_BYTE, &type);
  MPI_Type_create_resized(type, 0, (MPI_Aint)piece * size, &filetype);
  MPI_Type_commit(&filetype);
  MPI_File_set_view(file, (MPI_Offset)piece * rank, MPI_BYTE, filetype, "native", MPI_INFO_NULL);
  MPI_Type_free(&type);
  MPI_Type_free(&filetype);
}

static MPI_File opened(const char* name, const char* collective, const char* form) {
  MPI_File file = MPI_FILE_NULL;
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "romio_cb_write", collective);
  MPI_Info_set(info, "cb_buffer_size", "65536");
  CHECK(MPI_File_open(MPI_COMM_WORLD, name,
                      MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info,
                      &file) == MPI_SUCCESS);
  MPI_Info_free(&info);
  return file;
}

/* Whether a call failed, and as it must: the class, and a text that says where and why. */
static int fails(int code, const char* name, const char* form) {
  if (code == MPI_SUCCESS) return 0;
  CHECK(class_of(code) == MPI_ERR_NO_SPACE);
  CHECK(says(code, name) && says(code, "offset") && says(code, "No space left"));
  return 1;
}

static int processes_that(int failed) {
  int all = 0;
  MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/* The file serves on once there is room. */
static void serves_on(MPI_File file, const char* form) {
  char data[100];
  MPI_Status status;
  memset(data, datum(rank, 0), sizeof data);
  CHECK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL) == MPI_SUCCESS);
  CHECK(class_of(MPI_File_preallocate(file, 1 << 24)) == MPI_ERR_NO_SPACE);
  CHECK(MPI_File_set_size(file, 0) == MPI_SUCCESS);
  CHECK(MPI_File_write_at_all(file, rank * 100, data, 100, MPI_BYTE, &status) == MPI_SUCCESS);
}

static int write_alone(MPI_File file, int from, char* data, int bytes, MPI_Status* status) {
  return MPI_File_write_at(file, from, data, bytes, MPI_BYTE, status);
}

static int write_later(MPI_File file, int from, char* data, int bytes, MPI_Status* status) {
  MPI_Request request;
  const int code = MPI_File_iwrite_at(file, from, data, bytes, MPI_BYTE, &request);
  return code != MPI_SUCCESS ? code : MPI_Wait(&request, status);
}

static int write_all(MPI_File file, int from, char* data, int bytes, MPI_Status* status) {
  return MPI_File_write_at_all(file, from, data, bytes, MPI_BYTE, status);
}

typedef int Write(MPI_File file, int from, char* data, int bytes, MPI_Status* status);
typedef struct {
  const char* form;
  const char* collective; /* the hint */
  Write* write;
} Form;

static const Form forms[] = {{"together", "enable", write_all},
                             {"collective, each alone", "disable", write_all},
                             {"each alone", "disable", write_alone},
                             {"nonblocking", "disable", write_later}};

/* All write pieces in turn; there is no room for the last ones. What was written before stays, and
   so does all of a process for which there was room. */
static void run_full(const char* name, const Form* one) {
  enum { BEFORE = 4 * LARGEST };
  static char data[BYTES], again[BYTES];
  const char* form = one->form;
  MPI_File file = opened(name, one->collective, form);
  MPI_Status status;
  see_turns(file);
  for (int i = 0; i < BYTES; ++i) data[i] = datum(rank, i);
  CHECK(one->write(file, 0, data, BEFORE, &status) == MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  const int failed =
      fails(one->write(file, BEFORE, data + BEFORE, BYTES - BEFORE, &status), name, form);
  const int all = processes_that(failed), there = failed ? BEFORE : BYTES;
  CHECK(one->collective[0] == 'e' ? all == size : all > 0);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(MPI_File_read_at(file, 0, again, there, MPI_BYTE, &status) == MPI_SUCCESS);
  CHECK(memcmp(data, again, (size_t)there) == 0);
  look(file, form);
  serves_on(file, form);
  CHECK(MPI_File_close(&file) == MPI_SUCCESS);
}

/* Records through the shared pointer, one after the other, until every rank (any rank, in order)
   has met the end of the room. Records that were written are whole, and nobody's bytes are mixed.
 */
static void run_shared(const char* name, int ordered) {
  enum { RECORD = 1000, MOST = 1 << 13 };
  static char record[RECORD], slot[RECORD];
  const char* form = ordered ? "ordered" : "shared";
  MPI_File file = opened(name, "automatic", form);
  MPI_Status status;
  MPI_Offset bytes = 0;
  int whole[16] = {0}, written = 0, met = 0, turn;
  for (int i = 0; i < RECORD; ++i) record[i] = datum(rank, i);
  for (turn = 0; turn < MOST && !met; ++turn) {
    const int code = ordered ? MPI_File_write_ordered(file, record, RECORD, MPI_BYTE, &status)
                             : MPI_File_write_shared(file, record, RECORD, MPI_BYTE, &status);
    met = fails(code, name, form);
    written += !met;
    if (ordered) met = processes_that(met) > 0;
  }
  CHECK(turn < MOST);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(MPI_File_get_size(file, &bytes) == MPI_SUCCESS);
  for (MPI_Offset at = 0; at < bytes; at += RECORD) {
    int count = 0, bad = 0;
    CHECK(MPI_File_read_at(file, at, slot, RECORD, MPI_BYTE, &status) == MPI_SUCCESS);
    MPI_Get_count(&status, MPI_BYTE, &count);
    const int of = slot[0] == 0 ? 0 : (slot[0] - 1) / 60; /* whose it is, by its first byte */
    for (int i = 0; i < count; ++i) bad += slot[i] != datum(of, i);
    for (int i = 0; i < count && bad > 0; ++i) CHECK(slot[i] == 0 || slot[i] == datum(of, i));
    if (bad == 0 && count == RECORD && of < 16) ++whole[of];
  }
  CHECK(whole[rank] >= written);
  MPI_Barrier(MPI_COMM_WORLD);
  serves_on(file, form);
  CHECK(MPI_File_close(&file) == MPI_SUCCESS);
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
    for (piece = 64; piece <= LARGEST; piece *= 8)
      for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i) run_full(name, &forms[i]);
    run_shared(name, 0);
    run_shared(name, 1);
  } else {
    run_read_only(name);
  }
  MPI_Finalize();
  return failures != 0;
}
