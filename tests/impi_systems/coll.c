/* SPDX-License-Identifier: BSD-3-Clause */
/* All collectives of the protocol against what they must give, at sizes around the thresholds.
 * req impi 20.1, req impi 20.2, req impi 20.3, req impi 20.4, req impi 23.2 */
#include "check.h"

static MPI_Comm comm = MPI_COMM_WORLD;

static int value_of(int rank, int i) {
  return rank * 7919 + i * 13 + 1;
}

static int* filled(int rank, int n) {
  int* data = malloc(sizeof(int) * (size_t)(n + 1));
  for (int i = 0; i < n; ++i) data[i] = value_of(rank, i);
  return data;
}

static int* blank(int n) {
  return calloc((size_t)n + 1, sizeof(int));
}

static void bcast(int n, int root) {
  int* data = me == root ? filled(root, n) : blank(n);
  MPI_Bcast(data, n, MPI_INT, root, comm);
  for (int i = 0; i < n; ++i) CHECK(data[i] == value_of(root, i));
  free(data);
}

static void gather_scatter(int n, int root) {
  int* mine = filled(me, n);
  int* all = blank(n * size);
  MPI_Gather(mine, n, MPI_INT, all, n, MPI_INT, root, comm);
  for (int r = 0; r < size && me == root; ++r)
    for (int i = 0; i < n; ++i) CHECK(all[r * n + i] == value_of(r, i));
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < n; ++i) all[r * n + i] = value_of(r + 5, i);
  MPI_Scatter(all, n, MPI_INT, mine, n, MPI_INT, root, comm);
  for (int i = 0; i < n; ++i) CHECK(mine[i] == value_of(me + 5, i));
  for (int i = 0; i < n; ++i) all[me * n + i] = value_of(me, i);
  if (me == root)
    MPI_Gather(MPI_IN_PLACE, n, MPI_INT, all, n, MPI_INT, root, comm);
  else
    MPI_Gather(all + me * n, n, MPI_INT, NULL, 0, MPI_INT, root, comm);
  for (int r = 0; r < size && me == root; ++r)
    for (int i = 0; i < n; ++i) CHECK(all[r * n + i] == value_of(r, i));
  free(mine);
  free(all);
}

/* Rank r has n + r elements, with a gap of one behind each block: req impi 20.5, req impi 20.6. */
static void vectors(int n, int root) {
  int counts[64], places[64], total = 0;
  for (int r = 0; r < size; ++r) {
    counts[r] = n + r;
    places[r] = total;
    total += counts[r] + 1;
  }
  int* mine = filled(me, counts[me]);
  int* all = blank(total);
  MPI_Gatherv(mine, counts[me], MPI_INT, all, counts, places, MPI_INT, root, comm);
  for (int r = 0; r < size && me == root; ++r) {
    for (int i = 0; i < counts[r]; ++i) CHECK(all[places[r] + i] == value_of(r, i));
    CHECK(all[places[r] + counts[r]] == 0);
  }
  memset(mine, 0, sizeof(int) * (size_t)counts[me]);
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < counts[r]; ++i) all[places[r] + i] = value_of(r + 3, i);
  MPI_Scatterv(all, counts, places, MPI_INT, mine, counts[me], MPI_INT, root, comm);
  for (int i = 0; i < counts[me]; ++i) CHECK(mine[i] == value_of(me + 3, i));
  memset(all, 0, sizeof(int) * (size_t)total);
  MPI_Allgatherv(mine, counts[me], MPI_INT, all, counts, places, MPI_INT, comm);
  for (int r = 0; r < size; ++r) {
    for (int i = 0; i < counts[r]; ++i) CHECK(all[places[r] + i] == value_of(r + 3, i));
    CHECK(all[places[r] + counts[r]] == 0);
  }
  free(mine);
  free(all);
}

static void all(int n) {
  int* mine = filled(me, n);
  int* every = blank(n * size);
  int* other = blank(n * size);
  MPI_Allgather(mine, n, MPI_INT, every, n, MPI_INT, comm);
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < n; ++i) CHECK(every[r * n + i] == value_of(r, i));
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < n; ++i) every[r * n + i] = value_of(me * 100 + r, i);
  MPI_Alltoall(every, n, MPI_INT, other, n, MPI_INT, comm);
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < n; ++i) CHECK(other[r * n + i] == value_of(r * 100 + me, i));
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, every, n, MPI_INT, comm);
  CHECK(memcmp(every, other, sizeof(int) * (size_t)(n * size)) == 0);
  int counts[64], places[64];
  for (int r = 0; r < size; ++r) {
    counts[r] = n;
    places[r] = r * n;
  }
  memset(other, 0, sizeof(int) * (size_t)(n * size));
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < n; ++i) every[r * n + i] = value_of(me * 100 + r, i);
  MPI_Alltoallv(every, counts, places, MPI_INT, other, counts, places, MPI_INT, comm);
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < n; ++i) CHECK(other[r * n + i] == value_of(r * 100 + me, i));
  free(mine);
  free(every);
  free(other);
}

/* Composition of x -> a * x + b: associative, not commutative: req impi 20.7. */
static void affine(void* in, void* inout, int* len, MPI_Datatype* type) {
  const int* a = in;
  int* b = inout;
  (void)type;
  for (int i = 0; i + 1 < *len * 2; i += 2) { /* (a0, a1) after (b0, b1): x -> a0 * x + a1 */
    b[i + 1] = (a[i] * b[i + 1] + a[i + 1]) % 9973;
    b[i] = a[i] * b[i] % 9973;
  }
}

static void reductions(int n, int root) {
  int* mine = filled(me, n);
  int* out = blank(n);
  MPI_Reduce(mine, out, n, MPI_INT, MPI_SUM, root, comm);
  for (int i = 0; i < n && me == root; ++i) {
    int sum = 0;
    for (int r = 0; r < size; ++r) sum += value_of(r, i);
    CHECK(out[i] == sum);
  }
  MPI_Allreduce(mine, out, n, MPI_INT, MPI_MAX, comm);
  for (int i = 0; i < n; ++i) CHECK(out[i] == value_of(size - 1, i));
  memcpy(out, mine, sizeof(int) * (size_t)n);
  MPI_Allreduce(MPI_IN_PLACE, out, n, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < n; ++i) {
    int sum = 0;
    for (int r = 0; r < size; ++r) sum += value_of(r, i);
    CHECK(out[i] == sum);
  }
  MPI_Scan(mine, out, n, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < n; ++i) {
    int sum = 0;
    for (int r = 0; r <= me; ++r) sum += value_of(r, i);
    CHECK(out[i] == sum);
  }
  free(mine);
  free(out);
  int counts[64], total = 0, before = 0;
  for (int r = 0; r < size; ++r) {
    counts[r] = n + r;
    if (r < me) before += counts[r];
    total += counts[r];
  }
  mine = filled(me, total);
  out = blank(counts[me]);
  MPI_Reduce_scatter(mine, out, counts, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < counts[me]; ++i) {
    int sum = 0;
    for (int r = 0; r < size; ++r) sum += value_of(r, before + i);
    CHECK(out[i] == sum);
  }
  free(mine);
  free(out);
}

static void in_order(int root) {
  MPI_Op op;
  MPI_Datatype pair;
  int mine[4], out[4] = {0};
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Op_create(affine, 0, &op);
  for (int k = 0; k < 2; ++k) {
    mine[2 * k] = me + 2 + k;
    mine[2 * k + 1] = 3 * me + 1;
  }
  MPI_Reduce(mine, out, 2, pair, op, root, comm);
  if (me == root) {
    int expected[4], two = 2;
    for (int r = size - 1; r >= 0; --r) {
      int a[4];
      for (int k = 0; k < 2; ++k) {
        a[2 * k] = r + 2 + k;
        a[2 * k + 1] = 3 * r + 1;
      }
      if (r == size - 1)
        memcpy(expected, a, sizeof a);
      else
        affine(a, expected, &two, &pair);
    }
    CHECK(memcmp(out, expected, sizeof out) == 0);
  }
  MPI_Op_free(&op);
  MPI_Type_free(&pair);
}

int main(int argc, char** argv) {
  static const int counts[] = {0, 1, 255, 256, 257, 1000, 20000};
  begin(&argc, &argv);
  for (unsigned k = 0; k < sizeof counts / sizeof counts[0]; ++k) {
    MPI_Barrier(comm);
    for (int root = 0; root < size; ++root) {
      bcast(counts[k], root);
      gather_scatter(counts[k], root);
      vectors(counts[k], root);
      reductions(counts[k], root);
    }
    all(counts[k]);
  }
  for (int root = 0; root < size; ++root) in_order(root);
  end("coll");
  return 0;
}
