/* SPDX-License-Identifier: BSD-3-Clause
   Types of nothing, arguments that are negative, sizes beyond an int, the types of newer C. */
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "case.h"

static void is_empty(MPI_Datatype type) {
  MPI_Aint lb = -1, extent = -1, true_lb = -1, true_extent = -1;
  int size = -1;
  MPI_Type_commit(&type);
  MPI_Type_size(type, &size);
  MPI_Type_get_extent(type, &lb, &extent);
  MPI_Type_get_true_extent(type, &true_lb, &true_extent);
  CHECK(size == 0 && lb == 0 && extent == 0 && true_lb == 0 && true_extent == 0);
  MPI_Type_free(&type);
}

/* Every constructor with a count: once of no blocks, once of blocks without elements. */
static void counts_of_zero(MPI_Comm comm) {
  const int zeros[2] = {0, 0}, places[2] = {3, 9};
  const MPI_Aint bytes[2] = {3, 9};
  const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype t;
  (void)comm;
  MPI_Type_contiguous(0, MPI_INT, &t), is_empty(t);
  for (int count = 0; count <= 2; count += 2) {
    MPI_Type_vector(count, 0, 3, MPI_INT, &t), is_empty(t);
    MPI_Type_create_hvector(count, 0, 3, MPI_INT, &t), is_empty(t);
    MPI_Type_indexed(count, zeros, places, MPI_INT, &t), is_empty(t);
    MPI_Type_create_hindexed(count, zeros, bytes, MPI_INT, &t), is_empty(t);
    MPI_Type_create_indexed_block(count, 0, places, MPI_INT, &t), is_empty(t);
    MPI_Type_create_hindexed_block(count, 0, bytes, MPI_INT, &t), is_empty(t);
    MPI_Type_create_struct(count, zeros, bytes, types, &t), is_empty(t);
  }
  MPI_Type_vector(0, 4, 3, MPI_INT, &t), is_empty(t);
  MPI_Type_create_hindexed_block(0, 4, bytes, MPI_INT, &t), is_empty(t);
}

/* A block of no elements beside others changes neither size nor bounds, wherever it lies. */
static void empty_blocks(MPI_Comm comm) {
  const int lengths[3] = {0, 2, 0}, places[3] = {-9, 1, 9};
  const MPI_Aint bytes[3] = {-90, 4, 90};
  const MPI_Datatype types[3] = {MPI_DOUBLE, MPI_INT, MPI_DOUBLE};
  MPI_Datatype made[3];
  (void)comm;
  MPI_Type_indexed(3, lengths, places, MPI_INT, &made[0]);
  MPI_Type_create_hindexed(3, lengths, bytes, MPI_INT, &made[1]);
  MPI_Type_create_struct(3, lengths, bytes, types, &made[2]);
  for (int i = 0; i < 3; i++) {
    MPI_Aint lb = -1, extent = -1;
    int size = -1;
    MPI_Type_size(made[i], &size);
    MPI_Type_get_extent(made[i], &lb, &extent);
    CHECK(size == 8 && lb == 4 && extent == 8);
    MPI_Type_free(&made[i]);
  }
}

static void negative_counts(MPI_Comm comm) {
  int lengths[2] = {1, -1};
  MPI_Aint bytes[2] = {0, 8};
  MPI_Datatype types[2] = {MPI_INT, MPI_INT}, t = MPI_DATATYPE_NULL;
  (void)comm;
  returning(MPI_COMM_SELF);
  CHECK_CLASS(MPI_Type_create_hindexed(-1, lengths, bytes, MPI_INT, &t), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_Type_create_struct(-1, lengths, bytes, types, &t), MPI_ERR_COUNT);
  CHECK(MPI_Type_create_struct(2, lengths, bytes, types, &t) != MPI_SUCCESS);
  CHECK(MPI_Type_create_hindexed(2, lengths, bytes, MPI_INT, &t) != MPI_SUCCESS);
  CHECK_CLASS(MPI_Type_hindexed(-1, lengths, bytes, MPI_INT, &t), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_Type_struct(-1, lengths, bytes, types, &t), MPI_ERR_COUNT);
  CHECK(MPI_Type_struct(2, lengths, bytes, types, &t) != MPI_SUCCESS);
  CHECK(t == MPI_DATATYPE_NULL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

static void sizes_beyond_an_int(MPI_Comm comm) {
  MPI_Datatype inner, type;
  MPI_Count wide = -1;
  int size = -1, count = -1;
  (void)comm;
  MPI_Type_contiguous(INT_MAX, MPI_INT, &inner);
  MPI_Type_contiguous(3, inner, &type);
  MPI_Type_size(type, &size);
  CHECK_EQUAL(size, MPI_UNDEFINED);
  MPI_Type_size_c(type, &wide);
  CHECK_EQUAL(wide, 12LL * INT_MAX);
  wide = -1;
  MPI_Type_size_x(type, &wide);
  CHECK_EQUAL(wide, 12LL * INT_MAX);
  MPI_Status status;
  MPI_Sendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, NULL, 0, MPI_INT, MPI_PROC_NULL, 0,
               MPI_COMM_SELF, &status);
  MPI_Status_set_elements_c(&status, MPI_BYTE, (MPI_Count)INT_MAX + 1);
  MPI_Get_count(&status, MPI_BYTE, &count);
  CHECK_EQUAL(count, MPI_UNDEFINED);
  MPI_Get_count_c(&status, MPI_BYTE, &wide);
  CHECK_EQUAL(wide, (MPI_Count)INT_MAX + 1);
  MPI_Type_free(&type);
  MPI_Type_free(&inner);
}

static void types_of_newer_c(MPI_Comm comm) {
  const struct {
    MPI_Datatype type;
    size_t size;
  } all[] = {{MPI_INT8_T, 1},   {MPI_INT16_T, 2},  {MPI_INT32_T, 4},
             {MPI_INT64_T, 8},  {MPI_UINT8_T, 1},  {MPI_UINT16_T, 2},
             {MPI_UINT32_T, 4}, {MPI_UINT64_T, 8}, {MPI_C_BOOL, sizeof(bool)}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    int size = -1;
    MPI_Type_size(all[i].type, &size);
    CHECK_EQUAL(size, all[i].size);
  }
  uint16_t high = 0xFFFF, largest = 0;
  bool mine = rank_in(comm) == 0, every = true, any = false;
  MPI_Allreduce(&high, &largest, 1, MPI_UINT16_T, MPI_MAX, comm);
  CHECK_EQUAL(largest, 0xFFFF);
  MPI_Allreduce(&mine, &any, 1, MPI_C_BOOL, MPI_LOR, comm);
  MPI_Allreduce(&mine, &every, 1, MPI_C_BOOL, MPI_LAND, comm);
  CHECK(any && every == (size_of(comm) == 1));
}

static const Case cases[] = {
    {"req errata 2.55", "constructors of nothing", 1, counts_of_zero},
    {"req errata 2.55", "blocks of nothing", 1, empty_blocks},
    {"req errata 2.56, 2.57, 2.58, 2.59", "negative counts and lengths", 1, negative_counts},
    {"req errata 3.8, 3.9", "what does not fit an int says so", 1, sizes_beyond_an_int},
    {"req errata 3.1", "integers of a size, truth values", ANY, types_of_newer_c},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
