/* SPDX-License-Identifier: BSD-3-Clause
   Counts after a probe, completion of nothing, buffers that are read while they are sent, and
   collective operations in place. */
#include <stdlib.h>
#include <string.h>

#include "case.h"

enum { PAIRS = 6 };

/* Ten bytes, of which the middle two are not sent. */
static MPI_Datatype type_with_hole(void) {
  MPI_Datatype pieces, type;
  MPI_Type_create_hindexed(2, (int[]){4, 4}, (MPI_Aint[]){0, 6}, MPI_BYTE, &pieces);
  MPI_Type_create_resized(pieces, 0, 12, &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&pieces);
  return type;
}

/* Receives with the count and the type that the probe's status allows. */
static void receive_probed(MPI_Comm comm, MPI_Datatype type, const MPI_Status* probed) {
  char in[12 * PAIRS];
  int count = -1, bytes = -1, ints = -1, received = -1;
  MPI_Status status;
  MPI_Get_count(probed, MPI_BYTE, &bytes);
  MPI_Get_count(probed, MPI_INT, &ints);
  MPI_Get_count(probed, type, &count);
  CHECK_EQUAL(bytes, 8 * PAIRS);
  CHECK_EQUAL(ints, 2 * PAIRS);
  CHECK_EQUAL(count, PAIRS);
  memset(in, '-', sizeof in);
  MPI_Recv(in, count, type, probed->MPI_SOURCE, probed->MPI_TAG, comm, &status);
  MPI_Get_count(&status, type, &received);
  CHECK_EQUAL(received, PAIRS);
  for (int p = 0; p < PAIRS; p++) CHECK(memcmp(in + 12 * p, "abcd--efgh--", 12) == 0);
}

static void counts_after_a_probe(MPI_Comm comm) {
  MPI_Datatype type = type_with_hole();
  MPI_Status status;
  int flag = 0;
  if (rank_in(comm) == 0) {
    char out[8 * PAIRS + 1];
    for (int p = 0; p < PAIRS; p++) memcpy(out + 8 * p, "abcdefgh", 8);
    MPI_Send(out, 8 * PAIRS, MPI_BYTE, 1, 3, comm);
    MPI_Send(out, 8 * PAIRS, MPI_BYTE, 1, 4, comm);
  } else {
    MPI_Probe(0, 3, comm, &status);
    receive_probed(comm, type, &status);
    while (!flag) MPI_Iprobe(0, 4, comm, &flag, &status);
    receive_probed(comm, type, &status);
  }
  MPI_Type_free(&type);
}

static void lists_of_nothing(MPI_Comm comm) {
  int index = 0, flag = 0, out = 0;
  (void)comm;
  CHECK_EQUAL(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE), MPI_SUCCESS);
  CHECK_EQUAL(MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE), MPI_SUCCESS);
  CHECK_EQUAL(flag, 1);
  flag = 0;
  CHECK_EQUAL(MPI_Waitany(0, NULL, &index, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQUAL(index, MPI_UNDEFINED);
  CHECK_EQUAL(MPI_Testany(0, NULL, &index, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK(flag == 1 && index == MPI_UNDEFINED);
  CHECK_EQUAL(MPI_Waitsome(0, NULL, &out, NULL, MPI_STATUSES_IGNORE), MPI_SUCCESS);
  CHECK_EQUAL(out, MPI_UNDEFINED);
  CHECK_EQUAL(MPI_Testsome(0, NULL, &out, NULL, MPI_STATUSES_IGNORE), MPI_SUCCESS);
  CHECK_EQUAL(out, MPI_UNDEFINED);
}

/* Reads, and sends again, what is being sent. */
static void buffers_that_are_read(MPI_Comm comm) {
  enum { LONG = 300000 };
  int* data = malloc(LONG * sizeof(int));
  long long sum = 0;
  MPI_Request requests[2];
  if (rank_in(comm) == 0) {
    for (int i = 0; i < LONG; i++) data[i] = i;
    MPI_Isend(data, LONG, MPI_INT, 1, 1, comm, &requests[0]);
    MPI_Isend(data, LONG, MPI_INT, 1, 2, comm, &requests[1]);
    for (int i = 0; i < LONG; i++) sum += data[i];
    CHECK_EQUAL(sum, (long long)LONG * (LONG - 1) / 2);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else {
    for (int tag = 2; tag > 0; tag--) {
      sum = 0;
      MPI_Recv(data, LONG, MPI_INT, 0, tag, comm, MPI_STATUS_IGNORE);
      for (int i = 0; i < LONG; i++) sum += data[i];
      CHECK_EQUAL(sum, (long long)LONG * (LONG - 1) / 2);
    }
  }
  free(data);
}

static void gathered_in_place(MPI_Comm comm) {
  const int size = size_of(comm), rank = rank_in(comm);
  int *data = malloc((size_t)(2 * size) * sizeof(int)),
      *spread = malloc((size_t)(3 * size) * sizeof(int)),
      *counts = malloc((size_t)size * sizeof(int)), *displs = malloc((size_t)size * sizeof(int));
  for (int i = 0; i < 2 * size; i++) data[i] = i / 2 == rank ? 10 * rank + i % 2 : -1;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, 2, MPI_INT, comm);
  for (int i = 0; i < 2 * size; i++) CHECK_EQUAL(data[i], 10 * (i / 2) + i % 2);
  for (int r = 0; r < size; r++) counts[r] = r % 3, displs[r] = 3 * (size - 1 - r);
  for (int i = 0; i < 3 * size; i++) spread[i] = -1;
  for (int i = 0; i < counts[rank]; i++) spread[displs[rank] + i] = 10 * rank + i;
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, spread, counts, displs, MPI_INT, comm);
  for (int r = 0; r < size; r++)
    for (int i = 0; i < 3; i++) CHECK_EQUAL(spread[displs[r] + i], i < counts[r] ? 10 * r + i : -1);
  free(data), free(spread), free(counts), free(displs);
}

static void exscan_in_place(MPI_Comm comm) {
  const int rank = rank_in(comm);
  int data[2] = {rank + 1, 2 * rank};
  CHECK_EQUAL(MPI_Exscan(MPI_IN_PLACE, data, 2, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
  CHECK_EQUAL(data[0], rank == 0 ? 1 : rank * (rank + 1) / 2); /* rank 0: as it was */
  CHECK_EQUAL(data[1], rank == 0 ? 0 : rank * (rank - 1));
}

static void equal_blocks_scattered(MPI_Comm comm) {
  const int size = size_of(comm), rank = rank_in(comm);
  int *out = malloc((size_t)(2 * size) * sizeof(int)), in[3] = {-1, -1, -1};
  for (int i = 0; i < 2 * size; i++) out[i] = i + rank;
  CHECK_EQUAL(MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
  for (int i = 0; i < 2; i++) CHECK_EQUAL(in[i], size * (2 * rank + i) + size * (size - 1) / 2);
  CHECK_EQUAL(in[2], -1);
  free(out);
}

static const Case cases[] = {
    {"req errata 2.7, 2.8", "counts of a probe, in every type that fits", 2, counts_after_a_probe},
    {"req errata 2.33", "lists without requests", ANY, lists_of_nothing},
    {"req errata 3.11", "a buffer is read, and sent twice, while it is sent", 2,
     buffers_that_are_read},
    {"req errata 1.12, 1.13", "gathering in place", ANY, gathered_in_place},
    {"req errata 2.34", "an exclusive scan in place", ANY, exscan_in_place},
    {"req errata 3.5", "equal blocks of a sum", ANY, equal_blocks_scattered},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
