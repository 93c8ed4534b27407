/* SPDX-License-Identifier: BSD-3-Clause
   Products of matrices on grids of processes: parts of communicators, derived types, scatter,
   gather and reduce. Matrices are stored by rows; a block is a vector type whose extent is made one
   element by a struct with MPI_UB. */
#include "case.h"

#include <stdlib.h>

/* Process 0 holds A (n0 x n1), B (n1 x n2) and C (n0 x n2). */
enum { N0 = 12, N1 = 8, N2 = 10 };

static double a_at(int i, int j) {
  return i + 2 * j + 1;
}
static double b_at(int i, int j) {
  return 3 * i - j;
}

static double c_at(int i, int j) {
  double sum = 0;
  for (int k = 0; k < N1; k++) sum += a_at(i, k) * b_at(k, j);
  return sum;
}

static double* matrix(int rows, int columns, double (*at)(int, int)) {
  double* m = malloc(sizeof(double) * (size_t)(rows * columns));
  for (int i = 0; i < rows * columns; i++) m[i] = at != NULL ? at(i / columns, i % columns) : -1e30;
  return m;
}

/* A block of rows x columns in a matrix with `width` columns; displacements count elements. */
static MPI_Datatype block(int rows, int columns, int width) {
  MPI_Datatype vector, types[2] = {MPI_DATATYPE_NULL, MPI_UB}, made;
  int lengths[2] = {1, 1};
  MPI_Aint places[2] = {0, sizeof(double)};
  MPI_Type_vector(rows, columns, width, MPI_DOUBLE, &vector);
  types[0] = vector;
  MPI_Type_struct(2, lengths, places, types, &made);
  MPI_Type_commit(&made);
  MPI_Type_free(&vector);
  return made;
}

static void multiply(const double* a, const double* b, double* c, int n0, int n1, int n2) {
  for (int i = 0; i < n0; i++) {
    for (int j = 0; j < n2; j++) {
      c[i * n2 + j] = 0;
      for (int k = 0; k < n1; k++) c[i * n2 + j] += a[i * n1 + k] * b[k * n2 + j];
    }
  }
}

static void expect_product(const double* c) {
  int wrong = 0;
  for (int i = 0; i < N0 * N2; i++)
    wrong += c[i] > c_at(i / N2, i % N2) || c[i] < c_at(i / N2, i % N2);
  CHECK_EQUAL(wrong, 0);
}

/* The communicator of those that share all coordinates but those kept. */
static MPI_Comm part_of(MPI_Comm grid, int x, int y, int z) {
  const int keep[3] = {x, y, z};
  MPI_Comm part;
  MPI_Cart_sub(grid, keep, &part);
  return part;
}

/* Scatters the blocks of `whole` over a plane of p x q processes, in row-major order. */
static void scatter_blocks(MPI_Comm plane, int p, int q, const double* whole, int rows, int columns,
                           double* mine) {
  int counts[64], places[64];
  MPI_Datatype type = block(rows / p, columns / q, columns);
  for (int r = 0; r < p * q; r++)
    counts[r] = 1, places[r] = r / q * (rows / p) * columns + r % q * (columns / q);
  MPI_Scatterv(whole, counts, places, type, mine, rows / p * (columns / q), MPI_DOUBLE, 0, plane);
  MPI_Type_free(&type);
}

static void gather_blocks(MPI_Comm plane, int p, int q, const double* mine, double* whole, int rows,
                          int columns) {
  int counts[64], places[64];
  MPI_Datatype type = block(rows / p, columns / q, columns);
  for (int r = 0; r < p * q; r++)
    counts[r] = 1, places[r] = r / q * (rows / p) * columns + r % q * (columns / q);
  MPI_Gatherv(mine, rows / p * (columns / q), MPI_DOUBLE, whole, counts, places, type, 0, plane);
  MPI_Type_free(&type);
}

/* On p x q processes: A by rows, B by columns, each process the block of C where they cross. */
static void two_dimensions(MPI_Comm comm, int p, int q) {
  const int dims[2] = {p, q}, periods[2] = {0, 0}, keep_rows[2] = {1, 0}, keep_columns[2] = {0, 1};
  MPI_Comm own, grid, column, row;
  MPI_Comm_dup(comm, &own);
  MPI_Cart_create(own, 2, dims, periods, 0, &grid);
  MPI_Cart_sub(grid, keep_rows, &column); /* the processes of one column */
  MPI_Cart_sub(grid, keep_columns, &row);
  double *a = matrix(N0, N1, a_at), *b = matrix(N1, N2, b_at), *c = matrix(N0, N2, NULL);
  double *my_a = matrix(N0 / p, N1, NULL), *my_b = matrix(N1, N2 / q, NULL),
         *my_c = matrix(N0 / p, N2 / q, NULL);
  int at[2];
  MPI_Cart_coords(grid, rank_in(grid), 2, at);
  if (at[1] == 0) MPI_Scatter(a, N0 / p * N1, MPI_DOUBLE, my_a, N0 / p * N1, MPI_DOUBLE, 0, column);
  if (at[0] == 0) scatter_blocks(row, 1, q, b, N1, N2, my_b);
  MPI_Bcast(my_a, N0 / p * N1, MPI_DOUBLE, 0, row);
  MPI_Bcast(my_b, N1 * (N2 / q), MPI_DOUBLE, 0, column);
  multiply(my_a, my_b, my_c, N0 / p, N1, N2 / q);
  gather_blocks(grid, p, q, my_c, c, N0, N2);
  if (rank_in(grid) == 0) expect_product(c);
  double* all[6] = {a, b, c, my_a, my_b, my_c};
  for (int i = 0; i < 6; i++) free(all[i]);
  MPI_Comm* comms[4] = {&own, &grid, &column, &row};
  for (int i = 0; i < 4; i++) MPI_Comm_free(comms[i]);
}

/* On p x q x r processes: process (x,y,z) multiplies block (x,y) of A and block (y,z) of B; sums
 * along y give C. */
static void three_dimensions(MPI_Comm comm, int p, int q, int r) {
  const int dims[3] = {p, q, r}, periods[3] = {0, 0, 0}, n0 = N0 / p, n1 = N1 / q, n2 = N2 / r;
  MPI_Comm grid;
  int at[3];
  MPI_Cart_create(comm, 3, dims, periods, 0, &grid);
  MPI_Cart_coords(grid, rank_in(grid), 3, at);
  MPI_Comm parts[6] = {part_of(grid, 1, 1, 0), part_of(grid, 0, 1, 1), part_of(grid, 1, 0, 1),
                       part_of(grid, 0, 0, 1), part_of(grid, 1, 0, 0), part_of(grid, 0, 1, 0)};
  double *a = matrix(N0, N1, a_at), *b = matrix(N1, N2, b_at), *c = matrix(N0, N2, NULL);
  double *my_a = matrix(n0, n1, NULL), *my_b = matrix(n1, n2, NULL),
         *product = matrix(n0, n2, NULL);
  double* my_c = matrix(n0, n2, NULL);
  if (at[2] == 0) scatter_blocks(parts[0], p, q, a, N0, N1, my_a);
  if (at[0] == 0) scatter_blocks(parts[1], q, r, b, N1, N2, my_b);
  MPI_Bcast(my_a, n0 * n1, MPI_DOUBLE, 0, parts[3]);
  MPI_Bcast(my_b, n1 * n2, MPI_DOUBLE, 0, parts[4]);
  multiply(my_a, my_b, product, n0, n1, n2);
  MPI_Reduce(product, my_c, n0 * n2, MPI_DOUBLE, MPI_SUM, 0, parts[5]);
  if (at[1] == 0) gather_blocks(parts[2], p, r, my_c, c, N0, N2);
  if (rank_in(grid) == 0) expect_product(c);
  double* all[7] = {a, b, c, my_a, my_b, product, my_c};
  for (int i = 0; i < 7; i++) free(all[i]);
  for (int i = 0; i < 6; i++) MPI_Comm_free(&parts[i]);
  MPI_Comm_free(&grid);
}

static void grid_1x1(MPI_Comm comm) {
  two_dimensions(comm, 1, 1);
}
static void grid_3x2(MPI_Comm comm) {
  two_dimensions(comm, 3, 2);
}
static void grid_2x2x2(MPI_Comm comm) {
  three_dimensions(comm, 2, 2, 2);
}
static void grid_3x4x2(MPI_Comm comm) {
  three_dimensions(comm, 3, 4, 2);
}

static const Case cases[] = {
    {"ex 6.6", "a product of matrices by one process", 1, grid_1x1},
    {"ex 6.6", "a product of matrices on a 3x2 grid", 6, grid_3x2},
    {"ex 6.7", "a product of matrices on a 2x2x2 grid", 8, grid_2x2x2},
    {"ex 6.7", "a product of matrices on a 3x4x2 grid", 24, grid_3x4x2},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
