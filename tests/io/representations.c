/* SPDX-License-Identifier: BSD-3-Clause
   MPI-IO: data representations. */
#include "case.h"
#include "scratch.h"

static void bytes_of_file(MPI_File file, void* bytes, int count) {
  MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  MPI_File_read_at(file, 0, bytes, count, MPI_BYTE, MPI_STATUS_IGNORE);
}

static void external32(MPI_Comm comm) {
  MPI_File file = scratch_file(comm, "external32");
  const int rank = rank_in(comm), size = size_of(comm);
  MPI_Aint extent = 0;
  MPI_Offset disp = 0, position = 0;
  MPI_Status status;
  long out[3] = {rank + 1, -2, 3}, in[3] = {0};
  unsigned char bytes[8];
  CHECK_EQUAL(MPI_File_get_type_extent(file, MPI_LONG, &extent), MPI_SUCCESS);
  CHECK_EQUAL(extent, (long long)sizeof(long));
  CHECK_EQUAL(MPI_File_set_view(file, 0, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL),
              MPI_SUCCESS);
  MPI_File_get_type_extent(file, MPI_LONG, &extent);
  CHECK_EQUAL(extent, 4);
  MPI_File_get_type_extent(file, MPI_LONG_DOUBLE, &extent);
  CHECK_EQUAL(extent, 16);
  MPI_Datatype vector;
  MPI_Type_vector(2, 1, 3, MPI_LONG, &vector);
  MPI_Type_commit(&vector);
  MPI_File_get_type_extent(file, vector, &extent);
  CHECK_EQUAL(extent, 16);
  MPI_File_get_byte_offset(file, 5, &disp);
  CHECK_EQUAL(disp, 20);
  CHECK_EQUAL(MPI_File_write_at_all(file, 3 * rank, out, 3, MPI_LONG, &status), MPI_SUCCESS);
  CHECK_EQUAL(count_of(&status, MPI_LONG), 3);
  MPI_Barrier(comm);
  CHECK_EQUAL(MPI_File_read_at_all(file, 3 * rank, in, 3, MPI_LONG, &status), MPI_SUCCESS);
  CHECK(memcmp(in, out, sizeof in) == 0);
  MPI_File_seek(file, 0, MPI_SEEK_END);
  MPI_File_get_position(file, &position);
  CHECK_EQUAL(position, 3 * size);
  /* Through a view with holes, nonblocking; then a read that ends early. */
  MPI_Request request;
  MPI_File_set_view(file, 0, MPI_LONG, vector, "external32", MPI_INFO_NULL);
  memset(in, 0, sizeof in);
  MPI_File_iread_at(file, 0, in, 1, MPI_LONG, &request);
  MPI_Wait(&request, &status);
  CHECK(in[0] == 1 && in[1] == 0);
  MPI_Barrier(comm);
  MPI_File_set_size(file, 8);
  MPI_File_set_view(file, 0, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL);
  in[2] = 77;
  CHECK_EQUAL(MPI_File_read_at(file, 0, in, 3, MPI_LONG, &status), MPI_SUCCESS);
  CHECK_EQUAL(count_of(&status, MPI_LONG), 2);
  CHECK(in[0] == 1 && in[1] == -2 && in[2] == 77);
  bytes_of_file(file, bytes, 8);
  const unsigned char expected[8] = {0, 0, 0, 1, 255, 255, 255, 254};
  CHECK(memcmp(bytes, expected, 8) == 0);
  MPI_Type_free(&vector);
  MPI_File_close(&file);
}

/* A write of one process says so to it alone, that of all to none of the others; nothing changes.
 */
static void values_that_do_not_fit(MPI_Comm comm) {
  MPI_File file = scratch_file(comm, "too_large");
  const int rank = rank_in(comm);
  const long fits[2] = {-2147483647L - 1, 2147483647L}, large[2] = {1, 2147483648L};
  const unsigned long most = 4294967295UL, more = 4294967296UL;
  long in[2] = {0};
  MPI_Request request;
  MPI_Offset size;
  CHECK_EQUAL(MPI_File_set_view(file, 0, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL),
              MPI_SUCCESS);
  CHECK_EQUAL(MPI_File_write_at_all(file, 2 * rank, fits, 2, MPI_LONG, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
  CHECK_CLASS(MPI_File_write_at(file, 2 * rank, large, 2, MPI_LONG, MPI_STATUS_IGNORE),
              MPI_ERR_CONVERSION);
  CHECK_CLASS(MPI_File_iwrite_at(file, 2 * rank, large, 2, MPI_LONG, &request), MPI_ERR_CONVERSION);
  CHECK_EQUAL(MPI_File_write_at(file, 2 * rank, large, 1, MPI_LONG, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
  CHECK_EQUAL(MPI_File_write_at(file, 2 * rank, fits, 1, MPI_LONG, MPI_STATUS_IGNORE), MPI_SUCCESS);
  const int wrong = rank == 0;
  const int code =
      MPI_File_write_at_all(file, 2 * rank, wrong ? large : fits, 2, MPI_LONG, MPI_STATUS_IGNORE);
  if (wrong) CHECK_CLASS(code, MPI_ERR_CONVERSION);
  CHECK_EQUAL(MPI_File_read_at(file, 2 * rank, in, 2, MPI_LONG, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK(memcmp(in, fits, sizeof in) == 0);
  MPI_Barrier(comm); /* the others have written */
  MPI_File_get_size(file, &size);
  CHECK_EQUAL(size, 8 * size_of(comm));
  MPI_Barrier(comm);
  MPI_File_set_view(file, 0, MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG, "external32", MPI_INFO_NULL);
  CHECK_EQUAL(MPI_File_write_at(file, 0, &most, 1, MPI_UNSIGNED_LONG, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
  CHECK_CLASS(MPI_File_write_at(file, 0, &more, 1, MPI_UNSIGNED_LONG, MPI_STATUS_IGNORE),
              MPI_ERR_CONVERSION);
  /* What memory held before the read has to fit nothing. */
  MPI_Barrier(comm);
  MPI_File_set_size(file, 6);
  MPI_File_set_view(file, 0, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL);
  in[1] = large[1];
  CHECK_EQUAL(MPI_File_read_at(file, 0, in, 2, MPI_LONG, MPI_STATUS_IGNORE), MPI_SUCCESS);
  MPI_File_close(&file);
}

static int extent_calls, conversions;

/* In the file each int is eight bytes: its own four, inverted, twice. */
static int extent_of(MPI_Datatype type, MPI_Aint* extent, void* state) {
  int size = 0;
  MPI_Type_size(type, &size);
  ++extent_calls;
  *extent = 2 * size;
  return state == &extent_calls ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static int to_file(void* user, MPI_Datatype type, int count, void* stream, MPI_Offset position,
                   void* state) {
  int size = 0;
  MPI_Type_size(type, &size);
  for (int i = 0; i < count * size / 4; ++i) {
    const int inverted = ~((int*)user)[position * size / 4 + i];
    memcpy((char*)stream + 8 * i, &inverted, 4);
    memcpy((char*)stream + 8 * i + 4, &inverted, 4);
  }
  ++conversions;
  return state == &extent_calls ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static int from_file(void* user, MPI_Datatype type, int count, void* stream, MPI_Offset position,
                     void* state) {
  int size = 0;
  MPI_Type_size(type, &size);
  for (int i = 0; i < count * size / 4; ++i) {
    int inverted;
    memcpy(&inverted, (char*)stream + 8 * i, 4);
    ((int*)user)[position * size / 4 + i] = ~inverted;
  }
  ++conversions;
  return state == &extent_calls ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static int fails(void* user, MPI_Datatype type, int count, void* stream, MPI_Offset position,
                 void* state) {
  (void)user, (void)type, (void)count, (void)stream, (void)position, (void)state;
  return MPI_ERR_OTHER;
}

static void registered(MPI_Comm comm) {
  static int made = 0;
  const int rank = rank_in(comm);
  if (!made++) {
    CHECK_EQUAL(MPI_Register_datarep("twice", from_file, to_file, extent_of, &extent_calls),
                MPI_SUCCESS);
    CHECK_EQUAL(MPI_Register_datarep("broken", fails, fails, extent_of, &extent_calls),
                MPI_SUCCESS);
  }
  CHECK_CLASS(MPI_Register_datarep("twice", from_file, to_file, extent_of, NULL),
              MPI_ERR_DUP_DATAREP);
  CHECK_CLASS(MPI_Register_datarep("native", from_file, to_file, extent_of, NULL),
              MPI_ERR_DUP_DATAREP);
  CHECK_CLASS(MPI_Register_datarep("", from_file, to_file, extent_of, NULL), MPI_ERR_ARG);
  MPI_File file = scratch_file(comm, "registered");
  MPI_Status status;
  MPI_Request request;
  int out[4] = {rank, 1, 2, 3}, in[4] = {0};
  MPI_Aint extent = 0;
  CHECK_EQUAL(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "twice", MPI_INFO_NULL), MPI_SUCCESS);
  MPI_File_get_type_extent(file, MPI_INT, &extent);
  CHECK_EQUAL(extent, 8);
  CHECK_EQUAL(MPI_File_write_at_all(file, 4 * rank, out, 4, MPI_INT, &status), MPI_SUCCESS);
  CHECK_EQUAL(MPI_File_read_at(file, 4 * rank, in, 4, MPI_INT, &status), MPI_SUCCESS);
  CHECK_EQUAL(count_of(&status, MPI_INT), 4);
  CHECK(memcmp(in, out, sizeof in) == 0);
  memset(in, 0, sizeof in);
  CHECK_EQUAL(MPI_File_iread_at_all(file, 4 * rank, in, 4, MPI_INT, &request), MPI_SUCCESS);
  CHECK_EQUAL(MPI_Wait(&request, &status), MPI_SUCCESS);
  CHECK(memcmp(in, out, sizeof in) == 0);
  CHECK_EQUAL(MPI_File_write_ordered(file, out, 4, MPI_INT, &status), MPI_SUCCESS);
  MPI_Barrier(comm);
  int raw[2] = {0};
  bytes_of_file(file, raw, 8);
  CHECK_EQUAL(raw[0], ~0);
  CHECK_EQUAL(raw[1], ~0);
  CHECK(conversions > 0 && extent_calls > 0);
  MPI_Barrier(comm);
  CHECK_EQUAL(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "broken", MPI_INFO_NULL), MPI_SUCCESS);
  CHECK_CLASS(MPI_File_write_at(file, 0, out, 1, MPI_INT, &status), MPI_ERR_CONVERSION);
  CHECK_CLASS(MPI_File_write_at_all(file, 0, out, 1, MPI_INT, &status), MPI_ERR_CONVERSION);
  MPI_File_close(&file);
}

static void internal(MPI_Comm comm) {
  MPI_File file = scratch_file(comm, "internal");
  char name[MPI_MAX_DATAREP_STRING];
  MPI_Offset disp;
  MPI_Datatype etype, filetype;
  double out = 2.5, in = 0;
  CHECK_EQUAL(MPI_File_set_view(file, 8, MPI_DOUBLE, MPI_DOUBLE, "internal", MPI_INFO_NULL),
              MPI_SUCCESS);
  MPI_File_get_view(file, &disp, &etype, &filetype, name);
  CHECK(strcmp(name, "internal") == 0);
  MPI_File_write_at(file, rank_in(comm), &out, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_read_at(file, rank_in(comm), &in, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
  CHECK(in == out);
  MPI_File_close(&file);
}

static const Case cases[] = {
    {"req io 9.146, req io 9.148, req io 9.149, req io 9.150, req io 9.152, req io 9.154",
     "external32", ANY, external32},
    {"req io 9.151", "values that do not fit", ANY, values_that_do_not_fit},
    {"req io 9.155, req io 9.156, req io 9.157, req io 9.158, req io 9.161, req io 9.163",
     "the program's own representation", ANY, registered},
    {"req io 9.147", "internal", ANY, internal},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
