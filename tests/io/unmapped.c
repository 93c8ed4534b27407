/* SPDX-License-Identifier: BSD-3-Clause
   MPI-IO: many small pieces of files, and at moments, that io/posix cannot map or has to map in an
   unusual way: a file that is only written, one for which there is no address space, places far
   away, devices, files that the kernel makes up, a sandbox. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../mpi1/case.h"
#include "scratch.h"

enum { PIECES = 64, TIMES = 4, LARGEST = 1024, STEP = 2 };
static const int sizes[] = {64, 256, LARGEST};

static char datum(int rank, int time, int at) {
  return (char)(1 + (rank * 31 + time * 7 + at) % 120);
}

/* Pieces of all ranks in turn, each with as much of nobody's behind it. */
static void see_pieces(MPI_Comm comm, MPI_File file, MPI_Offset from, int piece) {
  MPI_Datatype type, filetype;
  MPI_Type_contiguous(piece, MPI_BYTE, &type);
  MPI_Type_create_resized(type, 0, (MPI_Aint)STEP * piece * size_of(comm), &filetype);
  MPI_Type_commit(&filetype);
  CHECK_EQUAL(MPI_File_set_view(file, from + (MPI_Offset)STEP * piece * rank_in(comm), MPI_BYTE,
                                filetype, "native", MPI_INFO_NULL),
              MPI_SUCCESS);
  MPI_Type_free(&filetype);
  MPI_Type_free(&type);
}

static void write_pieces(MPI_Comm comm, MPI_File file, int piece, int time) {
  static char data[PIECES * LARGEST];
  MPI_Status status;
  for (int i = 0; i < PIECES * piece; ++i) data[i] = datum(rank_in(comm), time, i);
  CHECK_EQUAL(MPI_File_write_at(file, 0, data, PIECES * piece, MPI_BYTE, &status), MPI_SUCCESS);
  CHECK_EQUAL(count_of(&status, MPI_BYTE), PIECES * piece);
}

static int code_of(MPI_Request* request, int started, MPI_Status* status) {
  return started == MPI_SUCCESS ? MPI_Wait(request, status) : started;
}

static void read_pieces(MPI_Comm comm, MPI_File file, int piece, int time, int later) {
  static char data[PIECES * LARGEST];
  const int bytes = PIECES * piece;
  int bad = 0;
  MPI_Status status;
  MPI_Request request;
  memset(data, -1, sizeof data);
  const int code =
      later
          ? code_of(&request, MPI_File_iread_at(file, 0, data, bytes, MPI_BYTE, &request), &status)
          : MPI_File_read_at(file, 0, data, bytes, MPI_BYTE, &status);
  CHECK_EQUAL(code, MPI_SUCCESS);
  CHECK_EQUAL(count_of(&status, MPI_BYTE), bytes);
  for (int i = 0; i < bytes; ++i) bad += data[i] != datum(rank_in(comm), time, i);
  CHECK_EQUAL(bad, 0);
}

/* Past the library: the pieces of this rank, and nothing between them. */
static void look(MPI_Comm comm, const char* name, int piece, int time) {
  static char is[STEP * LARGEST];
  int bad = 0;
  const int descriptor = open(name, O_RDONLY);
  CHECK(descriptor >= 0);
  for (int i = 0; i < PIECES; ++i) {
    const off_t at = (off_t)STEP * piece * (size_of(comm) * i + rank_in(comm));
    const ssize_t got = pread(descriptor, is, (size_t)piece * STEP, at);
    CHECK(got >= piece);
    for (int k = 0; k < got; ++k)
      bad += is[k] != (k < piece ? datum(rank_in(comm), time, i * piece + k) : 0);
  }
  CHECK_EQUAL(bad, 0);
  close(descriptor);
}

static void only_written(MPI_Comm comm) {
  const int amode = MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE;
  char name[NAME_LENGTH], byte;
  MPI_File file;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    scratch(comm, "only_written", name);
    CHECK_EQUAL(MPI_File_open(comm, name, amode, MPI_INFO_NULL, &file), MPI_SUCCESS);
    see_pieces(comm, file, 0, sizes[i]);
    for (int time = 0; time < TIMES; ++time) {
      write_pieces(comm, file, sizes[i], time);
      look(comm, name, sizes[i], time);
    }
    CHECK_CLASS(MPI_File_read_at(file, 0, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_ACCESS);
    MPI_File_close(&file);
  }
}

/* The sanitizers need address space for themselves. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { sanitized = 1 };
#else
enum { sanitized = 0 };
#endif

/* Room for some megabytes, not for a window of a file or the stack of a thread. */
static void take_address_space(struct rlimit* before) {
  unsigned long pages = 0;
  FILE* about = fopen("/proc/self/statm", "r");
  CHECK(about != NULL && fscanf(about, "%lu", &pages) == 1);
  if (about != NULL) fclose(about);
  getrlimit(RLIMIT_AS, before);
  struct rlimit limit = *before;
  limit.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + (4 << 20);
  CHECK_EQUAL(setrlimit(RLIMIT_AS, &limit), 0);
}

static void without_address_space(MPI_Comm comm) {
  struct rlimit before;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && !sanitized; ++i) {
    MPI_File file = scratch_file(comm, "without_address_space");
    see_pieces(comm, file, 0, sizes[i]);
    MPI_Barrier(comm);
    take_address_space(&before);
    CHECK(mmap(NULL, 8 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    for (int time = 0; time < TIMES; ++time) {
      write_pieces(comm, file, sizes[i], time);
      read_pieces(comm, file, sizes[i], time, time % 2);
    }
    CHECK_EQUAL(setrlimit(RLIMIT_AS, &before), 0);
    MPI_Barrier(comm);
    MPI_File_close(&file);
  }
}

/* A window of the file around the place may reach beyond the largest file. */
static void far_away(MPI_Comm comm) {
  static char data[PIECES * LARGEST];
  static const int exponents[] = {31, 32, 40, 43, 61};
  for (size_t i = 0; i < sizeof exponents / sizeof exponents[0]; ++i) {
    MPI_File file = scratch_file(comm, "far_away");
    MPI_Status status;
    for (int k = 0; k < (int)(sizeof sizes / sizeof sizes[0]); ++k) {
      see_pieces(comm, file, ((MPI_Offset)1 << exponents[i]) - PIECES * sizes[k] - 1, sizes[k]);
      for (int time = 0; time < TIMES; ++time) {
        const int code = MPI_File_write_at(file, 0, data, PIECES * sizes[k], MPI_BYTE, &status);
        /* Beyond what the file system can count. */
        if (class_of(code) == MPI_ERR_NO_SPACE) {
          CHECK(exponents[i] > 40);
          CHECK_EQUAL(MPI_File_read_at(file, 0, data, PIECES * sizes[k], MPI_BYTE, &status),
                      MPI_SUCCESS);
          CHECK_EQUAL(count_of(&status, MPI_BYTE), 0);
          continue;
        }
        CHECK_EQUAL(code, MPI_SUCCESS);
        write_pieces(comm, file, sizes[k], time);
        read_pieces(comm, file, sizes[k], time, time % 2);
      }
      MPI_Barrier(comm);
    }
    MPI_File_close(&file);
  }
}

static MPI_File open_device(const char* name, int amode) {
  MPI_File file = MPI_FILE_NULL;
  CHECK_EQUAL(MPI_File_open(MPI_COMM_SELF, name, amode, MPI_INFO_NULL, &file), MPI_SUCCESS);
  see_pieces(MPI_COMM_SELF, file, 0, sizes[0]);
  return file;
}

static void devices(MPI_Comm comm) {
  static char data[PIECES * LARGEST];
  const int bytes = PIECES * sizes[0];
  MPI_Status status;
  (void)comm;
  MPI_File zero = open_device("/dev/zero", MPI_MODE_RDONLY);
  MPI_File full = open_device("/dev/full", MPI_MODE_WRONLY);
  for (int time = 0; time < TIMES; ++time) {
    int bad = 0;
    memset(data, -1, sizeof data);
    CHECK_EQUAL(MPI_File_read_at(zero, 0, data, bytes, MPI_BYTE, &status), MPI_SUCCESS);
    CHECK_EQUAL(count_of(&status, MPI_BYTE), bytes);
    for (int i = 0; i < bytes; ++i) bad += data[i] != 0;
    CHECK_EQUAL(bad, 0);
    CHECK_CLASS(MPI_File_write_at(full, 0, data, bytes, MPI_BYTE, &status), MPI_ERR_NO_SPACE);
    CHECK_EQUAL(count_of(&status, MPI_BYTE), 0);
  }
  MPI_File_close(&zero);
  MPI_File_close(&full);
}

/* Of a size of 0, although there is something to read. */
static void made_up_by_the_kernel(MPI_Comm comm) {
  static char whole[1 << 16], data[1 << 16];
  const char* name = "/proc/self/environ";
  MPI_File file = MPI_FILE_NULL;
  MPI_Datatype byte, filetype;
  MPI_Status status;
  const int descriptor = open(name, O_RDONLY);
  const ssize_t bytes = read(descriptor, whole, sizeof whole);
  close(descriptor);
  CHECK(bytes > 0);
  (void)comm;
  CHECK_EQUAL(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
              MPI_SUCCESS);
  MPI_Type_contiguous(1, MPI_BYTE, &byte);
  MPI_Type_create_resized(byte, 0, 2, &filetype);
  MPI_Type_commit(&filetype);
  MPI_File_set_view(file, 0, MPI_BYTE, filetype, "native", MPI_INFO_NULL);
  for (int time = 0; time < TIMES; ++time) {
    int bad = 0;
    CHECK_EQUAL(MPI_File_read_at(file, 0, data, (int)sizeof data, MPI_BYTE, &status), MPI_SUCCESS);
    CHECK_EQUAL(count_of(&status, MPI_BYTE), (bytes + 1) / 2);
    for (ssize_t i = 0; i < bytes; i += 2) bad += data[i / 2] != whole[i];
    CHECK_EQUAL(bad, 0);
  }
  MPI_Type_free(&filetype);
  MPI_Type_free(&byte);
  MPI_File_close(&file);
}

/* From now on, at this thread, such a call with `value` as that argument ends with EPERM. */
static int refuse(unsigned call, unsigned argument, unsigned value) {
  const unsigned at = offsetof(struct seccomp_data, args) + 8 * argument;
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at), /* its lower half, on little-endian machines */
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* The handler that guards copies at every other rank, pages that are made present at the others.
   Nothing is allowed again: the last case of the program. */
static void in_a_sandbox(MPI_Comm comm) {
  enum { POPULATE_READ = 22, POPULATE_WRITE = 23 };
  const int handler = rank_in(comm) % 2 == 0;
  for (unsigned advice = POPULATE_READ; advice <= POPULATE_WRITE; ++advice) {
    const int refused =
        handler ? refuse(SYS_rt_sigaction, 0, SIGBUS) : refuse(SYS_madvise, 2, advice);
    if (!refused) printf("without seccomp, which is not to be had here\n");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
      MPI_File file = scratch_file(comm, "in_a_sandbox");
      see_pieces(comm, file, 0, sizes[i]);
      for (int time = 0; time < TIMES; ++time) {
        write_pieces(comm, file, sizes[i], time);
        read_pieces(comm, file, sizes[i], time, time % 2);
      }
      MPI_Barrier(comm);
      MPI_File_close(&file);
    }
  }
}

static const Case cases[] = {
    {"req io 7.97", "small pieces of a file that is only written", ANY, only_written},
    {"req io 7.97, req io 7.100", "no address space for a mapping", ANY, without_address_space},
    {"req io 7.97, req io 7.100, req io 7.112", "small pieces far away", ANY, far_away},
    {"req io 7.100", "small pieces of devices", ANY, devices},
    {"req io 7.100", "small pieces of a file without a size", ANY, made_up_by_the_kernel},
    {"req io 7.97, req io 7.100", "system calls that a sandbox refuses", ANY, in_a_sandbox},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
