/* SPDX-License-Identifier: BSD-3-Clause
   MPI-IO: pieces that are read from one place again and again, which io/posix then copies out of a
   mapping of the file. Short counts stay right, holes stay holes, and another process may cut the
   file in the middle of a copy. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "../mpi1/case.h"
#include "scratch.h"

enum { PIECES = 64, TIMES = 4, LARGEST = 4096, ACCESSES = 400 };
static const int sizes[] = {64, 256, 1000, 1024, 3000, LARGEST};

/* What stands in the file at this offset. */
static char datum(MPI_Offset at) {
  return (char)(1 + at % 120);
}

/* Pieces of all ranks in turn. */
static MPI_File see_pieces(MPI_Comm comm, const char* name, int amode, int piece,
                           const char* collective) {
  MPI_File file = MPI_FILE_NULL;
  MPI_Info info;
  MPI_Datatype type, filetype;
  MPI_Info_create(&info);
  MPI_Info_set(info, "romio_cb_read", collective);
  CHECK_EQUAL(MPI_File_open(comm, name, amode, info, &file), MPI_SUCCESS);
  MPI_Type_contiguous(piece, MPI_BYTE, &type);
  MPI_Type_create_resized(type, 0, (MPI_Aint)piece * size_of(comm), &filetype);
  MPI_Type_commit(&filetype);
  MPI_File_set_view(file, (MPI_Offset)piece * rank_in(comm), MPI_BYTE, filetype, "native",
                    MPI_INFO_NULL);
  MPI_Type_free(&filetype);
  MPI_Type_free(&type);
  MPI_Info_free(&info);
  return file;
}

static MPI_Offset bytes_of_all(MPI_Comm comm, int piece) {
  return (MPI_Offset)PIECES * piece * size_of(comm);
}

/* At one process, past the library. */
static void fill_file(const char* name, MPI_Offset bytes, int flags) {
  char* data = malloc((size_t)bytes);
  const int descriptor = open(name, O_RDWR | O_CREAT | flags, 0666);
  for (MPI_Offset at = 0; at < bytes; ++at) data[at] = datum(at);
  CHECK(pwrite(descriptor, data, (size_t)bytes, 0) == bytes);
  close(descriptor);
  free(data);
}

static void make_file(MPI_Comm comm, const char* name, MPI_Offset bytes) {
  if (rank_in(comm) == 0) fill_file(name, bytes, O_TRUNC);
  MPI_Barrier(comm);
}

static void remove_file(MPI_Comm comm, MPI_File* file, const char* name) {
  CHECK_EQUAL(MPI_File_close(file), MPI_SUCCESS);
  if (rank_in(comm) == 0) unlink(name);
  MPI_Barrier(comm);
}

/* Where the i-th byte of a process lies in the file. */
static MPI_Offset place_of(MPI_Comm comm, int piece, int i) {
  return ((MPI_Offset)(i / piece) * size_of(comm) + rank_in(comm)) * piece + i % piece;
}

/* So many bytes of a process lie before this end of the file. */
static int bytes_before(MPI_Comm comm, int piece, MPI_Offset end) {
  int bytes = 0;
  while (bytes < PIECES * piece && place_of(comm, piece, bytes) < end) ++bytes;
  return bytes;
}

/* Returns the count; all bytes up to it are those of the file, or zero where `zeros`. */
static int read_pieces(MPI_Comm comm, MPI_File file, int piece, int how, int zeros) {
  static char data[PIECES * LARGEST];
  const int bytes = PIECES * piece;
  MPI_Status status;
  MPI_Request request;
  int code = MPI_SUCCESS, bad = 0;
  memset(data, -1, (size_t)bytes);
  if (how == 0) code = MPI_File_read_at(file, 0, data, bytes, MPI_BYTE, &status);
  if (how == 1) code = MPI_File_read_at_all(file, 0, data, bytes, MPI_BYTE, &status);
  if (how == 2) {
    code = MPI_File_iread_at(file, 0, data, bytes, MPI_BYTE, &request);
    if (code == MPI_SUCCESS) code = MPI_Wait(&request, &status);
  }
  CHECK_EQUAL(code, MPI_SUCCESS);
  const int count = count_of(&status, MPI_BYTE);
  for (int i = 0; i < count; ++i)
    bad += data[i] != datum(place_of(comm, piece, i)) && !(zeros && data[i] == 0);
  CHECK_EQUAL(bad, 0);
  return count;
}

static unsigned long long copied_now(void) {
  int provided, index, values;
  unsigned long long value = 0;
  MPI_T_pvar_session session;
  MPI_T_pvar_handle handle;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  if (MPI_T_pvar_get_index("io_posix_copied", MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS) {
    static MPI_T_pvar_session kept = MPI_T_PVAR_SESSION_NULL;
    static MPI_T_pvar_handle counter;
    if (kept == MPI_T_PVAR_SESSION_NULL) {
      MPI_T_pvar_session_create(&session);
      MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &values);
      MPI_T_pvar_start(session, handle);
      kept = session;
      counter = handle;
    }
    MPI_T_pvar_read(kept, counter, &value);
  }
  return value;
}

/* Where mappings and calls see the same pages. */
static int maps(const char* name) {
  struct statfs about;
  return statfs(name, &about) == 0 && (about.f_type == 0xef53 || about.f_type == 0x01021994);
}

static void one_place(MPI_Comm comm) {
  static const char* const hints[] = {"automatic", "disable", "enable"};
  static const int amodes[] = {MPI_MODE_RDWR, MPI_MODE_RDONLY};
  char name[NAME_LENGTH];
  scratch(comm, "mapped", name);
  (void)copied_now();
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    make_file(comm, name, bytes_of_all(comm, sizes[i]));
    for (int amode = 0; amode < 2; ++amode) {
      for (int how = 0; how < 5; ++how) {
        const unsigned long long before = copied_now();
        MPI_File file =
            see_pieces(comm, name, amodes[amode], sizes[i], hints[how < 3 ? how : how - 3]);
        for (int time = 0; time < TIMES; ++time)
          CHECK_EQUAL(read_pieces(comm, file, sizes[i], how < 3 ? 1 : (how - 3) * 2, 0),
                      PIECES * sizes[i]);
        /* A single process has no pieces. */
        if (maps(name) && size_of(comm) > 1 && size_of(comm) < 4 && how >= 3 && sizes[i] >= 256)
          CHECK(copied_now() >= before + 1);
        MPI_File_close(&file);
      }
    }
    if (rank_in(comm) == 0) unlink(name);
    MPI_Barrier(comm);
  }
}

static void ends(MPI_Comm comm) {
  char name[NAME_LENGTH];
  scratch(comm, "mapped_ends", name);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    const MPI_Offset bytes = bytes_of_all(comm, sizes[i]);
    make_file(comm, name, bytes);
    MPI_File file = see_pieces(comm, name, MPI_MODE_RDWR, sizes[i], "automatic");
    for (int time = 0; time < 2 * TIMES; ++time) {
      const MPI_Offset end = time < TIMES ? bytes : bytes * (2 * TIMES - time) / TIMES - 7;
      if (rank_in(comm) == 0 && end < bytes) CHECK_EQUAL(truncate(name, end), 0);
      MPI_Barrier(comm);
      CHECK_EQUAL(read_pieces(comm, file, sizes[i], time % 3, 0),
                  bytes_before(comm, sizes[i], end));
      MPI_Barrier(comm);
    }
    remove_file(comm, &file, name);
  }
}

static long long blocks_of(const char* name) {
  struct stat about;
  return stat(name, &about) == 0 ? (long long)about.st_blocks : -1;
}

/* A file that is all hole, and one that becomes so after it was read through the mapping. */
static void holes(MPI_Comm comm) {
  const MPI_Offset bytes = bytes_of_all(comm, LARGEST);
  char name[NAME_LENGTH];
  scratch(comm, "mapped_holes", name);
  make_file(comm, name, bytes);
  MPI_File file = see_pieces(comm, name, MPI_MODE_RDWR, LARGEST, "automatic");
  for (int time = 0; time < 3 * TIMES; ++time) {
    const int empty = time >= TIMES;
    if (rank_in(comm) == 0 && empty) {
      CHECK_EQUAL(truncate(name, 0), 0);
      CHECK_EQUAL(truncate(name, bytes), 0);
    }
    MPI_Barrier(comm);
    CHECK_EQUAL(read_pieces(comm, file, LARGEST, time % 3, empty), PIECES * LARGEST);
    MPI_Barrier(comm);
    if (empty) CHECK_EQUAL(blocks_of(name), 0);
  }
  remove_file(comm, &file, name);
}

/* Rank 0 cuts the file and fills it again, until the others have called done(). */
static void cut_until(MPI_Comm comm, const char* name, MPI_Offset bytes) {
  MPI_Request others;
  int ended = 0, time = 0;
  MPI_Ibarrier(comm, &others);
  for (; !ended; MPI_Test(&others, &ended, MPI_STATUS_IGNORE)) {
    CHECK_EQUAL(truncate(name, bytes * (time++ % 5) / 5 + 77), 0);
    fill_file(name, bytes, 0);
  }
}

static void done(MPI_Comm comm) {
  MPI_Request all;
  MPI_Ibarrier(comm, &all);
  MPI_Wait(&all, MPI_STATUS_IGNORE);
}

static void cut_while_read(MPI_Comm comm) {
  char name[NAME_LENGTH];
  scratch(comm, "mapped_cut", name);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && size_of(comm) > 1; ++i) {
    const MPI_Offset bytes = bytes_of_all(comm, sizes[i]);
    make_file(comm, name, bytes);
    MPI_File file = see_pieces(comm, name, MPI_MODE_RDWR, sizes[i], "automatic");
    if (rank_in(comm) == 0) {
      cut_until(comm, name, bytes);
    } else {
      for (int time = 0; time < ACCESSES; ++time)
        CHECK(read_pieces(comm, file, sizes[i], time % 2 * 2, 1) >=
              bytes_before(comm, sizes[i], 77));
      done(comm);
    }
    CHECK_EQUAL(read_pieces(comm, file, sizes[i], 1, 0), PIECES * sizes[i]);
    remove_file(comm, &file, name);
  }
}

static void cut_while_written(MPI_Comm comm) {
  static char data[PIECES * LARGEST];
  char name[NAME_LENGTH];
  scratch(comm, "mapped_cut_written", name);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && size_of(comm) > 1; ++i) {
    const MPI_Offset bytes = bytes_of_all(comm, sizes[i]);
    const int own = PIECES * sizes[i];
    MPI_Status status;
    make_file(comm, name, bytes);
    MPI_File file = see_pieces(comm, name, MPI_MODE_RDWR, sizes[i], "automatic");
    for (int k = 0; k < own; ++k) data[k] = datum(place_of(comm, sizes[i], k));
    for (int time = 0; time < ACCESSES && rank_in(comm) != 0; ++time) {
      CHECK_EQUAL(MPI_File_write_at(file, 0, data, own, MPI_BYTE, &status), MPI_SUCCESS);
      CHECK_EQUAL(count_of(&status, MPI_BYTE), own);
    }
    if (rank_in(comm) == 0)
      cut_until(comm, name, bytes);
    else
      done(comm);
    CHECK_EQUAL(MPI_File_write_at_all(file, 0, data, own, MPI_BYTE, &status), MPI_SUCCESS);
    CHECK_EQUAL(read_pieces(comm, file, sizes[i], 1, 0), own);
    remove_file(comm, &file, name);
  }
}

static const Case cases[] = {
    {"req io 7.100", "the same pieces, again and again", ANY, one_place},
    {"req io 7.100", "reads of pieces beyond the end are short", ANY, ends},
    {"req io 7.100", "holes that are read again and again stay holes", ANY, holes},
    {"req io 7.100", "a file that is cut while it is read", ANY, cut_while_read},
    {"req io 7.97", "a file that is cut while it is written", ANY, cut_while_written},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
