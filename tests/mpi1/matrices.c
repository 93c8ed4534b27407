/* SPDX-License-Identifier: BSD-3-Clause
   Sections of matrices as datatypes: a triangle, every other element, a transpose, a field of
   structures. */
#include "type_map.h"

enum { N = 100, PARTICLES = 1000 };

/* The upper triangle, with its diagonal, of a matrix stored by rows. */
static MPI_Datatype upper_triangle(void) {
  int lengths[N];
  int places[N];
  MPI_Datatype upper;
  for (int i = 0; i < N; i++) {
    places[i] = N * i + i;
    lengths[i] = N - i;
  }
  MPI_Type_indexed(N, lengths, places, MPI_DOUBLE, &upper);
  return committed(upper);
}

static void triangle_to_triangle(MPI_Comm comm) {
  static double a[N][N];
  const int me = rank_in(comm);
  int wrong = 0;
  MPI_Datatype upper = upper_triangle();
  for (int k = 0; k < N * N; k++) a[k / N][k % N] = me == 0 ? k : -1;
  CHECK_EQUAL(bytes_of(upper), 5050 * (int)sizeof(double));
  if (me == 0) MPI_Send(a, 1, upper, 1, 4, comm);
  if (me == 1) {
    MPI_Status status;
    int elements = -1;
    MPI_Recv(a, 1, upper, 0, 4, comm, &status);
    MPI_Get_elements(&status, upper, &elements);
    CHECK_EQUAL(elements, 5050);
    for (int k = 0; k < N * N; k++) wrong += a[k / N][k % N] != (k % N >= k / N ? k : -1);
  }
  CHECK_EQUAL(wrong, 0);
  MPI_Type_free(&upper);
}

/* The same message received row after row without gaps. */
static void triangle_to_list(MPI_Comm comm) {
  static double a[N][N], list[5050];
  const int me = rank_in(comm);
  int wrong = 0;
  MPI_Datatype upper = upper_triangle();
  for (int k = 0; k < N * N; k++) a[k / N][k % N] = k;
  if (me == 0) MPI_Send(a, 1, upper, 1, 4, comm);
  if (me == 1) {
    int at = 0;
    MPI_Recv(list, 5050, MPI_DOUBLE, 0, 4, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; i++) {
      for (int j = i; j < N; j++) wrong += list[at++] != a[i][j];
    }
  }
  CHECK_EQUAL(wrong, 0);
  MPI_Type_free(&upper);
}

/* Every other row and column of a 6 by 5 matrix that is stored by columns. */
static void section(MPI_Comm comm) {
  float a[5][6]; /* [column][row] */
  float e[3][3];
  const int me = rank_in(comm);
  MPI_Datatype one_slice, two_slice;
  for (int i = 0; i < 30; i++) a[i / 6][i % 6] = (float)i;
  MPI_Type_vector(3, 1, 2, MPI_FLOAT, &one_slice);
  MPI_Type_hvector(3, 1, 12 * (int)sizeof(float), one_slice, &two_slice);
  MPI_Type_commit(&two_slice);
  CHECK_EQUAL(extent_of(one_slice), 5 * (int)sizeof(float));
  CHECK_EQUAL(extent_of(two_slice), 29 * (int)sizeof(float));
  MPI_Sendrecv(&a[0][0], 1, two_slice, me, 0, e, 9, MPI_FLOAT, me, 0, comm, MPI_STATUS_IGNORE);
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++) CHECK(e[j][i] == a[2 * j][2 * i]);
  }
  MPI_Type_free(&one_slice);
  MPI_Type_free(&two_slice);
}

/* Sent along the other dimension than it is received in. */
static void transpose(MPI_Comm comm) {
  static float a[N][N], b[N][N];
  const int me = rank_in(comm);
  int wrong = 0;
  MPI_Datatype row, transposed;
  for (int k = 0; k < N * N; k++) a[k / N][k % N] = (float)k;
  MPI_Type_vector(N, 1, N, MPI_FLOAT, &row);
  MPI_Type_hvector(N, 1, (int)sizeof(float), row, &transposed);
  MPI_Type_commit(&transposed);
  MPI_Sendrecv(a, 1, transposed, me, 0, b, N * N, MPI_FLOAT, me, 0, comm, MPI_STATUS_IGNORE);
  for (int k = 0; k < N * N; k++) wrong += b[k / N][k % N] != a[k % N][k / N];
  CHECK_EQUAL(wrong, 0);
  memset(b, 0, sizeof b);
  MPI_Sendrecv(a, N * N, MPI_FLOAT, me, 0, b, 1, transposed, me, 0, comm, MPI_STATUS_IGNORE);
  for (int k = 0; k < N * N; k++) wrong += b[k / N][k % N] != a[k % N][k / N];
  CHECK_EQUAL(wrong, 0);
  MPI_Type_free(&row);
  MPI_Type_free(&transposed);
}

struct Partstruct {
  char class;
  double d[6];
  char b[7];
};

/* The first three of six coordinates of a thousand structures. */
static void locations(MPI_Comm comm) {
  static struct Partstruct particle[PARTICLES];
  static double place[3 * PARTICLES];
  int wrong = 0;
  MPI_Datatype location;
  for (int i = 0; i < 6 * PARTICLES; i++) particle[i / 6].d[i % 6] = i + 0.25;
  MPI_Type_hvector(PARTICLES, 3, sizeof(struct Partstruct), MPI_DOUBLE, &location);
  MPI_Type_commit(&location);
  if (rank_in(comm) == 0) MPI_Send(particle[0].d, 1, location, 1, 9, comm);
  if (rank_in(comm) == 1) {
    MPI_Recv(place, 3 * PARTICLES, MPI_DOUBLE, 0, 9, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3 * PARTICLES; i++) wrong += place[i] != particle[i / 3].d[i % 3];
  }
  CHECK_EQUAL(wrong, 0);
  MPI_Type_free(&location);
}

static const Case cases[] = {
    {"ex 3.1", "an upper triangle arrives in an upper triangle, and the rest stays", 2,
     triangle_to_triangle},
    {"ex 3.1, req 3.3.18", "an upper triangle arrives as a list of its rows", 2, triangle_to_list},
    {"ex 3.8, req 3.3.6", "every other row and column of a matrix", 1, section},
    {"ex 3.9", "a matrix is transposed by one message", 1, transpose},
    {"ex 3.10", "one field of an array of structures", 2, locations},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
