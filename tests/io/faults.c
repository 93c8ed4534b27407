/* SPDX-License-Identifier: BSD-3-Clause
   MPI-IO: what goes wrong in the storage of one process, and who hears of it (faulty.cpp). */
#include "faults.h"

static void opening(MPI_Comm comm) {
  char path[NAME_LENGTH], name[2 * NAME_LENGTH], rules[64];
  scratch(comm, "fault_open", path);
  for (int faulty = 0; faulty < size_of(comm); ++faulty) {
    for (int i = 0; i < REASONS; ++i) {
      MPI_File file = (MPI_File)(size_t)16;
      snprintf(rules, sizeof rules, "open=%s", reasons[i].name);
      faulty_name(comm, path, faulty, rules, name);
      const int code =
          MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
      CHECK_CLASS(code, reasons[i].error_class);
      CHECK(file == MPI_FILE_NULL);
      CHECK(text_has(code, path) && text_has(code, reasons[i].text));
    }
  }
  remove_file(comm, path);
}

/* A failure of the size at open, where APPEND needs it. */
static void appending(MPI_Comm comm) {
  char path[NAME_LENGTH], name[2 * NAME_LENGTH];
  MPI_File file = MPI_FILE_NULL;
  scratch(comm, "fault_append", path);
  faulty_name(comm, path, size_of(comm) - 1, "size=EIO", name);
  const int code = MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_APPEND,
                                 MPI_INFO_NULL, &file);
  CHECK_CLASS(code, MPI_ERR_IO);
  CHECK(file == MPI_FILE_NULL);
  remove_file(comm, path);
}

/* One aggregator's storage fails once, at its start or after some windows: all have the error, the
   text says where and why, no byte besides is touched, and the file serves on. */
static void aggregators_write(MPI_Comm comm) {
  static char data[PER_RANK];
  static const char* const moments[] = {"@0x1", "@1x1", "@3000x1"};
  char path[NAME_LENGTH], rules[64];
  MPI_Status status;
  MPI_Info info = together(comm);
  scratch(comm, "fault_aggregator", path);
  fill(data, rank_in(comm));
  for (int faulty = 0; faulty < size_of(comm); ++faulty) {
    for (int i = 0; i < 2 * 3; ++i) {
      const Reason* reason = &reasons[i / 3];
      snprintf(rules, sizeof rules, "write=%s%s", reason->name, moments[i % 3]);
      prepare_file(comm, path);
      MPI_File file = open_faulty(comm, path, faulty, rules, MPI_MODE_RDWR, info);
      interleave(comm, file);
      int code = MPI_File_write_at_all(file, 0, data, PER_RANK, MPI_BYTE, &status);
      CHECK_CLASS(code, reason->error_class);
      CHECK(text_has(code, path) && text_has(code, "offset") && text_has(code, reason->text));
      look_at_file(comm, path, 0);
      code = MPI_File_write_at_all(file, 0, data, PER_RANK, MPI_BYTE, &status);
      CHECK_EQUAL(code, MPI_SUCCESS);
      CHECK_EQUAL(count_of(&status, MPI_BYTE), PER_RANK);
      look_at_file(comm, path, 1);
      CHECK_EQUAL(MPI_File_close(&file), MPI_SUCCESS);
    }
  }
  MPI_Info_free(&info);
  remove_file(comm, path);
}

static void aggregators_read(MPI_Comm comm) {
  static char data[PER_RANK], in[PER_RANK + 8];
  static const char* const rules[] = {"read=EIOx1", "read=EIO@3000x1", "read=shortx1"};
  char path[NAME_LENGTH];
  MPI_Status status;
  MPI_Info info = together(comm);
  scratch(comm, "fault_read", path);
  fill(data, rank_in(comm));
  prepare_file(comm, path);
  for (int faulty = 0; faulty < size_of(comm); ++faulty) {
    for (int i = 0; i < 3; ++i) {
      MPI_File file = open_faulty(comm, path, faulty, rules[i], MPI_MODE_RDWR, info);
      interleave(comm, file);
      CHECK_EQUAL(MPI_File_write_at_all(file, 0, data, PER_RANK, MPI_BYTE, &status), MPI_SUCCESS);
      memset(in, 'z', sizeof in);
      const int code = MPI_File_read_at_all(file, 0, in, PER_RANK, MPI_BYTE, &status);
      /* For one process alone, less is where the file ends. */
      const int ends = i == 2 && size_of(comm) == 1;
      CHECK_CLASS(code, ends ? MPI_SUCCESS : MPI_ERR_IO);
      CHECK(!ends || count_of(&status, MPI_BYTE) < PER_RANK);
      CHECK(in[PER_RANK] == 'z');
      CHECK_EQUAL(MPI_File_read_at_all(file, 0, in, PER_RANK, MPI_BYTE, &status), MPI_SUCCESS);
      CHECK_EQUAL(count_of(&status, MPI_BYTE), PER_RANK);
      CHECK(memcmp(in, data, PER_RANK) == 0);
      CHECK_EQUAL(MPI_File_close(&file), MPI_SUCCESS);
    }
  }
  MPI_Info_free(&info);
  remove_file(comm, path);
}

/* Rank 0 looks up the size for all. */
static void unknown_size(MPI_Comm comm) {
  static char data[PER_RANK];
  char path[NAME_LENGTH];
  MPI_Status status;
  MPI_Info info = together(comm);
  scratch(comm, "fault_size", path);
  prepare_file(comm, path);
  MPI_File file = open_faulty(comm, path, 0, "size=EIOx1", MPI_MODE_RDWR, info);
  interleave(comm, file);
  int code = MPI_File_read_at_all(file, 0, data, PER_RANK, MPI_BYTE, &status);
  if (size_of(comm) > 1) CHECK_CLASS(code, MPI_ERR_IO);
  code = MPI_File_read_at_all(file, 0, data, PER_RANK, MPI_BYTE, &status);
  CHECK_EQUAL(code, MPI_SUCCESS);
  CHECK_EQUAL(count_of(&status, MPI_BYTE), PER_RANK);
  CHECK_EQUAL(MPI_File_close(&file), MPI_SUCCESS);
  MPI_Info_free(&info);
  remove_file(comm, path);
}

/* Each by itself: the one whose storage fails has the error, and the count of what was written. */
static void by_themselves(MPI_Comm comm) {
  static char data[PER_RANK];
  char path[NAME_LENGTH];
  MPI_Status status;
  const int faulty = size_of(comm) - 1, me = rank_in(comm);
  scratch(comm, "fault_alone", path);
  fill(data, me);
  prepare_file(comm, path);
  MPI_File file =
      open_faulty(comm, path, faulty, "write=ENOSPC@1000x1", MPI_MODE_RDWR, MPI_INFO_NULL);
  const MPI_Offset place = (MPI_Offset)me * PER_RANK;
  int code = MPI_File_write_at_all(file, place, data, PER_RANK, MPI_BYTE, &status);
  CHECK_CLASS(code, me == faulty ? MPI_ERR_NO_SPACE : MPI_SUCCESS);
  CHECK_EQUAL(count_of(&status, MPI_BYTE), me == faulty ? 1000 : PER_RANK);
  char offset[32];
  snprintf(offset, sizeof offset, "offset %lld", (long long)place + 1000);
  if (me == faulty) CHECK(text_has(code, path) && text_has(code, offset));
  CHECK_EQUAL(MPI_File_write_at(file, place, data, PER_RANK, MPI_BYTE, &status), MPI_SUCCESS);
  CHECK_EQUAL(MPI_File_close(&file), MPI_SUCCESS);
  remove_file(comm, path);
}

/* A driver that writes less than it was given, and says nothing: never a silent short write. */
static void silently_short(MPI_Comm comm) {
  static char data[PER_RANK];
  char path[NAME_LENGTH];
  MPI_Status status;
  MPI_Info info = together(comm);
  scratch(comm, "fault_short", path);
  fill(data, rank_in(comm));
  prepare_file(comm, path);
  MPI_File file = open_faulty(comm, path, 0, "write=shortx1", MPI_MODE_RDWR, info);
  interleave(comm, file);
  CHECK_CLASS(MPI_File_write_at_all(file, 0, data, PER_RANK, MPI_BYTE, &status), MPI_ERR_IO);
  look_at_file(comm, path, 0);
  CHECK_EQUAL(MPI_File_close(&file), MPI_SUCCESS);
  file = open_faulty(comm, path, 0, "write=shortx1", MPI_MODE_RDWR, MPI_INFO_NULL);
  const int code = MPI_File_write_at(file, rank_in(comm) * 1000, data, 1000, MPI_BYTE, &status);
  CHECK_CLASS(code, rank_in(comm) == 0 ? MPI_ERR_IO : MPI_SUCCESS);
  CHECK_EQUAL(count_of(&status, MPI_BYTE), rank_in(comm) == 0 ? 500 : 1000);
  CHECK_EQUAL(MPI_File_close(&file), MPI_SUCCESS);
  MPI_Info_free(&info);
  remove_file(comm, path);
}

/* Nonblocking, split, shared and ordered forms. */
static void other_forms(MPI_Comm comm) {
  static char data[PER_RANK];
  char path[NAME_LENGTH];
  MPI_Status status;
  MPI_Request request;
  MPI_Info info = together(comm);
  const int me = rank_in(comm), wanted = me == 0 ? MPI_ERR_NO_SPACE : MPI_SUCCESS;
  scratch(comm, "fault_forms", path);
  fill(data, me);
  prepare_file(comm, path);
  for (int form = 0; form < 6; ++form) {
    int code = MPI_SUCCESS;
    MPI_File file = open_faulty(comm, path, 0, "write=ENOSPC@1000x1", MPI_MODE_RDWR, info);
    if (form < 3) interleave(comm, file);
    switch (form) {
      case 0:
        CHECK_EQUAL(MPI_File_iwrite(file, data, PER_RANK, MPI_BYTE, &request), MPI_SUCCESS);
        code = MPI_Wait(&request, &status);
        break;
      case 1:
        CHECK_EQUAL(MPI_File_iwrite_at_all(file, 0, data, PER_RANK, MPI_BYTE, &request),
                    MPI_SUCCESS);
        code = MPI_Wait(&request, &status);
        break;
      case 2: /* together */
        CHECK_EQUAL(MPI_File_write_all_begin(file, data, PER_RANK, MPI_BYTE), MPI_SUCCESS);
        code = MPI_File_write_all_end(file, data, &status);
        break;
      case 3:
        code = MPI_File_write_shared(file, data, PER_RANK, MPI_BYTE, &status);
        break;
      case 4:
        code = MPI_File_write_ordered(file, data, PER_RANK, MPI_BYTE, &status);
        break;
      default:
        CHECK_EQUAL(MPI_File_iwrite_shared(file, data, PER_RANK, MPI_BYTE, &request), MPI_SUCCESS);
        code = MPI_Wait(&request, &status);
        break;
    }
    const int for_all = form == 2 || form == 4;
    if (size_of(comm) > 1 && for_all) {
      CHECK_CLASS(code, MPI_ERR_NO_SPACE);
    } else {
      CHECK_CLASS(code, wanted);
      CHECK_EQUAL(count_of(&status, MPI_BYTE), me == 0 ? 1000 : PER_RANK);
    }
    if (me == 0 || for_all)
      CHECK(text_has(code, path) && text_has(code, "No space left on device"));
    MPI_Barrier(comm);
    CHECK_EQUAL(MPI_File_write_at_all(file, 0, data, 10, MPI_BYTE, &status), MPI_SUCCESS);
    CHECK_EQUAL(MPI_File_close(&file), MPI_SUCCESS);
  }
  MPI_Info_free(&info);
  remove_file(comm, path);
}

/* What is done for all, or by all: sync, close, sizes, deletion. */
static void whole_file(MPI_Comm comm) {
  char path[NAME_LENGTH];
  const int last = size_of(comm) - 1;
  const int amode = MPI_MODE_CREATE | MPI_MODE_RDWR;
  scratch(comm, "fault_whole", path);
  MPI_File file = open_faulty(comm, path, last, "sync=EIOx1,close=EDQUOT", amode, MPI_INFO_NULL);
  int code = MPI_File_sync(file);
  CHECK_CLASS(code, MPI_ERR_IO);
  CHECK(text_has(code, path));
  CHECK_EQUAL(MPI_File_sync(file), MPI_SUCCESS);
  code = MPI_File_close(&file);
  CHECK_CLASS(code, MPI_ERR_QUOTA);
  CHECK(text_has(code, path));
  CHECK(file == MPI_FILE_NULL);
  file = open_faulty(comm, path, 0, "resize=ENOSPCx1,reserve=ENOSPCx1", amode, MPI_INFO_NULL);
  CHECK_CLASS(MPI_File_set_size(file, 5000), MPI_ERR_NO_SPACE);
  CHECK_CLASS(MPI_File_preallocate(file, 5000), MPI_ERR_NO_SPACE);
  CHECK_EQUAL(MPI_File_set_size(file, 5000), MPI_SUCCESS);
  CHECK_EQUAL(MPI_File_preallocate(file, 6000), MPI_SUCCESS);
  CHECK_EQUAL(MPI_File_close(&file), MPI_SUCCESS);
  file =
      open_faulty(comm, path, 0, "remove=EACCES", amode | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL);
  CHECK_CLASS(MPI_File_close(&file), MPI_ERR_ACCESS);
  CHECK(file == MPI_FILE_NULL);
  remove_file(comm, path);
}

/* Atomic mode needs locks at all processes. */
static void locks(MPI_Comm comm) {
  char path[NAME_LENGTH], data[8] = "1234567";
  const int last = size_of(comm) - 1;
  const int amode = MPI_MODE_CREATE | MPI_MODE_RDWR;
  MPI_Status status;
  int flag = 7;
  scratch(comm, "fault_locks", path);
  MPI_File file = open_faulty(comm, path, last, "locks=none", amode, MPI_INFO_NULL);
  CHECK_CLASS(MPI_File_set_atomicity(file, 1), MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK_EQUAL(MPI_File_get_atomicity(file, &flag), MPI_SUCCESS);
  CHECK_EQUAL(flag, 0);
  CHECK_EQUAL(MPI_File_close(&file), MPI_SUCCESS);
  file = open_faulty(comm, path, last, "lock=ENOLCKx1", amode, MPI_INFO_NULL);
  CHECK_EQUAL(MPI_File_set_atomicity(file, 1), MPI_SUCCESS);
  const MPI_Offset place = (MPI_Offset)rank_in(comm) * 8;
  CHECK_CLASS(MPI_File_write_at_all(file, place, data, 8, MPI_BYTE, &status),
              rank_in(comm) == last ? MPI_ERR_UNSUPPORTED_OPERATION : MPI_SUCCESS);
  CHECK_EQUAL(MPI_File_write_at_all(file, place, data, 8, MPI_BYTE, &status), MPI_SUCCESS);
  CHECK_EQUAL(MPI_File_close(&file), MPI_SUCCESS);
  remove_file(comm, path);
}

/* Every call of one process is slow: nothing changes. */
static void slow(MPI_Comm comm) {
  static char data[PER_RANK], in[PER_RANK];
  char path[NAME_LENGTH];
  MPI_Status status;
  MPI_Info info = together(comm);
  scratch(comm, "fault_slow", path);
  fill(data, rank_in(comm));
  for (int faulty = 0; faulty < size_of(comm); ++faulty) {
    prepare_file(comm, path);
    MPI_File file = open_faulty(comm, path, faulty,
                                "open=slow,size=slow,write=slowx3,read=slowx3,sync=slow,close=slow",
                                MPI_MODE_RDWR, info);
    interleave(comm, file);
    CHECK_EQUAL(MPI_File_write_at_all(file, 0, data, PER_RANK, MPI_BYTE, &status), MPI_SUCCESS);
    look_at_file(comm, path, 1);
    CHECK_EQUAL(MPI_File_read_at_all(file, 0, in, PER_RANK, MPI_BYTE, &status), MPI_SUCCESS);
    CHECK(memcmp(in, data, PER_RANK) == 0);
    CHECK_EQUAL(MPI_File_sync(file), MPI_SUCCESS);
    CHECK_EQUAL(MPI_File_close(&file), MPI_SUCCESS);
  }
  MPI_Info_free(&info);
  remove_file(comm, path);
}

static const Case cases[] = {
    {"req io 2.2, req io 2.12, req io 2.11", "an open that fails at one", ANY, opening},
    {"req io 2.12", "a size that is not known at open", ANY, appending},
    {"req io 11.173, req io 11.176, req io 11.178", "an aggregator that cannot write", ANY,
     aggregators_write},
    {"req io 11.176", "an aggregator that cannot read", ANY, aggregators_read},
    {"req io 11.176", "a size that is not known to readers", ANY, unknown_size},
    {"req io 11.176, req io 11.178", "one that fails by itself", ANY, by_themselves},
    {"req io 7.106", "never a silent short write", ANY, silently_short},
    {"req io 7.118, req io 11.176", "failures of all other forms", ANY, other_forms},
    {"req io 2.25, req io 8.136, req io 2.19", "failures of sync, close, sizes and deletion", ANY,
     whole_file},
    {"req io 8.143", "storage without locks", ANY, locks},
    {"req io 11.176", "storage that is slow", ANY, slow},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
