/* SPDX-License-Identifier: BSD-3-Clause
   MPI-IO: opening, closing, deleting, sizes, modes, error handlers. */
#include <sys/stat.h>

#include "case.h"
#include "scratch.h"

static int open_named(MPI_Comm comm, const char* name, int amode, MPI_File* file) {
  *file = (MPI_File)(size_t)16;
  return MPI_File_open(comm, name, amode, MPI_INFO_NULL, file);
}

static void modes_that_are_none(MPI_Comm comm) {
  const int wrong[] = {0,
                       MPI_MODE_RDONLY | MPI_MODE_WRONLY,
                       MPI_MODE_RDWR | MPI_MODE_WRONLY,
                       MPI_MODE_RDONLY | MPI_MODE_CREATE,
                       MPI_MODE_RDONLY | MPI_MODE_EXCL,
                       MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL,
                       MPI_MODE_RDWR | 1024};
  char name[NAME_LENGTH];
  MPI_File file;
  scratch(comm, "modes", name);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
    CHECK_CLASS(open_named(comm, name, wrong[i], &file), MPI_ERR_AMODE);
    CHECK(file == MPI_FILE_NULL);
  }
  CHECK(access(name, F_OK) != 0);
}

static void modes_that_differ(MPI_Comm comm) {
  char name[NAME_LENGTH];
  MPI_File file;
  scratch(comm, "differ", name);
  const int amode = MPI_MODE_CREATE | (rank_in(comm) == 1 ? MPI_MODE_WRONLY : MPI_MODE_RDWR);
  CHECK_CLASS(open_named(comm, name, amode, &file), MPI_ERR_NOT_SAME);
  CHECK(file == MPI_FILE_NULL);
}

static void files_that_are_none(MPI_Comm comm) {
  char name[NAME_LENGTH], below[NAME_LENGTH + 32], longer[NAME_LENGTH + 400];
  MPI_File file;
  scratch(comm, "missing", name);
  CHECK_CLASS(open_named(comm, name, MPI_MODE_RDONLY, &file), MPI_ERR_NO_SUCH_FILE);
  snprintf(below, sizeof below, "%s/file", name);
  CHECK_CLASS(open_named(comm, below, MPI_MODE_RDWR | MPI_MODE_CREATE, &file),
              MPI_ERR_NO_SUCH_FILE);
  CHECK_CLASS(open_named(comm, "/tmp", MPI_MODE_RDONLY, &file), MPI_ERR_BAD_FILE);
  CHECK_CLASS(open_named(comm, "", MPI_MODE_RDONLY, &file), MPI_ERR_BAD_FILE);
  memset(longer, 'x', sizeof longer);
  longer[sizeof longer - 1] = '\0';
  memcpy(longer, "/tmp/", 5);
  CHECK_CLASS(open_named(comm, longer, MPI_MODE_RDWR | MPI_MODE_CREATE, &file), MPI_ERR_BAD_FILE);
  CHECK_CLASS(MPI_File_delete(name, MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
  CHECK_CLASS(MPI_File_delete("/tmp", MPI_INFO_NULL), MPI_ERR_BAD_FILE);
}

static void exclusive_creation(MPI_Comm comm) {
  char name[NAME_LENGTH];
  MPI_File file;
  const int amode = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL;
  scratch(comm, "exclusive", name);
  CHECK_EQUAL(open_named(comm, name, amode, &file), MPI_SUCCESS);
  int is = 0;
  MPI_File_get_amode(file, &is);
  CHECK_EQUAL(is, amode);
  CHECK_EQUAL(MPI_File_close(&file), MPI_SUCCESS);
  CHECK(file == MPI_FILE_NULL);
  CHECK_CLASS(open_named(comm, name, amode, &file), MPI_ERR_FILE_EXISTS);
  CHECK_EQUAL(access(name, F_OK), 0);
  MPI_Barrier(comm);
  CHECK_EQUAL(open_named(comm, name, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, &file),
              MPI_SUCCESS);
  CHECK_EQUAL(access(name, F_OK), 0);
  CHECK_EQUAL(MPI_File_close(&file), MPI_SUCCESS);
  CHECK(access(name, F_OK) != 0);
}

static void one_process_cannot(MPI_Comm comm) {
  char name[NAME_LENGTH];
  MPI_File file;
  scratch(comm, "cannot", name);
  const char* mine = rank_in(comm) == size_of(comm) - 1 && size_of(comm) > 1 ? "/tmp" : name;
  const int code = open_named(comm, mine, MPI_MODE_RDWR | MPI_MODE_CREATE, &file);
  if (size_of(comm) == 1) {
    MPI_File_close(&file);
  } else {
    char text[MPI_MAX_ERROR_STRING];
    int length;
    CHECK_CLASS(code, MPI_ERR_BAD_FILE);
    CHECK(file == MPI_FILE_NULL);
    MPI_Error_string(code, text, &length);
    CHECK(strstr(text, "/tmp") != NULL);
  }
  if (rank_in(comm) == 0) unlink(name);
}

static void sizes(MPI_Comm comm) {
  MPI_File file = scratch_file(comm, "sizes");
  MPI_Offset size = -1, position = -1;
  CHECK_EQUAL(MPI_File_set_size(file, 1000), MPI_SUCCESS);
  CHECK_EQUAL(MPI_File_get_size(file, &size), MPI_SUCCESS);
  CHECK_EQUAL(size, 1000);
  CHECK_EQUAL(MPI_File_seek(file, 5000, MPI_SEEK_SET), MPI_SUCCESS);
  MPI_Barrier(comm);
  CHECK_EQUAL(MPI_File_set_size(file, 10), MPI_SUCCESS);
  MPI_File_get_size(file, &size);
  CHECK_EQUAL(size, 10);
  MPI_File_get_position(file, &position);
  CHECK_EQUAL(position, 5000);
  MPI_Barrier(comm);
  CHECK_EQUAL(MPI_File_preallocate(file, 4096), MPI_SUCCESS);
  MPI_File_get_size(file, &size);
  CHECK_EQUAL(size, 4096);
  MPI_Barrier(comm);
  CHECK_EQUAL(MPI_File_preallocate(file, 100), MPI_SUCCESS);
  MPI_File_get_size(file, &size);
  CHECK_EQUAL(size, 4096);
  CHECK_CLASS(MPI_File_set_size(file, -1), MPI_ERR_ARG);
  CHECK_CLASS(MPI_File_preallocate(file, -1), MPI_ERR_ARG);
  if (size_of(comm) > 1) {
    CHECK_CLASS(MPI_File_set_size(file, rank_in(comm)), MPI_ERR_NOT_SAME);
    MPI_File_get_size(file, &size);
    CHECK_EQUAL(size, 4096);
  }
  MPI_File_close(&file);
}

static void groups(MPI_Comm comm) {
  MPI_Comm backwards;
  MPI_Comm_split(comm, 0, -rank_in(comm), &backwards);
  MPI_File file = scratch_file(backwards, "groups");
  MPI_Group group, of_comm;
  int same = 0;
  MPI_Comm_group(backwards, &of_comm);
  MPI_Comm_free(&backwards);
  CHECK_EQUAL(MPI_File_get_group(file, &group), MPI_SUCCESS);
  MPI_Group_compare(group, of_comm, &same);
  CHECK_EQUAL(same, MPI_IDENT);
  MPI_Group_free(&group);
  MPI_Group_free(&of_comm);
  CHECK_EQUAL(MPI_File_close(&file), MPI_SUCCESS);
}

static int heard = 0;
static void listener(MPI_File* file, int* code, ...) {
  (void)file;
  heard = *code;
}

static void error_handlers(MPI_Comm comm) {
  char name[NAME_LENGTH];
  MPI_Errhandler mine, is;
  MPI_Offset size;
  MPI_File file = scratch_file(comm, "handlers"), none = MPI_FILE_NULL, stale = file;
  MPI_File_get_errhandler(file, &is);
  CHECK(is == MPI_ERRORS_RETURN);
  MPI_File_get_errhandler(MPI_FILE_NULL, &is);
  CHECK(is == MPI_ERRORS_RETURN);
  MPI_File_create_errhandler(listener, &mine);
  CHECK_EQUAL(MPI_File_set_errhandler(file, mine), MPI_SUCCESS);
  heard = 0;
  int code = MPI_File_get_size(file, NULL);
  CHECK_EQUAL(heard, code);
  CHECK_CLASS(code, MPI_ERR_ARG);
  heard = 0;
  CHECK_CLASS(open_named(comm, scratch(comm, "no", name), MPI_MODE_RDONLY, &none),
              MPI_ERR_NO_SUCH_FILE);
  CHECK_EQUAL(heard, 0);
  MPI_File_set_errhandler(MPI_FILE_NULL, mine);
  code = open_named(comm, name, MPI_MODE_RDONLY, &none);
  CHECK_EQUAL(heard, code);
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
  heard = 0;
  CHECK_EQUAL(MPI_File_call_errhandler(file, MPI_ERR_IO), MPI_SUCCESS);
  CHECK_EQUAL(heard, MPI_ERR_IO);
  MPI_Errhandler_free(&mine);
  MPI_File_close(&file);
  CHECK_CLASS(MPI_File_close(&file), MPI_ERR_FILE);
  CHECK_CLASS(MPI_File_get_size(MPI_FILE_NULL, &size), MPI_ERR_FILE);
  CHECK_CLASS(MPI_File_get_size(stale, &size), MPI_ERR_FILE);
}

static void directions(MPI_Comm comm) {
  char name[NAME_LENGTH], byte = 'a';
  MPI_File file;
  MPI_Status status;
  scratch(comm, "directions", name);
  open_named(comm, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, &file);
  CHECK_CLASS(MPI_File_read(file, &byte, 1, MPI_BYTE, &status), MPI_ERR_ACCESS);
  MPI_File_close(&file);
  open_named(comm, name, MPI_MODE_RDONLY, &file);
  CHECK_CLASS(MPI_File_write(file, &byte, 1, MPI_BYTE, &status), MPI_ERR_READ_ONLY);
  CHECK_CLASS(MPI_File_write_all(file, &byte, 1, MPI_BYTE, &status), MPI_ERR_READ_ONLY);
  CHECK_CLASS(MPI_File_set_size(file, 3), MPI_ERR_READ_ONLY);
  CHECK_EQUAL(MPI_File_sync(file), MPI_SUCCESS);
  MPI_File_close(&file);
  open_named(comm, name, MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL | MPI_MODE_DELETE_ON_CLOSE, &file);
  MPI_Offset offset;
  CHECK_CLASS(MPI_File_write_at(file, 0, &byte, 1, MPI_BYTE, &status),
              MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK_CLASS(MPI_File_get_position(file, &offset), MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK_EQUAL(MPI_File_write_ordered(file, &byte, 1, MPI_BYTE, &status), MPI_SUCCESS);
  MPI_Barrier(comm);
  MPI_File_get_size(file, &offset);
  CHECK_EQUAL(offset, size_of(comm));
  MPI_File_close(&file);
}

static void append(MPI_Comm comm) {
  char name[NAME_LENGTH];
  MPI_File file;
  MPI_Offset mine = -1, shared = -1;
  scratch(comm, "append", name);
  open_named(comm, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, &file);
  MPI_File_set_size(file, 1000);
  MPI_File_close(&file);
  open_named(comm, name, MPI_MODE_APPEND | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, &file);
  MPI_File_get_position(file, &mine);
  MPI_File_get_position_shared(file, &shared);
  CHECK_EQUAL(mine, 1000);
  CHECK_EQUAL(shared, 1000);
  MPI_Barrier(comm);
  MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  MPI_File_get_position(file, &mine);
  MPI_File_get_position_shared(file, &shared);
  CHECK_EQUAL(mine, 0);
  CHECK_EQUAL(shared, 0);
  MPI_File_close(&file);
}

static void prefixes(MPI_Comm comm) {
  char name[NAME_LENGTH], prefixed[NAME_LENGTH + 8];
  MPI_File file;
  scratch(comm, "prefix", name);
  snprintf(prefixed, sizeof prefixed, "ufs:%s", name);
  CHECK_EQUAL(open_named(comm, prefixed, MPI_MODE_CREATE | MPI_MODE_RDWR, &file), MPI_SUCCESS);
  CHECK_EQUAL(access(name, F_OK), 0);
  MPI_File_close(&file);
  MPI_Barrier(comm);
  if (rank_in(comm) == 0) CHECK_EQUAL(MPI_File_delete(prefixed, MPI_INFO_NULL), MPI_SUCCESS);
}

static void pending(MPI_Comm comm) {
  static char data[1 << 20];
  MPI_File file = scratch_file(comm, "pending");
  MPI_Request request;
  MPI_Status status;
  CHECK_EQUAL(MPI_File_write_at_all_begin(file, 0, data, 1, MPI_BYTE), MPI_SUCCESS);
  CHECK_CLASS(MPI_File_close(&file), MPI_ERR_REQUEST);
  CHECK(file != MPI_FILE_NULL);
  MPI_File_write_at_all_end(file, data, &status);
  MPI_File_iwrite_at(file, 0, data, sizeof data, MPI_BYTE, &request);
  MPI_Wait(&request, &status);
  CHECK_EQUAL(count_of(&status, MPI_BYTE), (int)sizeof data);
  CHECK_EQUAL(MPI_File_close(&file), MPI_SUCCESS);
}

static void intercommunicators(MPI_Comm comm) {
  MPI_Comm half, inter;
  MPI_File file;
  char name[NAME_LENGTH];
  scratch(comm, "inter", name);
  MPI_Comm_split(comm, rank_in(comm) % 2, 0, &half);
  MPI_Intercomm_create(half, 0, comm, 1 - rank_in(comm) % 2, 1, &inter);
  CHECK_CLASS(open_named(inter, name, MPI_MODE_CREATE | MPI_MODE_RDWR, &file), MPI_ERR_COMM);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

static const Case cases[] = {
    {"req io 2.3, req io 2.4, req io 2.5, req io 2.6, req errata 2.48",
     "a mode that is none is refused", ANY, modes_that_are_none},
    {"req io 2.7", "modes must be the same at all processes", 2, modes_that_differ},
    {"req io 2.10, req io 2.11, req io 2.27", "what cannot be opened or deleted says why", ANY,
     files_that_are_none},
    {"req io 2.8, req io 2.9, req io 2.19, req io 2.20, req io 2.22, req io 3.43",
     "MPI_MODE_EXCL, and deletion on close", ANY, exclusive_creation},
    {"req io 2.12", "when one process cannot open a file, none has", ANY, one_process_cannot},
    {"req io 3.35, req io 3.36, req io 3.37, req io 3.39, req io 3.41", "sizes", ANY, sizes},
    {"req io 2.29, req io 2.33, req io 3.43", "the group is that of the communicator", ANY, groups},
    {"req io 11.170, req io 11.171, req io 11.172, req io 11.174, req io 2.13, req io 2.24",
     "error handlers", ANY, error_handlers},
    {"req io 7.108, req io 8.135, req io 2.17, req io 2.18", "directions", ANY, directions},
    {"req io 2.14, req io 2.15, req io 5.68", "MPI_MODE_APPEND", ANY, append},
    {"req io 2.28, req io 2.30", "prefixes of names", ANY, prefixes},
    {"req io 2.23", "a file with pending operations is not closed", ANY, pending},
    {"req io 2.1", "intercommunicators have no files", 2, intercommunicators},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
