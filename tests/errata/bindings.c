/* SPDX-License-Identifier: BSD-3-Clause
   The main program of bindings.f90: a type and an attribute that cross the languages. */
#include <mpi.h>
#include <stdio.h>

int errata_type_of_r(void);
void errata_attribute(int key, MPI_Aint address);
void errata_names(void);
void errata_keywords(void);
void errata_report(void);

static int failures = 0;
static void expect(int holds, const char* what) {
  if (holds) return;
  failures++;
  printf("does not hold: %s\n", what);
}

static void places_of_fortran(void) {
  float got[5] = {0}, sent[5] = {6, 7, 8, 9, 10};
  const MPI_Datatype type = MPI_Type_fromint(errata_type_of_r());
  MPI_Sendrecv(MPI_BOTTOM, 1, type, 0, 1, got, 5, MPI_FLOAT, 0, 1, MPI_COMM_SELF,
               MPI_STATUS_IGNORE);
  expect(got[0] == 1 && got[4] == 5, "C sends what Fortran's type describes");
  MPI_Sendrecv(sent, 5, MPI_FLOAT, 0, 1, MPI_BOTTOM, 1, type, 0, 1, MPI_COMM_SELF,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(MPI_BOTTOM, 1, type, 0, 1, got, 5, MPI_FLOAT, 0, 1, MPI_COMM_SELF,
               MPI_STATUS_IGNORE);
  expect(got[0] == 6 && got[4] == 10, "C receives to where Fortran's type says");
  MPI_Datatype mine = type;
  MPI_Type_free(&mine);
}

static void attribute_of_c(void) {
  int key = MPI_KEYVAL_INVALID, value = 5;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, &value);
  MPI_Aint address;
  MPI_Get_address(&value, &address);
  errata_attribute(key, address);
  MPI_Comm_delete_attr(MPI_COMM_SELF, key);
  MPI_Comm_free_keyval(&key);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  places_of_fortran();
  attribute_of_c();
  errata_names();
  errata_keywords();
  MPI_Finalize();
  errata_report();
  return failures != 0;
}
