/* SPDX-License-Identifier: BSD-3-Clause
   Files at a faulty driver (faulty.cpp), whose rules differ from process to process, and what they
   must have in them afterwards. */
#ifndef TESSERA_TESTS_IO_FAULTS_H
#define TESSERA_TESTS_IO_FAULTS_H

#include "case.h"
#include "scratch.h"

enum { PIECE = 64, PIECES = 120, PER_RANK = PIECE * PIECES, MOST_RANKS = 9 };

typedef struct {
  const char* name;
  int error_class;
  const char* text; /* the system's */
} Reason;

static const Reason reasons[] = {{"ENOSPC", MPI_ERR_NO_SPACE, "No space left on device"},
                                 {"EDQUOT", MPI_ERR_QUOTA, "Disk quota exceeded"},
                                 {"EROFS", MPI_ERR_READ_ONLY, "Read-only file system"},
                                 {"EIO", MPI_ERR_IO, "Input/output error"},
                                 {"EACCES", MPI_ERR_ACCESS, "Permission denied"}};
enum { REASONS = sizeof reasons / sizeof reasons[0] };

/* The name that gives the file these rules at rank `faulty` (-1: at all), and none at the others:
   so the processes open one file by different names. */
static inline void faulty_name(MPI_Comm comm, const char* path, int faulty, const char* rules,
                               char name[2 * NAME_LENGTH]) {
  const int mine = faulty < 0 || rank_in(comm) == faulty;
  snprintf(name, 2 * NAME_LENGTH, "faulty:/%s!%s", mine ? rules : "", path);
}

static inline MPI_File open_faulty(MPI_Comm comm, const char* path, int faulty, const char* rules,
                                   int amode, MPI_Info info) {
  char name[2 * NAME_LENGTH];
  MPI_File file = MPI_FILE_NULL;
  faulty_name(comm, path, faulty, rules, name);
  CHECK_EQUAL(MPI_File_open(comm, name, amode, info, &file), MPI_SUCCESS);
  return file;
}

static inline void remove_file(MPI_Comm comm, const char* path) {
  MPI_Barrier(comm);
  if (rank_in(comm) == 0) unlink(path);
}

static inline int text_has(int code, const char* part) {
  char text[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_string(code, text, &length);
  const int there = strstr(text, part) != NULL;
  if (!there) fprintf(stderr, "\"%s\" is not in: %s\n", part, text);
  return there;
}

/* Aggregators at all processes, small windows: a failure comes in the middle of the rounds. */
static inline MPI_Info together(MPI_Comm comm) {
  char nodes[16];
  MPI_Info info;
  MPI_Info_create(&info);
  snprintf(nodes, sizeof nodes, "%d", size_of(comm));
  MPI_Info_set(info, "romio_cb_write", "enable");
  MPI_Info_set(info, "romio_cb_read", "enable");
  MPI_Info_set(info, "cb_nodes", nodes);
  MPI_Info_set(info, "cb_buffer_size", "4096");
  return info;
}

/* Pieces of all ranks in turn, and a gap of one piece behind each turn. */
static inline void interleave(MPI_Comm comm, MPI_File file) {
  MPI_Datatype piece, filetype;
  MPI_Type_contiguous(PIECE, MPI_BYTE, &piece);
  MPI_Type_create_resized(piece, 0, (MPI_Aint)PIECE * (size_of(comm) + 1), &filetype);
  MPI_Type_commit(&filetype);
  CHECK_EQUAL(MPI_File_set_view(file, (MPI_Offset)rank_in(comm) * PIECE, MPI_BYTE, filetype,
                                "native", MPI_INFO_NULL),
              MPI_SUCCESS);
  MPI_Type_free(&piece);
  MPI_Type_free(&filetype);
}

static inline char datum(int rank, int i) {
  return (char)(rank * 41 + i % 37 + 1);
}

static inline void fill(char* data, int rank) {
  for (int i = 0; i < PER_RANK; ++i) data[i] = datum(rank, i);
}

enum { OLD = '\xa5' };

static inline size_t file_bytes(MPI_Comm comm) {
  return (size_t)PER_RANK * (size_t)(size_of(comm) + 1);
}

static inline void prepare_file(MPI_Comm comm, const char* path) {
  if (rank_in(comm) == 0) {
    FILE* file = fopen(path, "wb");
    for (size_t i = file_bytes(comm); i > 0; --i) fputc(OLD, file);
    fclose(file);
  }
  MPI_Barrier(comm);
}

/* Each byte is what it was, or what was to be written there; with `whole` the latter. */
static inline void look_at_file(MPI_Comm comm, const char* path, int whole) {
  MPI_Barrier(comm);
  if (rank_in(comm) == 0) {
    const int turn = PIECE * (size_of(comm) + 1);
    size_t bad = 0, at = 0;
    FILE* file = fopen(path, "rb");
    for (int c = fgetc(file); c != EOF; c = fgetc(file), ++at) {
      const int rank = (int)(at % (size_t)turn) / PIECE;
      const int i = (int)(at / (size_t)turn) * PIECE + (int)(at % PIECE);
      const int new = rank < size_of(comm) && (char)c == datum(rank, i);
      const int old = (char)c == (char)OLD && (!whole || rank == size_of(comm));
      if (!new && !old) ++bad;
    }
    fclose(file);
    CHECK_EQUAL(bad, 0);
    CHECK_EQUAL(at, file_bytes(comm));
  }
  MPI_Barrier(comm);
}

#endif
