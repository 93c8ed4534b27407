/* SPDX-License-Identifier: BSD-3-Clause
   MPI-IO: what happens rarely. Calls while a split access is in progress, other current
   directories, pipes, hints that make no sense, large forms of conversions, memory that is refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "case.h"
#include "scratch.h"

static void changes_in_progress(MPI_Comm comm) {
  char byte = 'a';
  MPI_Offset size = -1;
  MPI_File file = scratch_file(comm, "changes");
  CHECK_EQUAL(MPI_File_write_at_all_begin(file, rank_in(comm), &byte, 1, MPI_BYTE), MPI_SUCCESS);
  CHECK_CLASS(MPI_File_set_size(file, 1000), MPI_ERR_REQUEST);
  CHECK_CLASS(MPI_File_preallocate(file, 1000), MPI_ERR_REQUEST);
  CHECK_CLASS(MPI_File_sync(file), MPI_ERR_REQUEST);
  CHECK_CLASS(MPI_File_set_view(file, 8, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL),
              MPI_ERR_REQUEST);
  CHECK_EQUAL(MPI_File_write_at_all_end(file, &byte, MPI_STATUS_IGNORE), MPI_SUCCESS);
  MPI_Barrier(comm);
  MPI_File_get_size(file, &size);
  CHECK_EQUAL(size, size_of(comm));
  MPI_Barrier(comm);
  CHECK_EQUAL(MPI_File_set_size(file, 1000), MPI_SUCCESS);
  CHECK_EQUAL(MPI_File_sync(file), MPI_SUCCESS);
  CHECK_EQUAL(MPI_File_close(&file), MPI_SUCCESS);
}

/* A relative name means the directory that is current when the file is opened, to its end. */
static void another_directory(MPI_Comm comm) {
  char name[NAME_LENGTH], was[NAME_LENGTH], byte = 'a';
  MPI_File file;
  scratch(comm, "relative", name);
  char* last = strrchr(name, '/');
  CHECK(getcwd(was, sizeof was) != NULL);
  *last = '\0';
  CHECK_EQUAL(chdir(name), 0);
  *last = '/';
  const int amode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  CHECK_EQUAL(MPI_File_open(comm, last + 1, amode, MPI_INFO_NULL, &file), MPI_SUCCESS);
  CHECK_EQUAL(chdir("/"), 0);
  CHECK_EQUAL(access(name, F_OK), 0);
  CHECK_EQUAL(MPI_File_write_at_all(file, rank_in(comm), &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
  MPI_File_close(&file);
  CHECK(access(name, F_OK) != 0);
  CHECK_EQUAL(chdir(was), 0);
}

/* Both ends of a pipe are open before MPI opens it, so that nobody waits for the other end. */
static void pipes(MPI_Comm comm) {
  char name[NAME_LENGTH], got[8] = {0};
  MPI_File file;
  MPI_Offset size = -1;
  scratch(comm, "pipe", name);
  CHECK_EQUAL(mkfifo(name, 0600), 0);
  const int reader = open(name, O_RDONLY | O_NONBLOCK);
  CHECK(reader >= 0);
  CHECK_EQUAL(
      MPI_File_open(comm, name, MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &file),
      MPI_SUCCESS);
  CHECK_EQUAL(MPI_File_write_shared(file, "abcd", 4, MPI_BYTE, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQUAL(MPI_File_write_shared(file, "ef", 2, MPI_BYTE, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQUAL(read(reader, got, sizeof got), 6);
  CHECK(memcmp(got, "abcdef", 6) == 0);
  if (MPI_File_get_size(file, &size) == MPI_SUCCESS) CHECK_EQUAL(size, 0);
  CHECK_EQUAL(MPI_File_close(&file), MPI_SUCCESS);
  close(reader);
  unlink(name);
}

/* Memory that cannot be read is the caller's mistake, told as such and not as one of the file. */
static void memory_refused(MPI_Comm comm) {
  MPI_File file = scratch_file(comm, "refused");
  MPI_Offset size = -1;
  const size_t bytes = 1 << 16;
  char* memory = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  CHECK_CLASS(MPI_File_write_at(file, 0, memory, (int)bytes, MPI_BYTE, MPI_STATUS_IGNORE),
              MPI_ERR_BUFFER);
  MPI_File_get_size(file, &size);
  CHECK_EQUAL(size, 0);
  munmap(memory, bytes);
  MPI_File_close(&file);
}

static int times(const char* text, const char* part) {
  int count = 0;
  for (const char* at = text; (at = strstr(at, part)) != NULL; ++at) ++count;
  return count;
}

static void values_without_sense(MPI_Comm comm) {
  char name[NAME_LENGTH], log[NAME_LENGTH + 16], text[4096] = "", value[64];
  MPI_Info info, used;
  MPI_File file;
  int length = 64, flag = 0;
  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_buffer_size", "many");
  scratch(comm, "senseless", name);
  snprintf(log, sizeof log, "%s.%d", name, rank_in(comm));
  fflush(stderr);
  const int was = dup(2), caught = open(log, O_CREAT | O_RDWR | O_TRUNC, 0600);
  CHECK(was >= 0 && caught >= 0 && dup2(caught, 2) == 2);
  const int amode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  const int code = MPI_File_open(comm, name, amode, info, &file);
  fflush(stderr);
  dup2(was, 2);
  CHECK_EQUAL(code, MPI_SUCCESS);
  CHECK(pread(caught, text, sizeof text - 1, 0) >= 0);
  CHECK_EQUAL(times(text, "which is left out"), rank_in(comm) == 0 ? 1 : 0);
  CHECK_EQUAL(times(text, "many"), rank_in(comm) == 0 ? 1 : 0);
  close(was);
  close(caught);
  unlink(log);
  MPI_File_get_info(file, &used);
  MPI_Info_get_string(used, "cb_buffer_size", &length, value, &flag);
  CHECK(flag && strcmp(value, "many") != 0);
  MPI_Info_free(&used);
  MPI_Info_free(&info);
  MPI_File_close(&file);
}

static MPI_Count converted = 0;

static int from_file(void* userbuf, MPI_Datatype datatype, MPI_Count count, void* filebuf,
                     MPI_Offset position, void* extra_state) {
  (void)datatype, (void)extra_state;
  for (MPI_Count i = 0; i < count; ++i) ((int*)userbuf)[position + i] = ~((int*)filebuf)[i];
  converted += count;
  return MPI_SUCCESS;
}

static int to_file(void* userbuf, MPI_Datatype datatype, MPI_Count count, void* filebuf,
                   MPI_Offset position, void* extra_state) {
  (void)datatype, (void)extra_state;
  for (MPI_Count i = 0; i < count; ++i) ((int*)filebuf)[i] = ~((int*)userbuf)[position + i];
  converted += count;
  return MPI_SUCCESS;
}

static int extent_of(MPI_Datatype datatype, MPI_Aint* extent, void* extra_state) {
  (void)datatype, (void)extra_state;
  *extent = sizeof(int);
  return MPI_SUCCESS;
}

static void large_conversions(MPI_Comm comm) {
  static int made = 0;
  const int rank = rank_in(comm);
  int out[3] = {rank, 7, -1}, in[3] = {0}, raw[3] = {0};
  MPI_Request request;
  MPI_File file = scratch_file(comm, "inverted");
  if (!made++) {
    CHECK_EQUAL(MPI_Register_datarep_c("inverted", from_file, to_file, extent_of, NULL),
                MPI_SUCCESS);
  }
  CHECK_EQUAL(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "inverted", MPI_INFO_NULL), MPI_SUCCESS);
  CHECK_EQUAL(MPI_File_write_at_all_c(file, 3 * rank, out, 3, MPI_INT, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
  CHECK_EQUAL(MPI_File_read_at(file, 3 * rank, in, 3, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK(memcmp(in, out, sizeof in) == 0);
  memset(in, 0, sizeof in);
  CHECK_EQUAL(MPI_File_iread_at(file, 3 * rank, in, 3, MPI_INT, &request), MPI_SUCCESS);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(memcmp(in, out, sizeof in) == 0);
  CHECK(converted >= 9);
  CHECK_EQUAL(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_SUCCESS);
  MPI_File_read_at(file, 3 * rank, raw, 3, MPI_INT, MPI_STATUS_IGNORE);
  CHECK(raw[0] == ~rank && raw[1] == ~7 && raw[2] == 0);
  MPI_File_close(&file);
}

static const Case cases[] = {
    {"req io 3.38, req io 5.70, req io 8.134", "a file does not change below a split access", ANY,
     changes_in_progress},
    {"req io 2.31", "relative names and other current directories", ANY, another_directory},
    {"req io 2.18", "a pipe", 1, pipes},
    {"req io 7.114", "memory that the kernel refuses", ANY, memory_refused},
    {"req io 4.51", "a hint without sense is told once", ANY, values_without_sense},
    {"req io 9.162", "conversions of large counts", ANY, large_conversions},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
