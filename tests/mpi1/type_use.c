/* SPDX-License-Identifier: BSD-3-Clause
   Datatypes in messages: what matches what, what is counted, what a receive leaves alone. */
#include "type_map.h"

enum { LONG_COUNT = 60000 };

/* One message from a rank to itself. */
static void pass(const void* from, int send_count, MPI_Datatype send_type, void* to,
                 int receive_count, MPI_Datatype receive_type, MPI_Comm comm, MPI_Status* status) {
  MPI_Sendrecv(from, send_count, send_type, rank_in(comm), 3, to, receive_count, receive_type,
               rank_in(comm), 3, comm, status);
}

/* `count` of a type mean the same as one of the contiguous type, to each kind of call, on both
 * sides. */
static void count_is_contiguous(MPI_Comm comm) {
  enum { COUNT = 5 };
  char memory[MEMORY], by_count[MEMORY], by_type[MEMORY], unit_count[MEMORY], unit_type[MEMORY];
  int position_count = 0;
  int position_type = 0;
  MPI_Datatype pair = committed(double_char()), run;
  MPI_Type_contiguous(COUNT, pair, &run);
  MPI_Type_commit(&run);
  scribble(memory, sizeof memory, 1);
  scribble(by_count, sizeof by_count, 2);
  memcpy(by_type, by_count, sizeof by_type);
  pass(memory, COUNT, pair, by_type, 1, run, comm, MPI_STATUS_IGNORE);
  pass(memory, 1, run, by_count, COUNT, pair, comm, MPI_STATUS_IGNORE);
  CHECK(memcmp(by_count, by_type, sizeof by_type) == 0);
  CHECK(memcmp(by_count + 16 * (COUNT - 1), memory + 16 * (COUNT - 1), 9) == 0);
  MPI_Pack(memory, COUNT, pair, unit_count, MEMORY, &position_count, comm);
  MPI_Pack(memory, 1, run, unit_type, MEMORY, &position_type, comm);
  CHECK_EQUAL(position_type, position_count);
  CHECK(memcmp(unit_count, unit_type, (size_t)position_type) == 0);
  MPI_Gather(memory + 256, COUNT, pair, by_count, 1, run, 0, comm);
  MPI_Gather(memory + 256, 1, run, by_type, COUNT, pair, 0, comm);
  CHECK(memcmp(by_count, by_type, sizeof by_type) == 0);
  CHECK(memcmp(by_count, memory + 256, 9) == 0);
  MPI_Type_free(&pair);
  MPI_Type_free(&run);
}

/* Entry (i, j) lies at i extents plus its displacement, also where the extent is not the size. */
static void places_of_entries(MPI_Comm comm) {
  Map map = {.length = 0};
  int lengths[2] = {1, 2};
  MPI_Aint places[2] = {12, -6};
  MPI_Datatype types[2] = {MPI_INT, MPI_SHORT};
  MPI_Datatype type;
  MPI_Type_struct(2, lengths, places, types, &type);
  MPI_Type_commit(&type);
  const int extent = (int)extent_of(type);
  CHECK_EQUAL(extent, 24);
  for (int i = 0; i < 4; i++) {
    add(&map, MPI_INT, extent * i + 12);
    add(&map, MPI_SHORT, extent * i - 6);
    add(&map, MPI_SHORT, extent * i - 4);
  }
  CHECK_EQUAL(wrong_map(type, 4, &map, comm), 0);
  MPI_Type_free(&type);
}

/* The example's types, for `times` times its four reals. */
static void shapes(int times, MPI_Datatype types[4], int counts[4]) {
  MPI_Type_contiguous(1, MPI_FLOAT, &types[0]);
  MPI_Type_contiguous(2, MPI_FLOAT, &types[1]);
  MPI_Type_contiguous(2, types[1], &types[2]);
  MPI_Type_contiguous(4, MPI_FLOAT, &types[3]);
  for (int i = 0; i < 4; i++) MPI_Type_commit(&types[i]);
  counts[0] = 4 * times;
  counts[1] = 2 * times;
  counts[2] = times;
  counts[3] = times;
}

static void all_pairs(MPI_Comm comm, int times) {
  float* from = malloc((size_t)times * 4 * sizeof(float));
  float* to = malloc((size_t)times * 4 * sizeof(float));
  MPI_Datatype types[4];
  int counts[4];
  shapes(times, types, counts);
  for (int i = 0; i < 4 * times; i++) from[i] = (float)i;
  for (int pair = 0; pair < 16; pair++) {
    const int s = pair / 4;
    const int r = pair % 4;
    if (rank_in(comm) == 0) MPI_Send(from, counts[s], types[s], 1, pair, comm);
    if (rank_in(comm) == 1) {
      MPI_Status status;
      int count = -1;
      memset(to, 0, (size_t)times * 4 * sizeof(float));
      MPI_Recv(to, counts[r], types[r], 0, pair, comm, &status);
      MPI_Get_count(&status, types[r], &count);
      CHECK_EQUAL(count, counts[r]);
      CHECK(memcmp(from, to, (size_t)times * 4 * sizeof(float)) == 0);
    }
  }
  for (int i = 0; i < 4; i++) MPI_Type_free(&types[i]);
  free(from);
  free(to);
}

static void all_pairs_short(MPI_Comm comm) {
  all_pairs(comm, 1);
}
static void all_pairs_long(MPI_Comm comm) {
  all_pairs(comm, LONG_COUNT);
}

/* Fewer entries than the receive describes are welcome and leave the rest alone; more are
 * truncated. */
static void fewer_not_more(MPI_Comm comm) {
  int from[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int to[12];
  MPI_Status status;
  MPI_Datatype apart;
  MPI_Type_vector(2, 1, 3, MPI_INT, &apart);
  MPI_Type_commit(&apart);
  for (int i = 0; i < 12; i++) to[i] = -1;
  pass(from, 3, MPI_INT, to, 3, apart, comm, &status);
  CHECK(to[0] == 1 && to[3] == 2 && to[4] == 3);
  for (int i = 0; i < 12; i++) CHECK(i == 0 || i == 3 || i == 4 || to[i] == -1);
  returning(comm);
  CHECK_CLASS(MPI_Sendrecv(from, 5, MPI_INT, rank_in(comm), 3, to, 2, apart, rank_in(comm), 3, comm,
                           &status),
              MPI_ERR_TRUNCATE);
  CHECK(to[8] == -1 && to[9] == -1 && to[1] == -1);
  MPI_Type_free(&apart);
}

static void overlapping_send(MPI_Comm comm) {
  int from[3] = {1, 2, 3};
  int to[6] = {0};
  int lengths[3] = {2, 2, 2};
  int places[3] = {0, 1, 0};
  MPI_Datatype type;
  MPI_Type_indexed(3, lengths, places, MPI_INT, &type);
  MPI_Type_commit(&type);
  pass(from, 1, type, to, 6, MPI_INT, comm, MPI_STATUS_IGNORE);
  CHECK(to[0] == 1 && to[1] == 2 && to[2] == 2 && to[3] == 3 && to[4] == 1 && to[5] == 2);
  MPI_Type_free(&type);
}

static void counts_of(const MPI_Status* status, MPI_Datatype type, int count, int elements) {
  int is_count = -7;
  int is_elements = -7;
  MPI_Get_count(status, type, &is_count);
  MPI_Get_elements(status, type, &is_elements);
  CHECK_EQUAL(is_count, count);
  CHECK_EQUAL(is_elements, elements);
}

/* Two reals make one of the type, three make one and a half. */
static void count_and_elements(MPI_Comm comm) {
  float data[4] = {1, 2, 3, 4};
  float got[4];
  MPI_Status status;
  MPI_Datatype type2;
  MPI_Type_contiguous(2, MPI_FLOAT, &type2);
  MPI_Type_commit(&type2);
  if (rank_in(comm) == 0) {
    MPI_Send(data, 2, MPI_FLOAT, 1, 0, comm);
    MPI_Send(data, 3, MPI_FLOAT, 1, 0, comm);
  } else {
    MPI_Recv(got, 2, type2, 0, 0, comm, &status);
    counts_of(&status, type2, 1, 2);
    MPI_Recv(got, 2, type2, 0, 0, comm, &status);
    counts_of(&status, type2, MPI_UNDEFINED, 3);
    counts_of(&status, MPI_FLOAT, 3, 3);
  }
  MPI_Type_free(&type2);
}

/* {double, char}: what arrives ends within an element after its first entry, and after none. */
static void mixed_elements(MPI_Comm comm) {
  char memory[256] = {0};
  char unit[64];
  char got[256];
  MPI_Datatype pair = committed(double_char());
  for (int entries = 0; entries <= 6; entries++) {
    MPI_Status status;
    int position = 0;
    for (int i = 0; i < entries; i++) {
      MPI_Pack(memory, 1, i % 2 == 0 ? MPI_DOUBLE : MPI_CHAR, unit, sizeof unit, &position, comm);
    }
    pass(unit, position, MPI_PACKED, got, 5, pair, comm, &status);
    counts_of(&status, pair, entries % 2 == 0 ? entries / 2 : MPI_UNDEFINED, entries);
  }
  MPI_Type_free(&pair);
}

static void counts_after_probe(MPI_Comm comm) {
  int data[6] = {0};
  MPI_Status status;
  MPI_Request request;
  MPI_Datatype four;
  MPI_Type_contiguous(4, MPI_INT, &four);
  MPI_Isend(data, 6, MPI_INT, 0, 5, comm, &request);
  MPI_Probe(0, 5, comm, &status);
  counts_of(&status, four, MPI_UNDEFINED, 6);
  counts_of(&status, MPI_INT, 6, 6);
  MPI_Recv(data, 6, MPI_INT, 0, 5, comm, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_free(&four);
}

/* A message of no bytes holds no copies of any type. */
static void nothing_received(MPI_Comm comm) {
  int data = 17;
  MPI_Status status;
  MPI_Datatype none;
  MPI_Type_contiguous(0, MPI_INT, &none);
  MPI_Type_commit(&none);
  pass(&data, 0, MPI_INT, &data, 3, none, comm, &status);
  counts_of(&status, none, 0, 0);
  counts_of(&status, MPI_INT, 0, 0);
  CHECK_EQUAL(data, 17);
  MPI_Type_free(&none);
}

typedef struct {
  char tag;
  double weight;
  short number;
} Padded;

static MPI_Datatype padded_type(void) {
  int lengths[3] = {1, 1, 1};
  MPI_Aint places[3] = {offsetof(Padded, tag), offsetof(Padded, weight), offsetof(Padded, number)};
  MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT};
  MPI_Datatype type;
  MPI_Type_struct(3, lengths, places, types, &type);
  return committed(type);
}

/* Every byte that is not of an entry keeps its value. */
static void padding_stays(MPI_Comm comm, int count) {
  const size_t bytes = (size_t)count * sizeof(Padded);
  unsigned char* from = malloc(bytes);
  unsigned char* to = malloc(bytes);
  MPI_Datatype type = padded_type();
  int wrong = 0;
  CHECK_EQUAL(extent_of(type), (int)sizeof(Padded));
  memset(from, 0x11, bytes);
  memset(to, 0x22, bytes);
  pass(from, count, type, to, count, type, comm, MPI_STATUS_IGNORE);
  for (size_t i = 0; i < bytes; i++) {
    const size_t at = i % sizeof(Padded);
    const int data =
        at < 1 ||
        (at >= offsetof(Padded, weight) && at < offsetof(Padded, weight) + sizeof(double)) ||
        (at >= offsetof(Padded, number) && at < offsetof(Padded, number) + sizeof(short));
    wrong += to[i] != (data ? 0x11 : 0x22);
  }
  CHECK_EQUAL(wrong, 0);
  MPI_Type_free(&type);
  free(from);
  free(to);
}

static void padding_stays_short(MPI_Comm comm) {
  padding_stays(comm, 3);
}
static void padding_stays_long(MPI_Comm comm) {
  padding_stays(comm, LONG_COUNT);
}

static const Case cases[] = {
    {"req 3.3.17", "a count of a type is one contiguous type, in every call", 1,
     count_is_contiguous},
    {"req 3.3.17", "copies of a type lie an extent apart", 1, places_of_entries},
    {"ex 3.18, req 3.3.18", "four ways to send four reals match four ways to receive them", 2,
     all_pairs_short},
    {"ex 3.18, req 3.3.18", "the same with long messages", 2, all_pairs_long},
    {"req 3.3.18", "a message may be shorter than the receive, not longer", 1, fewer_not_more},
    {"req 3.3.19", "a send may take the same place several times", 1, overlapping_send},
    {"ex 3.19, req 3.3.20, req 3.3.21",
     "three reals are three elements but no whole number of pairs", 2, count_and_elements},
    {"req 3.3.21, req 3.3.20", "elements are counted along a mixed signature", 1, mixed_elements},
    {"req 3.3.21", "elements can be counted after a probe", 1, counts_after_probe},
    {"req 3.3.22, req 3.3.20", "no bytes are no copies, also of an empty type", 1,
     nothing_received},
    {"req 3.3.23", "a receive leaves the padding of structures alone", 1, padding_stays_short},
    {"req 3.3.23", "a long receive leaves the padding of structures alone", 1, padding_stays_long},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
