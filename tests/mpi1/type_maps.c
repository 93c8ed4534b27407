/* SPDX-License-Identifier: BSD-3-Clause
   The type maps that the constructors build: which entries, in which order, with which size and
   extent. */
#include "type_map.h"

/* Checks everything there is to see of `type`, and frees it. */
static void has_map(MPI_Datatype type, const Map* map, MPI_Aint lb, MPI_Aint extent, int size,
                    MPI_Comm comm) {
  MPI_Type_commit(&type);
  CHECK_EQUAL(wrong_when_sent(type, 1, map, comm), 0);
  CHECK_EQUAL(wrong_when_received(type, 1, map, comm), 0);
  CHECK_EQUAL(lb_of(type), lb);
  CHECK_EQUAL(extent_of(type), extent);
  CHECK_EQUAL(bytes_of(type), size);
  MPI_Type_free(&type);
}

/* As has_map, for maps that overlap themselves: these are never received with. */
static void has_overlapping_map(MPI_Datatype type, const Map* map, MPI_Aint extent, int size,
                                MPI_Comm comm) {
  MPI_Type_commit(&type);
  CHECK_EQUAL(wrong_when_sent(type, 1, map, comm), 0);
  CHECK_EQUAL(lb_of(type), 0);
  CHECK_EQUAL(extent_of(type), extent);
  CHECK_EQUAL(bytes_of(type), size);
  MPI_Type_free(&type);
}

static void double_and_char(MPI_Comm comm) {
  Map map = {.length = 0};
  add_double_char(&map, 0);
  has_map(double_char(), &map, 0, 16, 9, comm);
}

static void char_and_double(MPI_Comm comm) {
  int lengths[2] = {1, 1};
  MPI_Aint places[2] = {0, 8};
  MPI_Datatype types[2] = {MPI_CHAR, MPI_DOUBLE};
  MPI_Datatype type;
  Map map = {.length = 0};
  add(&map, MPI_CHAR, 0);
  add(&map, MPI_DOUBLE, 8);
  MPI_Type_struct(2, lengths, places, types, &type);
  has_map(type, &map, 0, 16, 9, comm);
}

static void contiguous(MPI_Comm comm) {
  MPI_Datatype pair = double_char(), type;
  Map map = {.length = 0};
  for (int i = 0; i < 3; i++) add_double_char(&map, 16 * i);
  MPI_Type_contiguous(3, pair, &type);
  has_map(type, &map, 0, 48, 27, comm);
  MPI_Type_free(&pair);
}

static void vector(MPI_Comm comm) {
  MPI_Datatype pair = double_char(), type;
  Map map = {.length = 0};
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 3; j++) add_double_char(&map, 64 * i + 16 * j);
  }
  MPI_Type_vector(2, 3, 4, pair, &type);
  has_map(type, &map, 0, 112, 54, comm);
  MPI_Type_hvector(2, 3, 64, pair, &type);
  has_map(type, &map, 0, 112, 54, comm);
  MPI_Type_free(&pair);
}

static void vector_backwards(MPI_Comm comm) {
  MPI_Datatype pair = double_char(), type;
  Map map = {.length = 0};
  for (int i = 0; i < 3; i++) add_double_char(&map, -32 * i);
  MPI_Type_vector(3, 1, -2, pair, &type);
  has_map(type, &map, -64, 80, 27, comm);
  MPI_Type_free(&pair);
}

static void hvector_overlapping(MPI_Comm comm) {
  MPI_Datatype pair = double_char(), type;
  Map map = {.length = 0};
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 3; j++) add_double_char(&map, 4 * i + 16 * j);
  }
  MPI_Type_hvector(2, 3, 4, pair, &type);
  has_overlapping_map(type, &map, 48, 54, comm);
  MPI_Type_free(&pair);
}

static void indexed(MPI_Comm comm) {
  int lengths[2] = {3, 1};
  int places[2] = {4, 0};
  MPI_Aint bytes[2] = {64, 0};
  MPI_Datatype pair = double_char(), type;
  Map map = {.length = 0};
  for (int j = 0; j < 3; j++) add_double_char(&map, 64 + 16 * j);
  add_double_char(&map, 0);
  MPI_Type_indexed(2, lengths, places, pair, &type);
  has_map(type, &map, 0, 112, 36, comm);
  MPI_Type_hindexed(2, lengths, bytes, pair, &type);
  has_map(type, &map, 0, 112, 36, comm);
  MPI_Type_free(&pair);
}

static void hindexed_overlapping(MPI_Comm comm) {
  int lengths[2] = {3, 1};
  MPI_Aint places[2] = {4, 0};
  MPI_Datatype pair = double_char(), type;
  Map map = {.length = 0};
  for (int j = 0; j < 3; j++) add_double_char(&map, 4 + 16 * j);
  add_double_char(&map, 0);
  MPI_Type_hindexed(2, lengths, places, pair, &type);
  has_overlapping_map(type, &map, 48, 36, comm);
  MPI_Type_free(&pair);
}

static void structure(MPI_Comm comm) {
  int lengths[3] = {2, 1, 3};
  MPI_Aint places[3] = {0, 16, 26};
  MPI_Datatype type;
  MPI_Datatype types[3] = {MPI_FLOAT, double_char(), MPI_CHAR};
  Map map = {.length = 0};
  add(&map, MPI_FLOAT, 0);
  add(&map, MPI_FLOAT, 4);
  add_double_char(&map, 16);
  for (int i = 0; i < 3; i++) add(&map, MPI_CHAR, 26 + i);
  MPI_Type_struct(3, lengths, places, types, &type);
  has_map(type, &map, 0, 32, 20, comm);
  MPI_Type_free(&types[1]);
}

/* Displacements below zero, in no order, and the same place twice. */
static void any_order(MPI_Comm comm) {
  int lengths[4] = {1, 2, 1, 1};
  MPI_Aint places[4] = {16, -24, 40, -24};
  MPI_Datatype types[4] = {MPI_INT, MPI_SHORT, MPI_CHAR, MPI_SHORT};
  MPI_Datatype type;
  Map map = {.length = 0};
  add(&map, MPI_INT, 16);
  add(&map, MPI_SHORT, -24);
  add(&map, MPI_SHORT, -22);
  add(&map, MPI_CHAR, 40);
  MPI_Type_struct(3, lengths, places, types, &type);
  has_map(type, &map, -24, 68, 9, comm);
  add(&map, MPI_SHORT, -24);
  MPI_Type_struct(4, lengths, places, types, &type);
  MPI_Type_commit(&type);
  CHECK_EQUAL(wrong_when_sent(type, 1, &map, comm), 0);
  CHECK_EQUAL(bytes_of(type), 11);
  MPI_Type_free(&type);
}

static void vector_forms(MPI_Comm comm) {
  MPI_Datatype pair = double_char(), run, blocks, one_block, strided, listed;
  int lengths[3] = {2, 2, 2};
  int places[3] = {0, 3, 6};
  MPI_Type_contiguous(3, pair, &run);
  MPI_Type_vector(3, 1, 1, pair, &blocks);
  MPI_Type_vector(1, 3, -77, pair, &one_block);
  MPI_Type_vector(3, 2, 3, pair, &strided);
  MPI_Type_indexed(3, lengths, places, pair, &listed);
  MPI_Datatype* all[5] = {&run, &blocks, &one_block, &strided, &listed};
  for (int i = 0; i < 5; i++) MPI_Type_commit(all[i]);
  CHECK(alike(run, blocks, comm));
  CHECK(alike(run, one_block, comm));
  CHECK(alike(strided, listed, comm));
  CHECK(!alike(run, strided, comm));
  for (int i = 0; i < 5; i++) MPI_Type_free(all[i]);
  MPI_Type_free(&pair);
}

static void hindexed_is_struct(MPI_Comm comm) {
  MPI_Datatype pair = double_char(), listed, structured;
  int lengths[3] = {1, 3, 2};
  MPI_Aint places[3] = {80, 0, -48};
  MPI_Datatype types[3] = {pair, pair, pair};
  MPI_Type_hindexed(3, lengths, places, pair, &listed);
  MPI_Type_struct(3, lengths, places, types, &structured);
  MPI_Type_commit(&listed);
  MPI_Type_commit(&structured);
  CHECK(alike(listed, structured, comm));
  MPI_Type_free(&listed);
  MPI_Type_free(&structured);
  MPI_Type_free(&pair);
}

static void basic_sizes(MPI_Comm comm) {
  const struct {
    MPI_Datatype type;
    size_t size;
  } basics[] = {{MPI_CHAR, 1},
                {MPI_BYTE, 1},
                {MPI_PACKED, 1},
                {MPI_UNSIGNED_CHAR, 1},
                {MPI_SHORT, sizeof(short)},
                {MPI_UNSIGNED_SHORT, sizeof(short)},
                {MPI_INT, sizeof(int)},
                {MPI_UNSIGNED, sizeof(int)},
                {MPI_LONG, sizeof(long)},
                {MPI_UNSIGNED_LONG, sizeof(long)},
                {MPI_LONG_LONG, sizeof(long long)},
                {MPI_FLOAT, sizeof(float)},
                {MPI_DOUBLE, sizeof(double)},
                {MPI_LONG_DOUBLE, sizeof(long double)}};
  (void)comm;
  for (size_t i = 0; i < sizeof basics / sizeof *basics; i++) {
    CHECK_EQUAL(bytes_of(basics[i].type), (int)basics[i].size);
    CHECK_EQUAL(extent_of(basics[i].type), (int)basics[i].size);
    CHECK_EQUAL(lb_of(basics[i].type), 0);
    CHECK_EQUAL(ub_of(basics[i].type), (int)basics[i].size);
  }
}

static const Case cases[] = {
    {"ex 3.2, ex 3.3, req 3.3.2", "a double and a char: extent 16, size 9", 1, double_and_char},
    {"ex 3.2, req 3.3.2", "a char and a double: extent 16, size 9", 1, char_and_double},
    {"ex 3.4, req 3.3.6", "a contiguous type replicates by the extent, gaps included", 1,
     contiguous},
    {"ex 3.5, ex 3.7, req 3.3.6", "a vector counts its stride in extents, an hvector in bytes", 1,
     vector},
    {"ex 3.6, req 3.3.1", "a vector with a negative stride runs backwards, below its origin", 1,
     vector_backwards},
    {"ex 3.7, req 3.3.19", "an hvector may overlap itself, and sends every entry", 1,
     hvector_overlapping},
    {"ex 3.11, ex 3.12, req 3.3.1", "indexed blocks are sent in the order of the list", 1, indexed},
    {"ex 3.12", "hindexed counts displacements in bytes and may overlap itself", 1,
     hindexed_overlapping},
    {"ex 3.13", "a structure of floats, a derived type and chars", 1, structure},
    {"req 3.3.1, req 3.3.19", "entries may lie below zero, in any order, and repeat", 1, any_order},
    {"req 3.3.6",
     "contiguous is a vector of stride 1 and a single block; a vector is an indexed type", 1,
     vector_forms},
    {"req 3.3.6", "hindexed is a structure of equal types", 1, hindexed_is_struct},
    {"req 3.3.5", "a basic type has the size of its C type, and its extent is its size", 1,
     basic_sizes},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
