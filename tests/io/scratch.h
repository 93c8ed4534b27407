/* SPDX-License-Identifier: BSD-3-Clause
   Files for tests: a name that no other test uses, the same at all processes of a communicator. */
#ifndef TESSERA_TESTS_IO_SCRATCH_H
#define TESSERA_TESTS_IO_SCRATCH_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_LENGTH = 512 };

/* The directory is that of TESSERA_TEST_FILES, or /tmp. */
static inline const char* scratch(MPI_Comm comm, const char* what, char name[NAME_LENGTH]) {
  const char* directory = getenv("TESSERA_TEST_FILES");
  int pid = (int)getpid();
  MPI_Bcast(&pid, 1, MPI_INT, 0, comm);
  snprintf(name, NAME_LENGTH, "%s/%s.%d", directory != NULL ? directory : "/tmp", what, pid);
  return name;
}

/* An empty file that is deleted when it is closed. */
static inline MPI_File scratch_file(MPI_Comm comm, const char* what) {
  char name[NAME_LENGTH];
  MPI_File file = MPI_FILE_NULL;
  scratch(comm, what, name);
  const int code = MPI_File_open(
      comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  if (code != MPI_SUCCESS) {
    char text[MPI_MAX_ERROR_STRING];
    int length;
    MPI_Error_string(code, text, &length);
    fprintf(stderr, "cannot open %s: %s\n", name, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return file;
}

static inline int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

static inline int count_of(const MPI_Status* status, MPI_Datatype type) {
  int count = -7;
  MPI_Get_count(status, type, &count);
  return count;
}

#endif
