/* SPDX-License-Identifier: BSD-3-Clause
   Broadcasts, gathers and scatters of whole blocks, of columns, and of parts of columns of a
   matrix. */
#include <stdlib.h>
#include <string.h>

#include "case.h"

enum { ROWS = 100, COLUMNS = 150, BLANK = -99 };

static int matrix[ROWS][COLUMNS];

/* Element (row, column) of the matrix of `rank`. */
static int element(int rank, int row, int column) {
  return 1000000 * rank + 1000 * row + column;
}

static void fill_matrix(int rank) {
  for (int i = 0; i < ROWS * COLUMNS; i++)
    matrix[i / COLUMNS][i % COLUMNS] = element(rank, i / COLUMNS, i % COLUMNS);
}

static int* blanks(int count) {
  int* data = malloc((size_t)count * sizeof(int));
  for (int i = 0; i < count; i++) data[i] = BLANK;
  return data;
}

/* A hundred ints of rank r are 100 r, 100 r + 1 ... */
static void fill_block(int block[ROWS], int rank) {
  for (int i = 0; i < ROWS; i++) block[i] = ROWS * rank + i;
}

static int wrong_blocks(const int* data, int size, int stride) {
  int wrong = 0;
  for (int i = 0; i < size; i++) {
    for (int k = 0; k < ROWS; k++) wrong += data[i * stride + k] != ROWS * i + k;
    for (int k = ROWS; k < stride && i + 1 < size; k++) wrong += data[i * stride + k] != BLANK;
  }
  return wrong;
}

static void broadcast(MPI_Comm comm) {
  int array[ROWS];
  fill_block(array, rank_in(comm));
  MPI_Bcast(array, ROWS, MPI_INT, 0, comm);
  CHECK_EQUAL(wrong_blocks(array, 1, ROWS), 0);
}

static void gather_everywhere_allocated(MPI_Comm comm) {
  const int size = size_of(comm);
  const int root = size - 1;
  int block[ROWS];
  int* all = blanks(size * ROWS);
  fill_block(block, rank_in(comm));
  MPI_Gather(block, ROWS, MPI_INT, all, ROWS, MPI_INT, root, comm);
  if (rank_in(comm) == root) CHECK_EQUAL(wrong_blocks(all, size, ROWS), 0);
  for (int i = 0; i < size * ROWS && rank_in(comm) != root; i++) CHECK_EQUAL(all[i], BLANK);
  free(all);
}

/* Only the root has a place for the result; elsewhere the pointer points nowhere. */
static void gather_at_root_allocated(MPI_Comm comm) {
  const int size = size_of(comm);
  const int root = size / 2;
  int block[ROWS];
  int* all = rank_in(comm) == root ? blanks(size * ROWS) : (int*)(MPI_Aint)0x11;
  fill_block(block, rank_in(comm));
  MPI_Gather(block, ROWS, MPI_INT, all, ROWS, MPI_INT, root, comm);
  if (rank_in(comm) != root) return;
  CHECK_EQUAL(wrong_blocks(all, size, ROWS), 0);
  free(all);
}

static void gather_as_one_type(MPI_Comm comm) {
  const int size = size_of(comm);
  int block[ROWS];
  int* all = blanks(size * ROWS);
  MPI_Datatype hundred;
  MPI_Type_contiguous(ROWS, MPI_INT, &hundred);
  MPI_Type_commit(&hundred);
  fill_block(block, rank_in(comm));
  MPI_Gather(block, ROWS, MPI_INT, all, 1, hundred, 0, comm);
  if (rank_in(comm) == 0) CHECK_EQUAL(wrong_blocks(all, size, ROWS), 0);
  MPI_Type_free(&hundred);
  free(all);
}

/* Where the block of each rank goes and how long it is: what the root needs for the v-calls. */
typedef struct {
  int* counts;
  int* places;
  int length; /* of the whole buffer */
} Layout;

/* Blocks of `count(rank)` ints, `stride(rank)` ints from one to the next. */
static Layout layout_of(int size, int (*count)(int), int (*stride)(int)) {
  Layout layout = {blanks(size), blanks(size), 0};
  int offset = 0;
  for (int i = 0; i < size; i++) {
    layout.places[i] = offset;
    layout.counts[i] = count(i);
    offset += stride(i);
  }
  layout.length = offset + ROWS;
  return layout;
}

static void free_layout(Layout layout) {
  free(layout.counts);
  free(layout.places);
}

static int hundred(int rank) {
  (void)rank;
  return ROWS;
}

static int less_by_rank(int rank) {
  return ROWS - rank;
}

static int wide_stride(int rank) {
  (void)rank;
  return ROWS + 5;
}

static int varying_stride(int rank) {
  return ROWS + 3 * (rank % 4);
}

static void gather_apart(MPI_Comm comm) {
  const int size = size_of(comm);
  int block[ROWS];
  Layout layout = layout_of(size, hundred, wide_stride);
  int* all = blanks(layout.length);
  fill_block(block, rank_in(comm));
  MPI_Gatherv(block, ROWS, MPI_INT, all, layout.counts, layout.places, MPI_INT, 0, comm);
  if (rank_in(comm) == 0) CHECK_EQUAL(wrong_blocks(all, size, ROWS + 5), 0);
  free_layout(layout);
  free(all);
}

/* The root checks: counts[i] elements from the top of column `column(i)` of rank i at places[i],
 * blanks between. */
static int same_column(int rank) {
  (void)rank;
  return 0;
}
static int own_column(int rank) {
  return rank;
}

static void check_columns(const int* all, const Layout* layout, int size, int (*column)(int)) {
  int wrong = 0;
  int at = 0;
  for (int i = 0; i < size; i++) {
    for (; at < layout->places[i]; at++) wrong += all[at] != BLANK;
    for (int k = 0; k < layout->counts[i]; k++) wrong += all[at++] != element(i, k, column(i));
  }
  for (; at < layout->length; at++) wrong += all[at] != BLANK;
  CHECK_EQUAL(wrong, 0);
}

/* Each rank sends `count` elements of `type` from the top of its column; the root lays them out. */
static void gather_column(MPI_Comm comm, int (*column)(int), int count, MPI_Datatype type,
                          Layout layout) {
  const int me = rank_in(comm);
  const int size = size_of(comm);
  int* all = blanks(layout.length);
  fill_matrix(me);
  MPI_Type_commit(&type);
  MPI_Gatherv(&matrix[0][column(me)], count, type, all, layout.counts, layout.places, MPI_INT, 0,
              comm);
  if (me == 0) check_columns(all, &layout, size, column);
  MPI_Type_free(&type);
  free_layout(layout);
  free(all);
}

static void column_0(MPI_Comm comm) {
  MPI_Datatype type;
  MPI_Type_vector(ROWS, 1, COLUMNS, MPI_INT, &type);
  gather_column(comm, same_column, 1, type, layout_of(size_of(comm), hundred, wide_stride));
}

static void part_of_own_column(MPI_Comm comm) {
  MPI_Datatype type;
  MPI_Type_vector(less_by_rank(rank_in(comm)), 1, COLUMNS, MPI_INT, &type);
  gather_column(comm, own_column, 1, type, layout_of(size_of(comm), less_by_rank, wide_stride));
}

/* One int with the extent of a row. */
static MPI_Datatype int_per_row(void) {
  int lengths[2] = {1, 1};
  MPI_Aint places[2] = {0, COLUMNS * sizeof(int)};
  MPI_Datatype types[2] = {MPI_INT, MPI_UB};
  MPI_Datatype type;
  MPI_Type_struct(2, lengths, places, types, &type);
  return type;
}

static void part_by_count(MPI_Comm comm) {
  gather_column(comm, own_column, less_by_rank(rank_in(comm)), int_per_row(),
                layout_of(size_of(comm), less_by_rank, wide_stride));
}

static void varying_strides(MPI_Comm comm) {
  MPI_Datatype type;
  MPI_Type_vector(less_by_rank(rank_in(comm)), 1, COLUMNS, MPI_INT, &type);
  gather_column(comm, own_column, 1, type, layout_of(size_of(comm), less_by_rank, varying_stride));
}

/* How much each rank has is gathered first, then what it has, end to end. */
static void unknown_counts(MPI_Comm comm) {
  const int me = rank_in(comm);
  const int size = size_of(comm);
  const int number = (7 * me + 3) % (ROWS + 1);
  Layout layout = {blanks(size), blanks(size), 0};
  MPI_Gather(&number, 1, MPI_INT, layout.counts, 1, MPI_INT, 0, comm);
  for (int i = 0; i < size && me == 0; i++) {
    CHECK_EQUAL(layout.counts[i], (7 * i + 3) % (ROWS + 1));
    layout.places[i] = layout.length;
    layout.length += layout.counts[i];
  }
  gather_column(comm, own_column, number, int_per_row(), layout);
}

static void scatter(MPI_Comm comm) {
  const int me = rank_in(comm);
  const int size = size_of(comm);
  int* all = blanks(size * ROWS);
  int block[ROWS];
  for (int i = 0; i < size && me == size - 1; i++) fill_block(all + i * ROWS, i);
  MPI_Scatter(all, ROWS, MPI_INT, block, ROWS, MPI_INT, size - 1, comm);
  for (int k = 0; k < ROWS; k++) CHECK_EQUAL(block[k], ROWS * me + k);
  free(all);
}

static void scatter_apart(MPI_Comm comm) {
  const int me = rank_in(comm);
  const int size = size_of(comm);
  Layout layout = layout_of(size, hundred, wide_stride);
  int* all = blanks(layout.length);
  int block[ROWS];
  for (int i = 0; i < size && me == 0; i++) fill_block(all + layout.places[i], i);
  MPI_Scatterv(all, layout.counts, layout.places, MPI_INT, block, ROWS, MPI_INT, 0, comm);
  for (int k = 0; k < ROWS; k++) CHECK_EQUAL(block[k], ROWS * me + k);
  free_layout(layout);
  free(all);
}

/* Blocks of 100 - i ints, varying strides apart, go to column i of rank i, from the top; all else
 * stays. */
static void scatter_to_column(MPI_Comm comm) {
  const int me = rank_in(comm);
  const int size = size_of(comm);
  const int count = less_by_rank(me);
  Layout layout = layout_of(size, less_by_rank, varying_stride);
  int* all = blanks(layout.length);
  int wrong = 0;
  MPI_Datatype type;
  for (int i = 0; i < size; i++) {
    for (int k = 0; k < layout.counts[i]; k++) all[layout.places[i] + k] = 5000000 + ROWS * i + k;
  }
  fill_matrix(me);
  MPI_Type_vector(count, 1, COLUMNS, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Scatterv(all, layout.counts, layout.places, MPI_INT, &matrix[0][me], 1, type, 0, comm);
  for (int i = 0; i < ROWS * COLUMNS; i++) {
    const int row = i / COLUMNS;
    const int hit = i % COLUMNS == me && row < count;
    wrong += matrix[row][i % COLUMNS] !=
             (hit ? 5000000 + ROWS * me + row : element(me, row, i % COLUMNS));
  }
  CHECK_EQUAL(wrong, 0);
  MPI_Type_free(&type);
  free_layout(layout);
  free(all);
}

static void allgather(MPI_Comm comm) {
  const int size = size_of(comm);
  int block[ROWS];
  int* all = blanks(size * ROWS);
  fill_block(block, rank_in(comm));
  MPI_Allgather(block, ROWS, MPI_INT, all, ROWS, MPI_INT, comm);
  CHECK_EQUAL(wrong_blocks(all, size, ROWS), 0);
  free(all);
}

static const Case cases[] = {
    {"ex 4.1", "a hundred ints from rank 0 to all", ANY, broadcast},
    {"ex 4.2", "a hundred ints from each rank to the last", ANY, gather_everywhere_allocated},
    {"ex 4.3, req 4.3.9", "the same where only the root has room", ANY, gather_at_root_allocated},
    {"ex 4.4", "the same where the root takes each hundred as one", ANY, gather_as_one_type},
    {"ex 4.5, req 4.3.14", "a hundred ints from each, more than a hundred apart", ANY,
     gather_apart},
    {"ex 4.6", "the first column of each rank", ANY, column_0},
    {"ex 4.7", "a shorter part of another column from each rank", ANY, part_of_own_column},
    {"ex 4.8", "the same, of a type with the extent of a row", ANY, part_by_count},
    {"ex 4.9", "the same, with a stride that varies", ANY, varying_strides},
    {"ex 4.10", "counts are gathered first, then the data, end to end", ANY, unknown_counts},
    {"ex 4.11", "a hundred ints from the root to each", ANY, scatter},
    {"ex 4.12", "the same, from places more than a hundred apart", ANY, scatter_apart},
    {"ex 4.13", "a shorter part from varying places to a column of each", ANY, scatter_to_column},
    {"ex 4.14", "a hundred ints from each rank to all", ANY, allgather},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
