/* SPDX-License-Identifier: BSD-3-Clause
   Cartesian topologies: numbering, questions, shifts, parts, and grids without dimensions. */
#include "case.h"

static MPI_Comm grid_of(MPI_Comm comm, int ndims, const int dims[], const int periods[],
                        int reorder) {
  MPI_Comm grid = MPI_COMM_NULL;
  MPI_Cart_create(comm, ndims, dims, periods, reorder, &grid);
  return grid;
}

static MPI_Comm grid_3x4(MPI_Comm comm, int periodic) {
  const int dims[2] = {3, 4}, periods[2] = {periodic, periodic};
  return grid_of(comm, 2, dims, periods, 0);
}

static void numbering(MPI_Comm comm) {
  MPI_Comm grid = grid_3x4(comm, 0);
  int kind = 0;
  CHECK_EQUAL(rank_in(grid), rank_in(comm)); /* not reordered */
  MPI_Topo_test(grid, &kind);
  CHECK_EQUAL(kind, MPI_CART);
  MPI_Topo_test(comm, &kind);
  CHECK_EQUAL(kind, MPI_UNDEFINED);
  for (int r = 0; r < 12; r++) {
    int place[3] = {-9, -9, -9}, back = -1;
    MPI_Cart_coords(grid, r, 2, place);
    CHECK(place[0] == r / 4 && place[1] == r % 4 && place[2] == -9);
    MPI_Cart_rank(grid, place, &back);
    CHECK_EQUAL(back, r);
  }
  MPI_Comm_free(&grid);
}

/* A second grid whose numbering is shifted by (2,2). */
static void shifted_grid(MPI_Comm comm) {
  static const int expected[12] = {6, 7, 4, 5, 10, 11, 8, 9, 2, 3, 0, 1};
  MPI_Comm first = grid_3x4(comm, 1), renumbered, second;
  const int rank = rank_in(first), dims[2] = {3, 4}, periods[2] = {1, 1};
  int place[2], key = -1;
  MPI_Cart_coords(first, rank, 2, place);
  place[0] -=
      2; /* the process with these coordinates in the second grid: those of the first, less (2,2) */
  place[1] -= 2;
  MPI_Cart_rank(first, place, &key);
  MPI_Comm_split(first, 0, key, &renumbered);
  second = grid_of(renumbered, 2, dims, periods, 0);
  CHECK_EQUAL(rank_in(second), key);
  CHECK_EQUAL(key, expected[rank]);
  int zero = -1;
  MPI_Allreduce(&key, &zero, 1, MPI_INT, MPI_MIN, second);
  CHECK_EQUAL(zero, 0);
  MPI_Comm_free(&first);
  MPI_Comm_free(&renumbered);
  MPI_Comm_free(&second);
}

static void questions(MPI_Comm comm) {
  MPI_Comm flat = grid_3x4(comm, 0);
  const int sizes[2] = {3, 4}, flags[2] = {-2, 0}, inside[2] = {1, 2}, outside[2] = {4, 6},
            below[2] = {-2, 2};
  int ndims = -1, dims[3] = {-9, -9, -9}, periods[3] = {-9, -9, -9}, place[3] = {-9, -9, -9},
      rank = -1;
  MPI_Cartdim_get(flat, &ndims);
  CHECK_EQUAL(ndims, 2);
  MPI_Cart_get(flat, 2, dims, periods, place);
  CHECK(dims[0] == 3 && dims[1] == 4 && dims[2] == -9);
  CHECK(periods[0] == 0 && periods[1] == 0 && periods[2] == -9);
  CHECK(place[0] == rank_in(flat) / 4 && place[1] == rank_in(flat) % 4 && place[2] == -9);
  MPI_Cart_rank(flat, inside, &rank);
  CHECK_EQUAL(rank, 6);
  returning(flat);
  rank = -5;
  CHECK_CLASS(MPI_Cart_rank(flat, outside, &rank), MPI_ERR_ARG);
  CHECK_EQUAL(rank, -5);
  MPI_Comm torus = grid_3x4(comm, 1);
  MPI_Cart_rank(torus, outside, &rank);
  CHECK_EQUAL(rank, 6);
  MPI_Cart_rank(torus, below, &rank); /* true modulo: row -2 is row 1 */
  CHECK_EQUAL(rank, 6);
  MPI_Comm_free(&torus);
  torus = grid_of(comm, 2, sizes, flags, 0); /* any value but 0 is true */
  MPI_Cart_get(torus, 2, dims, periods, place);
  CHECK(periods[0] == 1 && periods[1] == 0);
  MPI_Comm_free(&flat);
  MPI_Comm_free(&torus);
}

static void too_little_room(MPI_Comm comm) {
  MPI_Comm grid = grid_3x4(comm, 0);
  int dims[2] = {-9, -9}, periods[2] = {-9, -9}, place[2] = {-9, -9};
  returning(grid);
  MPI_Cart_get(grid, 1, dims, periods,
               place); /* an error or only the first: never beyond the room */
  CHECK(dims[1] == -9 && periods[1] == -9 && place[1] == -9);
  place[0] = -9;
  MPI_Cart_coords(grid, 5, 1, place);
  CHECK(place[1] == -9);
  CHECK_CLASS(MPI_Cart_coords(grid, 12, 2, place), MPI_ERR_RANK);
  MPI_Comm_free(&grid);
}

static void smaller_grid(MPI_Comm comm) {
  const int size = size_of(comm), fewer = size - 1, more = size + 1, none = 0, zero = 0,
            negative = -2;
  MPI_Comm grid = grid_of(comm, 1, &fewer, &none, 0);
  CHECK_EQUAL(grid == MPI_COMM_NULL, rank_in(comm) == size - 1);
  if (grid != MPI_COMM_NULL) {
    CHECK_EQUAL(size_of(grid), fewer);
    CHECK_EQUAL(rank_in(grid), rank_in(comm));
    MPI_Comm_free(&grid);
  }
  returning(comm);
  grid = comm;
  CHECK(MPI_Cart_create(comm, 1, &more, &none, 0, &grid) != MPI_SUCCESS);
  CHECK(MPI_Cart_create(comm, 1, &zero, &none, 0, &grid) != MPI_SUCCESS);
  CHECK(MPI_Cart_create(comm, 1, &negative, &none, 0, &grid) != MPI_SUCCESS);
  CHECK_CLASS(MPI_Cart_create(comm, -1, &fewer, &none, 0, &grid), MPI_ERR_DIMS);
  CHECK(grid == comm);
}

static void attributes_and_reorder(MPI_Comm comm) {
  const int size = size_of(comm), one = 1;
  int keyval, flag = 1, seen = 0, mine, all = 0;
  void* value = NULL;
  MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &keyval, NULL);
  MPI_Attr_put(comm, keyval, &keyval);
  MPI_Comm grid = grid_of(comm, 1, &size, &one, 1); /* may be reordered: still each rank once */
  MPI_Attr_get(grid, keyval, &value, &flag);
  CHECK_EQUAL(flag, 0);
  mine = 1 << rank_in(grid);
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_BOR, comm);
  CHECK_EQUAL(all, (1 << size) - 1);
  MPI_Cart_map(comm, 1, &size, &one, &seen);
  CHECK(seen >= 0 && seen < size);
  mine = 1 << seen;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_BOR, comm);
  CHECK_EQUAL(all, (1 << size) - 1);
  MPI_Attr_delete(comm, keyval);
  MPI_Keyval_free(&keyval);
  MPI_Comm_free(&grid);
}

static void map_outside(MPI_Comm comm) {
  const int fewer = size_of(comm) - 1, none = 0;
  int rank = -7, undefined, all = 0;
  MPI_Cart_map(comm, 1, &fewer, &none, &rank);
  undefined = rank == MPI_UNDEFINED;
  CHECK(undefined || (rank >= 0 && rank < fewer));
  MPI_Allreduce(&undefined, &all, 1, MPI_INT, MPI_SUM, comm);
  CHECK_EQUAL(all, 1);
}

static void dims_are(int nodes, int n, const int given[], const int expected[]) {
  int dims[4] = {-9, -9, -9, -9};
  for (int i = 0; i < n; i++) dims[i] = given[i];
  CHECK_EQUAL(MPI_Dims_create(nodes, n, dims), MPI_SUCCESS);
  for (int i = 0; i < 4; i++) CHECK_EQUAL(dims[i], i < n ? expected[i] : -9);
}

static void dims_create(MPI_Comm comm) {
  const int free2[2] = {0, 0}, free3[3] = {0, 0, 0}, middle[3] = {0, 3, 0}, last[3] = {0, 0, 2},
            full[2] = {3, 4};
  (void)comm;
  dims_are(6, 2, free2, (int[]){3, 2});
  dims_are(7, 2, free2, (int[]){7, 1});
  dims_are(6, 3, middle, (int[]){2, 3, 1});
  dims_are(12, 2, free2, (int[]){4, 3});
  dims_are(36, 2, free2, (int[]){6, 6});
  dims_are(24, 3, free3, (int[]){4, 3, 2});
  dims_are(12, 3, last, (int[]){3, 2, 2});
  dims_are(12, 2, full, full);
  dims_are(1, 3, free3, (int[]){1, 1, 1});
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  int dims[3] = {0, 3, 0}, negative[2] = {-1, 0}, wrong[2] = {3, 4};
  CHECK_CLASS(MPI_Dims_create(7, 3, dims), MPI_ERR_DIMS);
  CHECK_CLASS(MPI_Dims_create(8, 2, negative), MPI_ERR_DIMS);
  CHECK_CLASS(MPI_Dims_create(13, 2, wrong), MPI_ERR_DIMS);
  CHECK(dims[0] == 0 && dims[1] == 3 && dims[2] == 0);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

static void shift(MPI_Comm comm) {
  MPI_Comm torus = grid_3x4(comm, 1), flat = grid_3x4(comm, 0);
  const int rank = rank_in(comm), row = rank / 4, column = rank % 4;
  int source = -9, dest = -9;
  for (int disp = -7; disp <= 7; disp++) {
    MPI_Cart_shift(torus, 1, disp, &source, &dest);
    CHECK_EQUAL(source, row * 4 + (column - disp + 8) % 4);
    CHECK_EQUAL(dest, row * 4 + (column + disp + 8) % 4);
    MPI_Cart_shift(flat, 0, disp, &source, &dest);
    CHECK_EQUAL(source, row - disp >= 0 && row - disp < 3 ? rank - 4 * disp : MPI_PROC_NULL);
    CHECK_EQUAL(dest, row + disp >= 0 && row + disp < 3 ? rank + 4 * disp : MPI_PROC_NULL);
  }
  MPI_Cart_shift(torus, rank % 2, rank, &source,
                 &dest); /* local: every process asks something else */
  CHECK(source >= 0 && dest < 12);
  returning(flat);
  CHECK_CLASS(MPI_Cart_shift(flat, 2, 1, &source, &dest), MPI_ERR_DIMS);
  CHECK(MPI_Cart_shift(flat, -1, 1, &source, &dest) != MPI_SUCCESS);
  MPI_Comm_free(&torus);
  MPI_Comm_free(&flat);
}

/* Each column is shifted down by its number; `a` goes out, `b` comes in. */
static void skew(MPI_Comm comm, int periodic, const int sources[12], const int dests[12]) {
  MPI_Comm grid = grid_3x4(comm, periodic);
  const int rank = rank_in(grid);
  int place[2], source = -9, dest = -9, b = -1;
  MPI_Cart_coords(grid, rank, 2, place);
  MPI_Cart_shift(grid, 0, place[1], &source, &dest);
  CHECK_EQUAL(source, sources[rank] < 0 ? MPI_PROC_NULL : sources[rank]);
  CHECK_EQUAL(dest, dests[rank] < 0 ? MPI_PROC_NULL : dests[rank]);
  MPI_Sendrecv(&rank, 1, MPI_INT, dest, 13, &b, 1, MPI_INT, source, 13, grid, MPI_STATUS_IGNORE);
  CHECK_EQUAL(b, sources[rank]);
  MPI_Comm_free(&grid);
}

static void skewed_columns(MPI_Comm comm) {
  static const int torus_from[12] = {0, 9, 6, 3, 4, 1, 10, 7, 8, 5, 2, 11};
  static const int torus_to[12] = {0, 5, 10, 3, 4, 9, 2, 7, 8, 1, 6, 11};
  static const int flat_from[12] = {0, -1, -1, -1, 4, 1, -1, -1, 8, 5, 2, -1};
  static const int flat_to[12] = {0, 5, 10, -1, 4, 9, -1, -1, 8, -1, -1, -1};
  skew(comm, 1, torus_from, torus_to);
  skew(comm, 0, flat_from, flat_to);
}

/* Size, rank and shape of the part of a 2x3x4 grid that keeps some dimensions. */
static void part_of(MPI_Comm grid, const int keep[3], int size, int rank) {
  static const int extents[3] = {2, 3, 4};
  int ndims = -1, dims[3], periods[3], place[3], kept = 0;
  MPI_Comm part;
  MPI_Cart_sub(grid, keep, &part);
  CHECK_EQUAL(size_of(part), size);
  CHECK_EQUAL(rank_in(part), rank);
  MPI_Cartdim_get(part, &ndims);
  MPI_Cart_get(part, 3, dims, periods, place);
  for (int d = 0; d < 3; d++) {
    if (!keep[d]) continue;
    CHECK(dims[kept] == extents[d] && periods[kept] == (d == 2));
    kept++;
  }
  CHECK_EQUAL(ndims, kept);
  MPI_Comm_free(&part);
}

static void parts(MPI_Comm comm) {
  const int dims[3] = {2, 3, 4}, periods[3] = {0, 0, 1};
  MPI_Comm grid = grid_of(comm, 3, dims, periods, 0);
  int at[3];
  MPI_Cart_coords(grid, rank_in(grid), 3, at);
  part_of(grid, (int[]){1, 0, 1}, 8, at[0] * 4 + at[2]);
  part_of(grid, (int[]){0, 0, 1}, 4, at[2]);
  part_of(grid, (int[]){0, -4, 0}, 3, at[1]); /* any value but 0 is true */
  part_of(grid, (int[]){1, 1, 1}, 24, rank_in(grid));
  part_of(grid, (int[]){0, 0, 0}, 1, 0);
  MPI_Comm_free(&grid);
}

/* A grid without dimensions: one process, nothing written, shifts are errors. */
static void no_dimensions(MPI_Comm point) {
  int ndims = -1, guard[1] = {-9}, rank = -1, source = -9, dest = -9;
  MPI_Comm again;
  CHECK_EQUAL(size_of(point), 1);
  MPI_Cartdim_get(point, &ndims);
  CHECK_EQUAL(ndims, 0);
  MPI_Cart_get(point, 0, guard, guard, guard);
  MPI_Cart_coords(point, 0, 0, guard);
  MPI_Cart_get(point, 1, guard, guard, guard);
  CHECK_EQUAL(guard[0], -9);
  MPI_Cart_rank(point, guard, &rank);
  CHECK_EQUAL(rank, 0);
  returning(point);
  CHECK_CLASS(MPI_Cart_shift(point, 0, 1, &source, &dest), MPI_ERR_DIMS);
  CHECK(source == -9 && dest == -9);
  MPI_Cart_sub(point, guard, &again);
  MPI_Cartdim_get(again, &ndims);
  CHECK(ndims == 0 && size_of(again) == 1);
  MPI_Comm_free(&again);
}

static void points(MPI_Comm comm) {
  const int size = size_of(comm), one = 1, drop = 0;
  MPI_Comm line = grid_of(comm, 1, &size, &one, 0), point;
  MPI_Cart_sub(line, &drop, &point);
  no_dimensions(point);
  MPI_Comm_free(&point);
  MPI_Comm_free(&line);
  point = grid_of(comm, 0, NULL, NULL, 0);
  CHECK_EQUAL(point == MPI_COMM_NULL, rank_in(comm) != 0);
  if (point == MPI_COMM_NULL) return;
  no_dimensions(point);
  MPI_Comm_free(&point);
}

static void not_cartesian(MPI_Comm comm) {
  int number = -9, other = -9;
  const int place[1] = {0};
  MPI_Comm part = comm;
  returning(comm);
  CHECK_CLASS(MPI_Cartdim_get(comm, &number), MPI_ERR_TOPOLOGY);
  CHECK_CLASS(MPI_Cart_rank(comm, place, &number), MPI_ERR_TOPOLOGY);
  CHECK_CLASS(MPI_Cart_coords(comm, 0, 1, &number), MPI_ERR_TOPOLOGY);
  CHECK_CLASS(MPI_Cart_shift(comm, 0, 1, &number, &other), MPI_ERR_TOPOLOGY);
  CHECK_CLASS(MPI_Cart_sub(comm, place, &part), MPI_ERR_TOPOLOGY);
  CHECK(number == -9 && other == -9 && part == comm);
}

/* The topology restricts nobody: all talk to all. */
static void all_to_all(MPI_Comm comm) {
  const int size = size_of(comm), none = 0;
  MPI_Comm line = grid_of(comm, 1, &size, &none, 0);
  int out[24], in[24];
  for (int r = 0; r < size; r++) out[r] = 100 * rank_in(line) + r, in[r] = -1;
  for (int r = 0; r < size; r++)
    MPI_Sendrecv(&out[r], 1, MPI_INT, r, 0, &in[r], 1, MPI_INT, r, 0, line, MPI_STATUS_IGNORE);
  for (int r = 0; r < size; r++) CHECK_EQUAL(in[r], 100 * r + rank_in(line));
  MPI_Comm_free(&line);
}

static const Case cases[] = {
    {"req 6.2.2, req 6.2.3, req 6.2.15, ex fig-6.1",
     "row-major numbers; without reordering the ranks stay", 12, numbering},
    {"ex fig-6.2", "a second grid, shifted by (2,2)", 12, shifted_grid},
    {"req 6.2.6, req 6.2.7, req 1.2.23, ex 6.5.3", "what a 3x4 grid and torus answer", 12,
     questions},
    {"req 6.2.6", "no answer goes beyond the room given", 12, too_little_room},
    {"req 6.2.4, req errata 2.25", "a smaller grid leaves processes out, a larger one is an error",
     2, smaller_grid},
    {"req 6.2.3, req 6.2.10", "no attribute is inherited; reordering is a permutation", 5,
     attributes_and_reorder},
    {"req 6.2.10", "who is outside the grid maps to MPI_UNDEFINED", 5, map_outside},
    {"req 6.2.5, ex 6.1", "MPI_Dims_create fills in the zeros, evenly and not increasing", 1,
     dims_create},
    {"req 6.2.8, req errata 2.21", "shifts wrap, end at the border, and go both ways", 12, shift},
    {"req 6.2.8, ex 6.2", "columns skewed by their number, on a torus and on a flat grid", 12,
     skewed_columns},
    {"req 6.2.9, req 1.2.23, ex 6.3", "parts of a 2x3x4 grid", 24, parts},
    {"req 6.2.9, req errata 2.16, 2.17, 2.18, 2.19, 2.20, 2.22, 2.24", "grids without dimensions",
     ANY, points},
    {"req 6.2.15", "a communicator without grid is an error", ANY, not_cartesian},
    {"req 6.2.1", "the topology restricts nobody", 5, all_to_all},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
