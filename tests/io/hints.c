/* SPDX-License-Identifier: BSD-3-Clause
   MPI-IO: hints, given, in force and returned. */
#include <sys/stat.h>

#include "case.h"
#include "scratch.h"

static void hints(MPI_Comm comm) {
  char name[NAME_LENGTH], value[64];
  MPI_Info info, used;
  MPI_File file;
  int flag = 0, length = 64, keys = 0, again = 0;
  scratch(comm, "hints", name);
  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_buffer_size", "65536");
  MPI_Info_set(info, "cb_nodes", "3");
  MPI_Info_set(info, "romio_cb_write", "enable");
  MPI_Info_set(info, "file_perm", "640");
  MPI_Info_set(info, "nobody_knows_this", "1");
  CHECK_EQUAL(MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                            info, &file),
              MPI_SUCCESS);
  struct stat about;
  stat(name, &about);
  CHECK_EQUAL(about.st_mode & 0777, 0640);
  CHECK_EQUAL(MPI_File_get_info(file, &used), MPI_SUCCESS);
  MPI_Info_get_string(used, "cb_buffer_size", &length, value, &flag);
  CHECK(flag && strcmp(value, "65536") == 0);
  length = 64;
  MPI_Info_get_string(used, "nobody_knows_this", &length, value, &flag);
  CHECK(!flag);
  length = 64;
  MPI_Info_get_string(info, "nobody_knows_this", &length, value, &flag);
  CHECK(flag);
  MPI_Info_get_nkeys(used, &keys);
  MPI_Info_free(&info);
  MPI_Info_create(&info);
  MPI_Info_set(info, "romio_cb_read", "disable");
  CHECK_EQUAL(MPI_File_set_info(file, info), MPI_SUCCESS);
  MPI_Info_free(&used);
  MPI_File_get_info(file, &used);
  length = 64;
  MPI_Info_get_string(used, "romio_cb_read", &length, value, &flag);
  CHECK(flag && strcmp(value, "disable") == 0);
  length = 64;
  MPI_Info_get_string(used, "cb_buffer_size", &length, value, &flag);
  CHECK(flag && strcmp(value, "65536") == 0);
  MPI_Info_get_nkeys(used, &again);
  CHECK_EQUAL(again, keys);
  MPI_Info_free(&used);
  MPI_Info_free(&info);
  MPI_File_close(&file);
}

/* Programs copy the hints in force to the next file (PnetCDF does): all of them are accepted, and
   mean the same. That nothing is said of them is the test's other condition. */
static void hints_in_force_are_hints(MPI_Comm comm) {
  char name[NAME_LENGTH], key[MPI_MAX_INFO_KEY + 1], value[512], again[512];
  MPI_Info info, used, copied;
  MPI_File file;
  int keys = 0, flag = 0, length;
  scratch(comm, "copied_hints", name);
  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_buffer_size", "100");
  MPI_Info_set(info, "ind_rd_buffer_size", "4000000000000");
  for (int round = 0; round < 2; ++round) {
    CHECK_EQUAL(MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file),
                MPI_SUCCESS);
    CHECK_EQUAL(MPI_File_get_info(file, round == 0 ? &used : &copied), MPI_SUCCESS);
    MPI_Info_free(&info);
    CHECK_EQUAL(MPI_File_close(&file), MPI_SUCCESS);
    if (round == 0) MPI_Info_dup(used, &info);
  }
  MPI_Info_get_nkeys(used, &keys);
  for (int i = 0; i < keys; ++i) {
    MPI_Info_get_nthkey(used, i, key);
    length = 512;
    MPI_Info_get_string(used, key, &length, value, &flag);
    length = 512;
    MPI_Info_get_string(copied, key, &length, again, &flag);
    CHECK(flag && strcmp(value, again) == 0);
  }
  length = 512;
  MPI_Info_get_string(copied, "cb_buffer_size", &length, value, &flag);
  CHECK(flag && strcmp(value, "4096") == 0);
  length = 512;
  MPI_Info_get_string(copied, "cb_nodes", &length, value, &flag);
  CHECK(flag && strcmp(value, "0") == 0);
  MPI_Info_free(&used);
  MPI_Info_free(&copied);
  if (rank_in(comm) == 0) MPI_File_delete(name, MPI_INFO_NULL);
}

/* With the parameter io_hints: what the program says itself counts. */
static void hints_by_parameter(MPI_Comm comm) {
  char name[NAME_LENGTH], value[64];
  MPI_Info info, used;
  MPI_File file;
  int flag = 0, length = sizeof value;
  if (getenv("TESSERA_MCA_io_hints") == NULL) return;
  scratch(comm, "hints", name);
  MPI_Info_create(&info);
  MPI_Info_set(info, "ind_rd_buffer_size", "16384");
  CHECK_EQUAL(MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                            info, &file),
              MPI_SUCCESS);
  MPI_File_get_info(file, &used);
  MPI_Info_get_string(used, "ind_rd_buffer_size", &length, value, &flag);
  CHECK(flag && strcmp(value, "16384") == 0);
  length = sizeof value;
  MPI_Info_get_string(used, "romio_cb_write", &length, value, &flag);
  CHECK(flag && strcmp(value, "enable") == 0);
  MPI_Info_free(&used);
  MPI_Info_free(&info);
  MPI_File_close(&file);
}

static const Case cases[] = {
    {"req io 4.45, req io 4.46, req io 4.47, req io 4.48, req io 4.49, req io 4.52, req io 4.54, "
     "req io 4.57, req io 2.9",
     "hints", ANY, hints},
    {"req io 4.55", "hints by parameter", ANY, hints_by_parameter},
    {"req io 4.45, req io 4.47", "hints in force are hints", ANY, hints_in_force_are_hints},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
