/* SPDX-License-Identifier: BSD-3-Clause
   A checkpoint of a 3-D field: any number of ranks writes it, any other number reads it.

     mpiexec -n 4 checkpoint write field.bin 96 64 48
     mpiexec -n 3 checkpoint read field.bin 96 64 48 slice.pgm

   Each rank has a block of the field, in an array with ghost cells around it. A subarray type says
   where the block lies in the file, another one where it lies in memory: the file holds the field
   row by row, as one process would have written it. Reading checks each value, and rank 0 draws
   the slice in the middle as a picture. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GHOST = 1 };

typedef struct {
  int field[3]; /* cells of the whole field */
  int block[3]; /* and of this rank's block */
  int start[3];
  MPI_Comm grid;
  MPI_Datatype in_file, in_memory;
} Layout;

static void stop_on(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_string(code, text, &length);
  fprintf(stderr, "%s: %s\n", what, text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static Layout make_layout(const int field[3]) {
  Layout l;
  int size, rank, dims[3] = {0, 0, 0}, periods[3] = {0, 0, 0}, place[3], outer[3], ghost[3];
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 3, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 1, &l.grid);
  MPI_Comm_rank(l.grid, &rank);
  MPI_Cart_coords(l.grid, rank, 3, place);
  for (int d = 0; d < 3; ++d) {
    l.field[d] = field[d];
    l.start[d] = (int)((long)field[d] * place[d] / dims[d]);
    l.block[d] = (int)((long)field[d] * (place[d] + 1) / dims[d]) - l.start[d];
    outer[d] = l.block[d] + 2 * GHOST;
    ghost[d] = GHOST;
    if (l.block[d] == 0) stop_on(MPI_ERR_DIMS, "the field is too small for so many ranks");
  }
  MPI_Type_create_subarray(3, l.field, l.block, l.start, MPI_ORDER_C, MPI_DOUBLE, &l.in_file);
  MPI_Type_create_subarray(3, outer, l.block, ghost, MPI_ORDER_C, MPI_DOUBLE, &l.in_memory);
  MPI_Type_commit(&l.in_file);
  MPI_Type_commit(&l.in_memory);
  return l;
}

static double* cell(const Layout* l, double* data, int i, int j, int k) {
  const long row = l->block[2] + 2 * GHOST, plane = row * (l->block[1] + 2 * GHOST);
  return data + (i + GHOST) * plane + (j + GHOST) * row + k + GHOST;
}

/* Two hills on a slope: a value for every cell, the same whoever computes it. */
static double value_at(const Layout* l, int i, int j, int k) {
  const double x = (double)i / l->field[0], y = (double)j / l->field[1],
               z = (double)k / l->field[2];
  const double a = (x - 0.3) * (x - 0.3) + (y - 0.4) * (y - 0.4) + (z - 0.5) * (z - 0.5);
  const double b = (x - 0.7) * (x - 0.7) + (y - 0.6) * (y - 0.6) + (z - 0.5) * (z - 0.5);
  return x / 4 + 1 / (1 + 40 * a) + 1 / (1 + 90 * b);
}

static void fill(const Layout* l, double* data) {
  for (int i = 0; i < l->block[0]; ++i)
    for (int j = 0; j < l->block[1]; ++j)
      for (int k = 0; k < l->block[2]; ++k)
        *cell(l, data, i, j, k) = value_at(l, i + l->start[0], j + l->start[1], k + l->start[2]);
}

static long differences(const Layout* l, double* data) {
  long wrong = 0, all = 0;
  for (int i = 0; i < l->block[0]; ++i)
    for (int j = 0; j < l->block[1]; ++j)
      for (int k = 0; k < l->block[2]; ++k)
        wrong += *cell(l, data, i, j, k) !=
                 value_at(l, i + l->start[0], j + l->start[1], k + l->start[2]);
  MPI_Allreduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, l->grid);
  return all;
}

static MPI_File open_field(const Layout* l, const char* name, int amode) {
  MPI_File file;
  stop_on(MPI_File_open(l->grid, name, amode, MPI_INFO_NULL, &file), "open");
  stop_on(MPI_File_set_view(file, 0, MPI_DOUBLE, l->in_file, "native", MPI_INFO_NULL), "view");
  return file;
}

/* The plane in the middle of the first dimension, as a picture of grey values. */
static void draw(const Layout* l, const char* file_name, const char* picture) {
  MPI_File file;
  const int rows = l->field[1], columns = l->field[2];
  double* plane = malloc(sizeof(double) * (size_t)rows * (size_t)columns);
  const MPI_Offset offset = (MPI_Offset)sizeof(double) * rows * columns * (l->field[0] / 2);
  stop_on(MPI_File_open(MPI_COMM_SELF, file_name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file), "open");
  stop_on(MPI_File_read_at(file, offset, plane, rows * columns, MPI_DOUBLE, MPI_STATUS_IGNORE),
          "read");
  MPI_File_close(&file);
  FILE* out = fopen(picture, "wb");
  if (out == NULL) {
    perror(picture);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  fprintf(out, "P5\n%d %d\n255\n", columns, rows);
  for (int i = 0; i < rows * columns; ++i) {
    const double grey = plane[i] * 120;
    fputc(grey < 0 ? 0 : grey > 255 ? 255 : (int)grey, out);
  }
  fclose(out);
  free(plane);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 6 || (strcmp(argv[1], "write") != 0 && strcmp(argv[1], "read") != 0)) {
    fprintf(stderr, "usage: checkpoint write|read FILE CELLS CELLS CELLS [PICTURE.pgm]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int cells[3] = {atoi(argv[3]), atoi(argv[4]), atoi(argv[5])};
  const int writes = strcmp(argv[1], "write") == 0;
  Layout l = make_layout(cells);
  const size_t bytes = sizeof(double) * (size_t)(l.block[0] + 2 * GHOST) *
                       (size_t)(l.block[1] + 2 * GHOST) * (size_t)(l.block[2] + 2 * GHOST);
  double* data = calloc(1, bytes);
  int rank, size;
  long wrong = 0;
  MPI_Comm_rank(l.grid, &rank);
  MPI_Comm_size(l.grid, &size);
  MPI_File file =
      open_field(&l, argv[2], writes ? MPI_MODE_CREATE | MPI_MODE_WRONLY : MPI_MODE_RDONLY);
  if (writes) {
    fill(&l, data);
    stop_on(MPI_File_write_all(file, data, 1, l.in_memory, MPI_STATUS_IGNORE), "write");
    stop_on(MPI_File_sync(file), "sync");
  } else {
    stop_on(MPI_File_read_all(file, data, 1, l.in_memory, MPI_STATUS_IGNORE), "read");
    wrong = differences(&l, data);
  }
  MPI_File_close(&file);
  if (rank == 0) {
    printf("%d ranks %s %d x %d x %d cells%s\n", size, writes ? "wrote" : "read", cells[0],
           cells[1], cells[2],
           writes       ? ""
           : wrong == 0 ? ", all as they were written"
                        : ": WRONG");
    if (argc > 6) draw(&l, argv[2], argv[6]);
  }
  MPI_Type_free(&l.in_file);
  MPI_Type_free(&l.in_memory);
  MPI_Comm_free(&l.grid);
  free(data);
  MPI_Finalize();
  return wrong != 0;
}
