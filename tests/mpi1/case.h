/* SPDX-License-Identifier: BSD-3-Clause
   How the programs of MPI-1 are written as tests: a file is a table of cases, each run on a
   communicator of its own.

   A case names what it shows: `req 2.3.21` is a requirement listed in requirements/chapter2.tsv,
   `ex 2.20` an example of the book. docs/conformance.md is generated from these words, so they are
   spelled exactly so, in any test.

   A case that asks for N ranks gets a communicator of exactly N, made of the first N of the job,
   and is left out when the job is smaller; one that asks for ANY gets all of them. Ranks outside it
   wait. Each case gets a new communicator with MPI_ERRORS_ARE_FATAL; one that wants error codes
   sets MPI_ERRORS_RETURN itself (`returning`). */
#ifndef TESSERA_TESTS_MPI1_CASE_H
#define TESSERA_TESTS_MPI1_CASE_H

#include <mpi.h>
#include <stddef.h>

enum { ANY = 0 };

typedef struct {
  const char* shows; /* "req 2.3.21, ex 2.20" */
  const char* title; /* a sentence: what must hold */
  int ranks;         /* a number, or ANY */
  void (*run)(MPI_Comm comm);
} Case;

/* Runs every case for which the job is large enough, or those whose `shows` or title has argv[1] in
   it. The value is for main to return: 0 when all checks of all ranks held. Calls MPI_Init and
   MPI_Finalize. */
int run_cases(int argc, char** argv, const Case cases[], size_t count);

/* Counts a failure and says where, in which case, on which rank; the case goes on. Returns `holds`.
 */
int check_at(int holds, const char* text, const char* file, int line);
#define CHECK(condition) check_at((condition) != 0, #condition, __FILE__, __LINE__)

/* As CHECK for integers, but says both values. */
int check_equal_at(long long is, long long expected, const char* text, const char* file, int line);
#define CHECK_EQUAL(is, expected) check_equal_at((is), (expected), #is, __FILE__, __LINE__)

/* The error class of `code` must be `class`; says the text of the code when it is not. */
int check_class_at(int code, int class_wanted, const char* text, const char* file, int line);
#define CHECK_CLASS(call, class_wanted) \
  check_class_at((call), (class_wanted), #call, __FILE__, __LINE__)

/* From here on errors on `comm` are returned. */
static inline void returning(MPI_Comm comm) {
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
}

static inline int rank_in(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

static inline int size_of(MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  return size;
}

#endif
