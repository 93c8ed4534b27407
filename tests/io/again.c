/* SPDX-License-Identifier: BSD-3-Clause
   MPI-IO: pieces that are written to one place again and again, which io/posix then stores through
   a mapping of the file. What others have between the pieces stays, holes stay holes, and the file
   may be cut in the meantime. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../mpi1/case.h"
#include "scratch.h"

enum { PIECES = 64, TIMES = 4, LARGEST = 4096 };
static const int sizes[] = {64, 1000, 1024, 3000, LARGEST};

/* A piece of each rank in turn, and then one of nobody's. */
static MPI_Offset turn_of(MPI_Comm comm, int piece) {
  return (MPI_Offset)piece * (size_of(comm) + 1);
}

static MPI_File see_pieces(MPI_Comm comm, const char* name, int piece, const char* collective) {
  MPI_File file = MPI_FILE_NULL;
  MPI_Info info;
  MPI_Datatype type, filetype;
  MPI_Info_create(&info);
  MPI_Info_set(info, "romio_cb_write", collective);
  CHECK_EQUAL(MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file), MPI_SUCCESS);
  MPI_Type_contiguous(piece, MPI_BYTE, &type);
  MPI_Type_create_resized(type, 0, (MPI_Aint)turn_of(comm, piece), &filetype);
  MPI_Type_commit(&filetype);
  MPI_File_set_view(file, (MPI_Offset)piece * rank_in(comm), MPI_BYTE, filetype, "native",
                    MPI_INFO_NULL);
  MPI_Type_free(&filetype);
  MPI_Type_free(&type);
  MPI_Info_free(&info);
  return file;
}

static char datum(int rank, int time, int at) {
  return (char)(1 + (rank * 31 + time * 7 + at) % 120);
}

static void write_pieces(MPI_Comm comm, MPI_File file, int piece, int time, int collective) {
  static char data[PIECES * LARGEST];
  MPI_Status status;
  for (int i = 0; i < PIECES * piece; ++i) data[i] = datum(rank_in(comm), time, i);
  const int code = collective
                       ? MPI_File_write_at_all(file, 0, data, PIECES * piece, MPI_BYTE, &status)
                       : MPI_File_write_at(file, 0, data, PIECES * piece, MPI_BYTE, &status);
  CHECK_EQUAL(code, MPI_SUCCESS);
  CHECK_EQUAL(count_of(&status, MPI_BYTE), PIECES * piece);
  MPI_Barrier(comm);
}

/* At rank 0, past the library: the bytes of all, and `between` where nobody writes. */
static void look(MPI_Comm comm, const char* name, int piece, int time, char between) {
  const MPI_Offset turn = turn_of(comm, piece), bytes = turn * PIECES;
  if (rank_in(comm) == 0) {
    char* is = malloc((size_t)bytes);
    const int descriptor = open(name, O_RDONLY);
    int bad = 0;
    /* The last piece of nobody's may lie behind the end. */
    CHECK(pread(descriptor, is, (size_t)bytes, 0) >= bytes - piece);
    for (MPI_Offset at = 0; at < bytes - piece; ++at) {
      const int rank = (int)(at % turn / piece), n = (int)(at / turn) * piece + (int)(at % piece);
      bad += is[at] != (rank == size_of(comm) ? between : datum(rank, time, n));
    }
    CHECK_EQUAL(bad, 0);
    close(descriptor);
    free(is);
  }
  MPI_Barrier(comm);
}

static void fill_file(MPI_Comm comm, const char* name, MPI_Offset bytes, char with) {
  if (rank_in(comm) == 0) {
    char* data = malloc((size_t)bytes);
    const int descriptor = open(name, O_RDWR | O_CREAT | O_TRUNC, 0666);
    memset(data, with, (size_t)bytes);
    CHECK(write(descriptor, data, (size_t)bytes) == bytes);
    close(descriptor);
    free(data);
  }
  MPI_Barrier(comm);
}

static void remove_file(MPI_Comm comm, MPI_File* file, const char* name) {
  CHECK_EQUAL(MPI_File_close(file), MPI_SUCCESS);
  if (rank_in(comm) == 0) unlink(name);
  MPI_Barrier(comm);
}

static void one_place(MPI_Comm comm) {
  static const char* const hints[] = {"automatic", "disable", "enable"};
  char name[NAME_LENGTH];
  scratch(comm, "again", name);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    for (int how = 0; how < 4; ++how) {
      fill_file(comm, name, turn_of(comm, sizes[i]) * PIECES, 'x');
      MPI_File file = see_pieces(comm, name, sizes[i], hints[how % 3]);
      for (int time = 0; time < TIMES; ++time) {
        write_pieces(comm, file, sizes[i], time, how < 3);
        look(comm, name, sizes[i], time, 'x');
      }
      remove_file(comm, &file, name);
    }
  }
}

static long long blocks_of(const char* name) {
  struct stat about;
  return stat(name, &about) == 0 ? (long long)about.st_blocks : -1;
}

static void holes(MPI_Comm comm) {
  char name[NAME_LENGTH];
  scratch(comm, "again_holes", name);
  for (int collective = 0; collective < 2; ++collective) {
    long long blocks = 0;
    MPI_File file = see_pieces(comm, name, LARGEST, "disable");
    for (int time = 0; time < TIMES; ++time) {
      write_pieces(comm, file, LARGEST, time, collective);
      look(comm, name, LARGEST, time, 0);
      if (time == 0) blocks = blocks_of(name);
      CHECK_EQUAL(blocks_of(name), blocks);
      MPI_Barrier(comm);
    }
    remove_file(comm, &file, name);
  }
}

static void cut(MPI_Comm comm) {
  char name[NAME_LENGTH];
  scratch(comm, "again_cut", name);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    const MPI_Offset bytes = turn_of(comm, sizes[i]) * PIECES;
    fill_file(comm, name, bytes, 'x');
    MPI_File file = see_pieces(comm, name, sizes[i], "automatic");
    for (int time = 0; time < 2 * TIMES; ++time) {
      write_pieces(comm, file, sizes[i], time, time % 2);
      look(comm, name, sizes[i], time, time < TIMES ? 'x' : 0);
      if (time >= TIMES - 1 && rank_in(comm) == 0) CHECK_EQUAL(truncate(name, time % 3), 0);
      MPI_Barrier(comm);
    }
    remove_file(comm, &file, name);
  }
}

static const Case cases[] = {
    {"req io 7.97", "the same pieces, again and again", ANY, one_place},
    {"req io 7.97", "holes between pieces stay", ANY, holes},
    {"req io 7.97", "a file that is cut between two writes", ANY, cut},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
