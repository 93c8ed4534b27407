/* SPDX-License-Identifier: BSD-3-Clause
   The life of a datatype: committed before use, freed while still in use, never freed when
   predefined. */
#include "type_map.h"

enum { COLUMN = 40000 }; /* of doubles: beyond any eager limit */

static void needs_commit(MPI_Comm comm) {
  int data[2] = {1, 2};
  char unit[64];
  int position = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Datatype type;
  returning(comm);
  types_handled_by(MPI_ERRORS_RETURN);
  MPI_Type_contiguous(2, MPI_INT, &type);
  CHECK_CLASS(MPI_Send(data, 1, type, 0, 0, comm), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Recv(data, 1, type, 0, 0, comm, MPI_STATUS_IGNORE), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Isend(data, 1, type, 0, 0, comm, &request), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Irecv(data, 1, type, 0, 0, comm, &request), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Send_init(data, 1, type, 0, 0, comm, &request), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Pack(data, 1, type, unit, sizeof unit, &position, comm), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Unpack(unit, sizeof unit, &position, data, 1, type, comm), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Bcast(data, 1, type, 0, comm), MPI_ERR_TYPE);
  CHECK(position == 0 && request == MPI_REQUEST_NULL && data[0] == 1);
  types_handled_by(MPI_ERRORS_ARE_FATAL);
  MPI_Type_free(&type);
}

/* Types that were never committed are good enough to build others; a second commit changes nothing.
 */
static void commit_once(MPI_Comm comm) {
  Map map = {.length = 0};
  MPI_Datatype basic = MPI_INT, inner, outer;
  MPI_Type_commit(&basic);
  CHECK(basic == MPI_INT);
  MPI_Type_vector(2, 1, 2, MPI_INT, &inner);
  MPI_Type_contiguous(2, inner, &outer);
  for (int i = 0; i < 4; i++) add(&map, MPI_INT, 8 * i - 4 * (i / 2));
  MPI_Type_commit(&outer);
  const MPI_Datatype before = outer;
  MPI_Type_commit(&outer);
  CHECK(outer == before);
  CHECK_EQUAL(wrong_map(outer, 1, &map, comm), 0);
  MPI_Type_free(&inner);
  MPI_Type_free(&outer);
}

/* Commit describes a layout, not what lies in the buffer at that time. */
static void commit_is_layout(MPI_Comm comm) {
  int data[4] = {1, 2, 3, 4};
  int got[2] = {0, 0};
  MPI_Aint at;
  int length = 2;
  MPI_Datatype absolute, integer = MPI_INT;
  MPI_Address(&data[2], &at);
  MPI_Type_struct(1, &length, &at, &integer, &absolute);
  MPI_Type_commit(&absolute);
  data[2] = 30;
  data[3] = 40;
  MPI_Sendrecv(MPI_BOTTOM, 1, absolute, 0, 1, got, 2, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
  CHECK(got[0] == 30 && got[1] == 40);
  MPI_Type_free(&absolute);
}

/* A type freed between the start and the end of communications: these finish as if it were still
 * there. */
static void freed_while_pending(MPI_Comm comm, int count) {
  double* data = calloc((size_t)count * 2, sizeof *data);
  const int other = 1 - rank_in(comm);
  int wrong = 0;
  MPI_Request requests[2];
  MPI_Datatype type, filler;
  MPI_Type_vector(count, 1, 2, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  for (int i = 0; i < count; i++) data[2 * i] = i + 0.5;
  if (rank_in(comm) == 0) {
    MPI_Irecv(data + 1, 1, type, other, 1, comm, &requests[0]);
    MPI_Isend(data, 1, type, other, 2, comm, &requests[1]);
    MPI_Type_free(&type);
    CHECK(type == MPI_DATATYPE_NULL);
    MPI_Type_vector(3, 2, 7, MPI_CHAR, &filler); /* may take the place of the freed one */
    MPI_Barrier(comm);
  } else {
    MPI_Barrier(comm);
    MPI_Irecv(data + 1, 1, type, other, 2, comm, &requests[0]);
    MPI_Isend(data, 1, type, other, 1, comm, &requests[1]);
    MPI_Type_free(&type);
    MPI_Type_vector(3, 2, 7, MPI_CHAR, &filler);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < count; i++) wrong += data[2 * i + 1] != i + 0.5 || data[2 * i] != i + 0.5;
  CHECK_EQUAL(wrong, 0);
  MPI_Type_free(&filler);
  free(data);
}

static void freed_while_pending_short(MPI_Comm comm) {
  freed_while_pending(comm, 3);
}
static void freed_while_pending_long(MPI_Comm comm) {
  freed_while_pending(comm, COLUMN);
}

/* A persistent request keeps the type too, through every start. */
static void freed_under_persistent(MPI_Comm comm) {
  int data[6] = {1, 0, 2, 0, 3, 0};
  MPI_Request requests[2];
  MPI_Datatype type;
  MPI_Type_vector(3, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Send_init(data, 1, type, 0, 1, comm, &requests[0]);
  MPI_Recv_init(data + 1, 1, type, 0, 1, comm, &requests[1]);
  MPI_Type_free(&type);
  for (int round = 0; round < 3; round++) {
    data[0] = 10 * round;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(data[1] == 10 * round && data[3] == 2 && data[5] == 3);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void freed_under_derived(MPI_Comm comm) {
  Map map = {.length = 0};
  MPI_Datatype inner, outer, filler;
  MPI_Type_vector(2, 1, 3, MPI_SHORT, &inner);
  MPI_Type_contiguous(2, inner, &outer);
  MPI_Type_free(&inner);
  CHECK(inner == MPI_DATATYPE_NULL);
  MPI_Type_contiguous(7, MPI_CHAR, &filler);
  for (int i = 0; i < 4; i++) add(&map, MPI_SHORT, 6 * i - 4 * (i / 2));
  MPI_Type_commit(&outer);
  CHECK_EQUAL(wrong_map(outer, 1, &map, comm), 0);
  CHECK_EQUAL(extent_of(outer), 16);
  MPI_Type_free(&outer);
  MPI_Type_free(&filler);
}

/* The type built last is freed first: what it was built from stays usable. */
static void freed_above_base(MPI_Comm comm) {
  Map map = {.length = 0};
  MPI_Datatype inner, outer;
  MPI_Type_vector(2, 1, 3, MPI_SHORT, &inner);
  MPI_Type_contiguous(2, inner, &outer);
  MPI_Type_free(&outer);
  add(&map, MPI_SHORT, 0);
  add(&map, MPI_SHORT, 6);
  MPI_Type_commit(&inner);
  CHECK_EQUAL(wrong_map(inner, 1, &map, comm), 0);
  MPI_Type_free(&inner);
}

static void predefined_stay(MPI_Comm comm) {
  const MPI_Datatype predefined[] = {
      MPI_CHAR,        MPI_INT,      MPI_DOUBLE,    MPI_BYTE,       MPI_PACKED,
      MPI_LONG_DOUBLE, MPI_2INT,     MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LB,
      MPI_UB,          MPI_LONG_INT, MPI_UNSIGNED,  MPI_SHORT_INT,  MPI_LONG_DOUBLE_INT};
  Map map = {.length = 0};
  types_handled_by(MPI_ERRORS_RETURN);
  for (size_t i = 0; i < sizeof predefined / sizeof *predefined; i++) {
    MPI_Datatype type = predefined[i];
    CHECK_CLASS(MPI_Type_free(&type), MPI_ERR_TYPE);
    CHECK(type == predefined[i]);
  }
  MPI_Datatype null = MPI_DATATYPE_NULL;
  CHECK_CLASS(MPI_Type_free(&null), MPI_ERR_TYPE);
  types_handled_by(MPI_ERRORS_ARE_FATAL);
  add(&map, MPI_INT, 0);
  CHECK_EQUAL(wrong_map(MPI_INT, 1, &map, comm), 0);
}

/* The example's calls in its order, each type used where it may be used. */
static void handles(MPI_Comm comm) {
  Map five = {.length = 0};
  Map blocks = {.length = 0};
  MPI_Datatype type1, type2;
  for (int i = 0; i < 5; i++) add(&five, MPI_FLOAT, 4 * i);
  for (int i = 0; i < 12; i++) add(&blocks, MPI_FLOAT, 20 * (i / 4) + 4 * (i % 4));
  MPI_Type_contiguous(5, MPI_FLOAT, &type1);
  MPI_Type_commit(&type1);
  type2 = type1; /* two handles to one type: both may communicate */
  CHECK_EQUAL(wrong_map(type2, 1, &five, comm), 0);
  MPI_Type_vector(3, 4, 5, MPI_FLOAT, &type1); /* a new type in the old variable */
  MPI_Type_commit(&type1);
  CHECK_EQUAL(wrong_map(type1, 1, &blocks, comm), 0);
  CHECK_EQUAL(wrong_map(type2, 1, &five, comm), 0);
  MPI_Type_free(&type2);
  CHECK(type2 == MPI_DATATYPE_NULL);
  type2 = type1;
  CHECK_EQUAL(wrong_map(type2, 1, &blocks, comm), 0);
  MPI_Type_free(&type2); /* type1 dangles from here on */
  CHECK(type2 == MPI_DATATYPE_NULL);
  CHECK(type1 != MPI_DATATYPE_NULL);
}

static const Case cases[] = {
    {"req 3.3.13", "a type that is not committed is refused by everything that moves data", 1,
     needs_commit},
    {"req 3.3.13",
     "uncommitted types build others, basic types need no commit, a second one does no harm", 1,
     commit_once},
    {"req 3.3.14", "what is sent is what the buffer holds at the send, not at the commit", 1,
     commit_is_layout},
    {"req 3.3.15", "a freed type serves pending short messages to their end", 2,
     freed_while_pending_short},
    {"req 3.3.15", "a freed type serves pending long messages to their end", 2,
     freed_while_pending_long},
    {"req 3.3.15", "a freed type serves persistent requests", 1, freed_under_persistent},
    {"req 3.3.15", "a type survives that of which it was made", 1, freed_under_derived},
    {"req 3.3.15", "a type survives what was made of it", 1, freed_above_base},
    {"req 3.3.16", "predefined types cannot be freed", 1, predefined_stay},
    {"ex 3.17, req 3.3.15", "two handles to one type, and a variable used twice", 1, handles},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
