/* SPDX-License-Identifier: BSD-3-Clause
   Lower bound, upper bound and extent of datatypes, with markers and without. */
#include "type_map.h"

static MPI_Datatype structure(int count, const int lengths[], const MPI_Aint places[],
                              const MPI_Datatype types[]) {
  int lengths_copy[4];
  MPI_Aint places_copy[4];
  MPI_Datatype types_copy[4];
  MPI_Datatype type;
  for (int i = 0; i < count; i++) {
    lengths_copy[i] = lengths[i];
    places_copy[i] = places[i];
    types_copy[i] = types[i];
  }
  MPI_Type_struct(count, lengths_copy, places_copy, types_copy, &type);
  return type;
}

static const int ones[4] = {1, 1, 1, 1};

static MPI_Datatype two(MPI_Datatype a, MPI_Aint at, MPI_Datatype b, MPI_Aint bt) {
  return structure(2, ones, (MPI_Aint[]){at, bt}, (MPI_Datatype[]){a, b});
}

static MPI_Datatype three(MPI_Datatype a, MPI_Aint at, MPI_Datatype b, MPI_Aint bt, MPI_Datatype c,
                          MPI_Aint ct) {
  return structure(3, ones, (MPI_Aint[]){at, bt, ct}, (MPI_Datatype[]){a, b, c});
}

/* Checks the three answers about bounds, and frees the type. */
static void bounds(MPI_Datatype type, MPI_Aint lb, MPI_Aint ub) {
  MPI_Aint later_lb = -1;
  MPI_Aint later_extent = -1;
  CHECK_EQUAL(lb_of(type), lb);
  CHECK_EQUAL(ub_of(type), ub);
  CHECK_EQUAL(extent_of(type), ub - lb);
  MPI_Type_get_extent(type, &later_lb, &later_extent);
  CHECK_EQUAL(later_lb, lb);
  CHECK_EQUAL(later_extent, ub - lb);
  MPI_Type_free(&type);
}

static void markers(MPI_Comm comm) {
  Map map = {.length = 0};
  MPI_Datatype type = three(MPI_LB, -3, MPI_INT, 0, MPI_UB, 6);
  MPI_Datatype twice;
  MPI_Type_contiguous(2, type, &twice);
  MPI_Type_commit(&twice);
  add(&map, MPI_INT, 0);
  add(&map, MPI_INT, 9);
  CHECK_EQUAL(bytes_of(type), 4);
  CHECK_EQUAL(bytes_of(twice), 8);
  CHECK_EQUAL(wrong_map(twice, 1, &map, comm), 0);
  bounds(type, -3, 6);
  bounds(twice, -3, 15);
}

/* The extent, not the upper bound, is a multiple of the alignment. */
static void rounding(MPI_Comm comm) {
  (void)comm;
  bounds(two(MPI_INT, 4, MPI_CHAR, 8), 4, 12);
  bounds(two(MPI_INT, 2, MPI_CHAR, 6), 2, 10);
  bounds(two(MPI_DOUBLE, -8, MPI_CHAR, 0), -8, 8);
  bounds(two(MPI_SHORT, 1, MPI_CHAR, 3), 1, 5);
  bounds(two(MPI_CHAR, 0, MPI_CHAR, 2), 0, 3);
}

/* The rule holds for what every constructor makes: here the markers of the old type are gone, and
 * its alignment counts. */
static void rounding_by_all(MPI_Comm comm) {
  int lengths[2] = {2, 1};
  int places[2] = {0, 5};
  MPI_Aint bytes[2] = {0, 21};
  MPI_Datatype type;
  (void)comm;
  MPI_Type_hvector(2, 1, 6, MPI_INT, &type);
  bounds(type, 0, 12);
  MPI_Type_hindexed(2, lengths, bytes, MPI_INT, &type);
  bounds(type, 0, 28);
  MPI_Type_indexed(2, lengths, places, MPI_SHORT, &type);
  bounds(type, 0, 12);
  MPI_Datatype pair = double_char();
  MPI_Type_hvector(2, 1, 20, pair, &type);
  bounds(type, 0, 32);
  MPI_Type_hindexed(1, lengths, bytes + 1, pair, &type);
  bounds(type, 21, 53);
  MPI_Type_contiguous(2, pair, &type);
  bounds(type, 0, 32);
  MPI_Type_free(&pair);
}

/* What the compiler does with a char followed by each type: where that lies, and how long the
 * structure is. */
static void as_the_compiler(MPI_Comm comm) {
#define AFTER_CHAR(ctype, handle) \
  {                               \
    handle,                       \
        offsetof(                 \
            struct {              \
              char c;             \
              ctype t;            \
            },                    \
            t),                   \
        sizeof(struct {           \
          char c;                 \
          ctype t;                \
        })                        \
  }
  const struct {
    MPI_Datatype type;
    size_t place, size;
  } rows[] = {AFTER_CHAR(char, MPI_CHAR),
              AFTER_CHAR(short, MPI_SHORT),
              AFTER_CHAR(int, MPI_INT),
              AFTER_CHAR(long, MPI_LONG),
              AFTER_CHAR(long long, MPI_LONG_LONG),
              AFTER_CHAR(float, MPI_FLOAT),
              AFTER_CHAR(double, MPI_DOUBLE),
              AFTER_CHAR(long double, MPI_LONG_DOUBLE)};
#undef AFTER_CHAR
  (void)comm;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    bounds(two(MPI_CHAR, 0, rows[i].type, (MPI_Aint)rows[i].place), 0, (MPI_Aint)rows[i].size);
    bounds(two(rows[i].type, 0, MPI_CHAR, bytes_of(rows[i].type)), 0, (MPI_Aint)rows[i].size);
  }
}

/* Markers win over data, the lowest and the highest of several count, and nothing is rounded. */
static void markers_win(MPI_Comm comm) {
  (void)comm;
  bounds(three(MPI_LB, 2, MPI_DOUBLE, 0, MPI_UB, 5), 2, 5);
  bounds(three(MPI_LB, 4, MPI_LB, -2, MPI_INT, 8), -2, 14);
  bounds(three(MPI_UB, 4, MPI_UB, 7, MPI_INT, 8), 8, 7);
  bounds(three(MPI_INT, 0, MPI_UB, 3, MPI_LB, 0), 0, 3);
}

/* A type with only a lower marker: the upper bound is still rounded, from that marker on. */
static void one_marker(MPI_Comm comm) {
  (void)comm;
  bounds(two(MPI_LB, -1, MPI_INT, 0), -1, 7);
  bounds(two(MPI_LB, 1, MPI_CHAR, 3), 1, 4);
  bounds(two(MPI_UB, 5, MPI_INT, 0), 0, 5);
}

static void negative_extent(MPI_Comm comm) {
  Map map = {.length = 0};
  MPI_Datatype zero = three(MPI_LB, 0, MPI_INT, 0, MPI_UB, 0);
  MPI_Datatype back = three(MPI_LB, 8, MPI_SHORT, 0, MPI_UB, 0);
  MPI_Datatype again;
  for (int i = 0; i < 3; i++) add(&map, MPI_SHORT, -8 * i);
  MPI_Type_contiguous(3, back, &again);
  MPI_Type_commit(&again);
  MPI_Type_commit(&back);
  CHECK_EQUAL(wrong_map(again, 1, &map, comm), 0);
  CHECK_EQUAL(wrong_map(back, 3, &map, comm), 0);
  bounds(zero, 0, 0);
  bounds(back, 8, 0);
  MPI_Type_free(&again);
}

/* Markers stay through every constructor; of the replicas the lowest and the highest count. */
static void markers_stay(MPI_Comm comm) {
  int lengths[2] = {2, 1};
  int places[2] = {1, -1};
  MPI_Datatype type = three(MPI_LB, -3, MPI_INT, 0, MPI_UB, 6), made, nested;
  (void)comm;
  MPI_Type_vector(2, 1, 3, type, &made);
  bounds(made, -3, 6 + 27);
  MPI_Type_vector(2, 1, -3, type, &made);
  bounds(made, -3 - 27, 6);
  MPI_Type_hvector(2, 1, 5, type, &made);
  bounds(made, -3, 11);
  MPI_Type_indexed(2, lengths, places, type, &made);
  bounds(made, -12, 6 + 18);
  MPI_Type_contiguous(2, type, &made);
  MPI_Type_contiguous(2, made, &nested);
  bounds(nested, -3, -3 + 36);
  MPI_Type_free(&made);
  bounds(two(type, 0, MPI_DOUBLE, 100), -3, 6);
  bounds(two(type, 10, type, 40), 7, 46);
  MPI_Type_free(&type);
}

/* With the same data, marked and unmarked types send the same message and match each other. */
static void markers_send_nothing(MPI_Comm comm) {
  char memory[MEMORY];
  int plain_length = -1;
  int marked_length = -1;
  MPI_Datatype plain = committed(two(MPI_INT, 0, MPI_SHORT, 4));
  MPI_Datatype inner = two(MPI_LB, -40, MPI_INT, 0);
  MPI_Datatype marked = committed(three(inner, 0, MPI_UB, 100, MPI_SHORT, 4));
  scribble(memory, sizeof memory, 1);
  char* plain_unit = sent_unit(memory, 1, plain, comm, &plain_length);
  char* marked_unit = sent_unit(memory, 1, marked, comm, &marked_length);
  CHECK_EQUAL(bytes_of(plain), bytes_of(marked));
  CHECK_EQUAL(plain_length, marked_length);
  CHECK(memcmp(plain_unit, marked_unit, (size_t)plain_length) == 0);
  free(plain_unit);
  free(marked_unit);
  bounds(marked, -40, 100);
  MPI_Type_free(&inner);
  MPI_Type_free(&plain);
}

/* A marked type counts as one element, whatever its bounds. */
static void markers_do_not_count(MPI_Comm comm) {
  char memory[MEMORY];
  int count = -1;
  int elements = -1;
  MPI_Status status;
  MPI_Datatype type = committed(three(MPI_LB, -3, MPI_INT, 0, MPI_UB, 6));
  memset(memory, 0, sizeof memory);
  MPI_Sendrecv(memory, 5, type, rank_in(comm), 1, memory + ORIGIN, 9, type, rank_in(comm), 1, comm,
               &status);
  MPI_Get_count(&status, type, &count);
  MPI_Get_elements(&status, type, &elements);
  CHECK_EQUAL(count, 5);
  CHECK_EQUAL(elements, 5);
  MPI_Type_free(&type);
}

static void empty_types(MPI_Comm comm) {
  int lengths[2] = {0, 0};
  int places[2] = {3, 9};
  MPI_Aint bytes[2] = {3, 9};
  MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype made[6];
  char untouched[4] = {1, 2, 3, 4};
  MPI_Type_contiguous(0, MPI_INT, &made[0]);
  MPI_Type_vector(4, 0, 3, MPI_INT, &made[1]);
  MPI_Type_indexed(2, lengths, places, MPI_INT, &made[2]);
  MPI_Type_hindexed(2, lengths, bytes, MPI_INT, &made[3]);
  MPI_Type_struct(2, lengths, bytes, types, &made[4]);
  MPI_Type_struct(0, lengths, bytes, types, &made[5]);
  for (int i = 0; i < 6; i++) {
    MPI_Status status;
    int count = -1;
    MPI_Type_commit(&made[i]);
    MPI_Sendrecv(untouched, 1, made[i], rank_in(comm), 1, untouched, 1, made[i], rank_in(comm), 1,
                 comm, &status);
    MPI_Get_count(&status, made[i], &count);
    CHECK_EQUAL(count, 0);
    CHECK(memcmp(untouched, "\1\2\3\4", 4) == 0);
    CHECK_EQUAL(bytes_of(made[i]), 0);
    bounds(made[i], 0, 0);
  }
}

/* A block of length 0 adds neither data nor bounds, nor do its markers. */
static void empty_blocks(MPI_Comm comm) {
  const int lengths[3] = {0, 1, 0};
  int block_lengths[3] = {0, 1, 0};
  int places[3] = {-5, 1, 9};
  MPI_Aint bytes[3] = {-50, 4, 90};
  MPI_Datatype type;
  (void)comm;
  MPI_Type_indexed(3, block_lengths, places, MPI_INT, &type);
  bounds(type, 4, 8);
  MPI_Type_hindexed(3, block_lengths, bytes, MPI_INT, &type);
  bounds(type, 4, 8);
  bounds(structure(3, lengths, bytes, (MPI_Datatype[]){MPI_DOUBLE, MPI_INT, MPI_CHAR}), 4, 8);
  bounds(structure(3, lengths, bytes, (MPI_Datatype[]){MPI_LB, MPI_INT, MPI_UB}), 4, 8);
}

static const Case cases[] = {
    {"ex 3.22, req 3.3.7, req 3.3.9, req 3.3.10",
     "markers give an int the extent 9, and two of them 18", 1, markers},
    {"req 3.3.2, req 3.3.10",
     "the extent is rounded up to the alignment, counted from the lower bound", 1, rounding},
    {"req 3.3.4", "the extent is rounded in the result of every constructor", 1, rounding_by_all},
    {"req 3.3.3", "structures of each basic type are as long as the compiler's", 1,
     as_the_compiler},
    {"req 3.3.7, req 3.3.10", "markers win over data, and the outermost of several count", 1,
     markers_win},
    {"req 3.3.11, req 3.3.7", "a lower marker alone leaves the upper bound rounded", 1, one_marker},
    {"req 3.3.11, req 3.3.17", "markers may make the extent zero or negative", 1, negative_extent},
    {"req 3.3.8", "markers stay through nested constructors", 1, markers_stay},
    {"req 3.3.9", "markers change neither size nor message", 1, markers_send_nothing},
    {"req 3.3.9, req 3.3.20, req 3.3.21", "markers change neither count nor elements", 1,
     markers_do_not_count},
    {"req 3.3.11, req 3.3.22", "an empty type has bounds and size 0, and its count is 0", 1,
     empty_types},
    {"req 3.3.12", "a block of length 0 adds nothing", 1, empty_blocks},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
