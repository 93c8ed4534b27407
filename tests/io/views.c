/* SPDX-License-Identifier: BSD-3-Clause
   MPI-IO: views, byte offsets, the end of the file in a view. */
#include "case.h"
#include "scratch.h"

static MPI_Datatype vector_of_bytes(int count, int length, int stride) {
  MPI_Datatype type;
  MPI_Type_vector(count, length, stride, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  return type;
}

static int set_view(MPI_File file, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype) {
  return MPI_File_set_view(file, disp, etype, filetype, "native", MPI_INFO_NULL);
}

static void wrong_views(MPI_Comm comm) {
  MPI_File file = scratch_file(comm, "wrong_views");
  MPI_Datatype three, back, below, overlapping, uncommitted;
  const int lengths[2] = {4, 4};
  int displacements[2] = {8, 0};
  MPI_Type_contiguous(3, MPI_BYTE, &three);
  MPI_Type_commit(&three);
  CHECK_CLASS(set_view(file, 0, three, MPI_INT), MPI_ERR_ARG);
  MPI_Type_indexed(2, lengths, displacements, MPI_BYTE, &back);
  MPI_Type_commit(&back);
  CHECK_CLASS(set_view(file, 0, MPI_BYTE, back), MPI_ERR_ARG);
  displacements[0] = -4;
  MPI_Type_indexed(2, lengths, displacements, MPI_BYTE, &below);
  MPI_Type_commit(&below);
  CHECK_CLASS(set_view(file, 0, MPI_BYTE, below), MPI_ERR_ARG);
  displacements[0] = 0;
  displacements[1] = 2;
  MPI_Type_indexed(2, lengths, displacements, MPI_BYTE, &overlapping);
  MPI_Type_commit(&overlapping);
  CHECK_CLASS(set_view(file, 0, MPI_BYTE, overlapping), MPI_ERR_ARG);
  CHECK_CLASS(set_view(file, -2, MPI_BYTE, MPI_BYTE), MPI_ERR_ARG);
  CHECK_CLASS(set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_BYTE, MPI_BYTE), MPI_ERR_ARG);
  MPI_Type_contiguous(3, MPI_BYTE, &uncommitted);
  CHECK_CLASS(set_view(file, 0, uncommitted, uncommitted), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "Native", MPI_INFO_NULL),
              MPI_ERR_UNSUPPORTED_DATAREP);
  if (size_of(comm) > 1) {
    MPI_Datatype mine = rank_in(comm) == 1 ? MPI_INT : MPI_DOUBLE;
    CHECK_CLASS(set_view(file, 0, mine, mine), MPI_ERR_NOT_SAME);
  }
  MPI_Type_free(&three);
  MPI_Type_free(&back);
  MPI_Type_free(&below);
  MPI_Type_free(&overlapping);
  MPI_Type_free(&uncommitted);
  MPI_File_close(&file);
}

static void one_wrong_view(MPI_Comm comm) {
  MPI_File file = scratch_file(comm, "one_wrong_view");
  const int code = set_view(file, rank_in(comm) == 0 ? -1 : 0, MPI_BYTE, MPI_BYTE);
  CHECK_CLASS(code, MPI_ERR_ARG);
  MPI_File_close(&file);
}

static void byte_offsets(MPI_Comm comm) {
  MPI_File file = scratch_file(comm, "byte_offsets");
  MPI_Datatype type = vector_of_bytes(2, 4, 8);
  MPI_Offset disp = -1;
  CHECK_EQUAL(set_view(file, 100, MPI_BYTE, type), MPI_SUCCESS);
  const MPI_Offset offsets[] = {0, 3, 4, 8, 9, 16};
  const MPI_Offset places[] = {100, 103, 108, 112, 113, 124};
  for (int i = 0; i < 6; ++i) {
    CHECK_EQUAL(MPI_File_get_byte_offset(file, offsets[i], &disp), MPI_SUCCESS);
    CHECK_EQUAL(disp, places[i]);
  }
  CHECK_CLASS(MPI_File_get_byte_offset(file, -1, &disp), MPI_ERR_ARG);
  MPI_Type_free(&type);
  MPI_File_close(&file);
}

static void views_are_returned(MPI_Comm comm) {
  MPI_File file = scratch_file(comm, "returned");
  MPI_Datatype type = vector_of_bytes(2, 4, 8), etype, filetype;
  MPI_Offset disp = -1;
  char name[MPI_MAX_DATAREP_STRING];
  CHECK_EQUAL(MPI_File_get_view(file, &disp, &etype, &filetype, name), MPI_SUCCESS);
  CHECK(disp == 0 && etype == MPI_BYTE && filetype == MPI_BYTE && strcmp(name, "native") == 0);
  CHECK_EQUAL(set_view(file, 7, MPI_BYTE, type), MPI_SUCCESS);
  MPI_Type_free(&type);
  CHECK_EQUAL(MPI_File_get_view(file, &disp, &etype, &filetype, name), MPI_SUCCESS);
  int ni, na, nt, combiner, size = 0;
  MPI_Type_get_envelope(filetype, &ni, &na, &nt, &combiner);
  CHECK_EQUAL(combiner, MPI_COMBINER_VECTOR);
  MPI_Type_size(filetype, &size);
  CHECK(disp == 7 && size == 8 && etype == MPI_BYTE);
  MPI_Type_free(&filetype);
  MPI_File_close(&file);
}

static void end_of_file(MPI_Comm comm) {
  MPI_File file = scratch_file(comm, "end");
  MPI_Datatype type = vector_of_bytes(2, 4, 8);
  MPI_Offset position = -1;
  MPI_File_set_size(file, 10);
  set_view(file, 0, MPI_INT, MPI_INT);
  CHECK_EQUAL(MPI_File_seek(file, 0, MPI_SEEK_END), MPI_SUCCESS);
  MPI_File_get_position(file, &position);
  CHECK_EQUAL(position, 3);
  set_view(file, 0, MPI_BYTE, type);
  MPI_File_seek(file, 0, MPI_SEEK_END);
  MPI_File_get_position(file, &position);
  CHECK_EQUAL(position, 6);
  CHECK_EQUAL(MPI_File_seek(file, -2, MPI_SEEK_CUR), MPI_SUCCESS);
  MPI_File_get_position(file, &position);
  CHECK_EQUAL(position, 4);
  CHECK_CLASS(MPI_File_seek(file, -5, MPI_SEEK_CUR), MPI_ERR_ARG);
  CHECK_CLASS(MPI_File_seek(file, 0, 17), MPI_ERR_ARG);
  MPI_File_get_position(file, &position);
  CHECK_EQUAL(position, 4);
  CHECK_EQUAL(MPI_File_seek(file, 1000, MPI_SEEK_END), MPI_SUCCESS);
  MPI_Type_free(&type);
  MPI_File_close(&file);
}

static void empty_views(MPI_Comm comm) {
  MPI_File file = scratch_file(comm, "empty");
  MPI_Datatype nothing;
  MPI_Status status;
  MPI_Offset disp = -1;
  char data[4] = "abc";
  const int mine = rank_in(comm) == size_of(comm) - 1;
  MPI_Type_contiguous(0, MPI_BYTE, &nothing);
  MPI_Type_commit(&nothing);
  CHECK_EQUAL(set_view(file, 0, MPI_BYTE, mine ? nothing : MPI_BYTE), MPI_SUCCESS);
  CHECK_EQUAL(MPI_File_write_at_all(file, 4 * rank_in(comm), data, 4, MPI_BYTE, &status),
              MPI_SUCCESS);
  CHECK_EQUAL(count_of(&status, MPI_BYTE), mine ? 0 : 4);
  CHECK_EQUAL(MPI_File_get_byte_offset(file, 3, &disp), MPI_SUCCESS);
  CHECK_CLASS(set_view(file, 0, nothing, nothing), MPI_ERR_ARG);
  MPI_Type_free(&nothing);
  MPI_File_close(&file);
}

/* A view of 2^33 pieces: it costs what its description costs. */
static void huge_views(MPI_Comm comm) {
  MPI_File file = scratch_file(comm, "huge");
  MPI_Datatype pieces, type;
  MPI_Offset disp = -1, size = 0;
  char out = 'x', in = 0;
  MPI_Type_create_hvector(1 << 30, 1, 16, MPI_BYTE, &pieces);
  MPI_Type_create_hvector(8, 1, (MPI_Aint)1 << 36, pieces, &type);
  MPI_Type_commit(&type);
  CHECK_EQUAL(set_view(file, (MPI_Offset)1 << 40, MPI_BYTE, type), MPI_SUCCESS);
  const MPI_Offset last = ((MPI_Offset)1 << 33) - 1;
  MPI_File_get_byte_offset(file, last, &disp);
  const MPI_Offset place = ((MPI_Offset)1 << 40) + ((MPI_Offset)7 << 36) + 16 * ((1LL << 30) - 1);
  CHECK_EQUAL(disp, place);
  MPI_Barrier(comm);
  if (rank_in(comm) == 0) {
    CHECK_EQUAL(MPI_File_write_at(file, last, &out, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQUAL(MPI_File_read_at(file, last, &in, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQUAL(in, 'x');
    MPI_File_get_size(file, &size);
    CHECK_EQUAL(size, place + 1);
    MPI_File_seek(file, 0, MPI_SEEK_END);
    MPI_File_get_position(file, &disp);
    CHECK_EQUAL(disp, last + 1);
  }
  MPI_Type_free(&pieces);
  MPI_Type_free(&type);
  MPI_File_close(&file);
}

static void overlaps_are_read(MPI_Comm comm) {
  char name[NAME_LENGTH], data[8] = "abcdefg", in[16] = "";
  const int lengths[2] = {4, 4}, displacements[2] = {0, 2};
  MPI_Datatype type;
  MPI_File file;
  MPI_Status status;
  scratch(comm, "overlaps", name);
  if (rank_in(comm) == 0) {
    FILE* plain = fopen(name, "w");
    fwrite(data, 1, 6, plain);
    fclose(plain);
  }
  MPI_Barrier(comm);
  MPI_File_open(comm, name, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_Type_indexed(2, lengths, displacements, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  CHECK_EQUAL(set_view(file, 0, MPI_BYTE, type), MPI_SUCCESS);
  CHECK_EQUAL(MPI_File_read_at_all(file, 0, in, 8, MPI_BYTE, &status), MPI_SUCCESS);
  CHECK_EQUAL(count_of(&status, MPI_BYTE), 8);
  CHECK(memcmp(in, "abcdcdef", 8) == 0);
  MPI_Type_free(&type);
  MPI_File_close(&file);
}

/* Blocks of ten bytes, a hundred apart, in an extent of twenty: the second tile begins before the
   first has ended. Chunked datasets of HDF5 are seen through such views, one tile at a time. */
static void tiles_reach_into_each_other(MPI_Comm comm) {
  MPI_File file = scratch_file(comm, "interleaved_tiles");
  MPI_Datatype blocks, type;
  MPI_Status status;
  const int rank = rank_in(comm), place = 1000 * rank;
  char data[60], in[200];
  for (int i = 0; i < 60; ++i) data[i] = (char)(i + rank);
  MPI_Type_vector(2, 10, 100, MPI_BYTE, &blocks);
  MPI_Type_create_resized(blocks, 0, 20, &type);
  MPI_Type_commit(&type);
  CHECK_EQUAL(set_view(file, place, MPI_BYTE, type), MPI_SUCCESS);
  CHECK_EQUAL(MPI_File_write_at_all(file, 0, data, 20, MPI_BYTE, &status), MPI_SUCCESS);
  CHECK_EQUAL(count_of(&status, MPI_BYTE), 20);
  CHECK_EQUAL(MPI_File_write_at(file, 20, data + 20, 40, MPI_BYTE, &status), MPI_SUCCESS);
  MPI_File_sync(file);
  memset(in, -1, sizeof in);
  CHECK_EQUAL(MPI_File_read_at_all(file, 0, in, 60, MPI_BYTE, &status), MPI_SUCCESS);
  CHECK_EQUAL(count_of(&status, MPI_BYTE), 60);
  CHECK(memcmp(in, data, 60) == 0);
  MPI_File_sync(file);
  CHECK_EQUAL(set_view(file, 0, MPI_BYTE, MPI_BYTE), MPI_SUCCESS);
  CHECK_EQUAL(MPI_File_read_at_all(file, place, in, 150, MPI_BYTE, &status), MPI_SUCCESS);
  for (int tile = 0; tile < 3; ++tile)
    for (int block = 0; block < 2; ++block)
      CHECK(memcmp(in + 20 * tile + 100 * block, data + 20 * tile + 10 * block, 10) == 0);
  MPI_Type_free(&blocks);
  MPI_Type_free(&type);
  MPI_File_close(&file);
}

static const Case cases[] = {
    {"req io 5.59, req io 5.60, req io 5.61, req io 5.62, req io 5.63, req io 5.64, req io 5.58, "
     "req io 9.146",
     "views that break a rule are refused", ANY, wrong_views},
    {"req io 5.58", "a wrong view at one process is one at all", 2, one_wrong_view},
    {"req io 5.74, req io 5.75", "byte offsets count holes", ANY, byte_offsets},
    {"req io 5.59, req io 5.71, req io 5.72, req io 5.73", "the view is returned", ANY,
     views_are_returned},
    {"req io 6.79, req io 6.80, req io 6.81", "seeking to the end", ANY, end_of_file},
    {"req io 5.66, req io 5.67", "a view without data", ANY, empty_views},
    {"req io 5.76, req io 5.77, req io 7.112, req io 3.44", "a view of 2^33 pieces", ANY,
     huge_views},
    {"req io 5.64, req io 10.166", "overlaps are read twice", ANY, overlaps_are_read},
    {"req io 5.63, req io 5.65", "tiles may reach into each other", ANY,
     tiles_reach_into_each_other},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
