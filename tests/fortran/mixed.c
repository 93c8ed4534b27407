/* SPDX-License-Identifier: BSD-3-Clause
   One program in C, C++ and all three forms of Fortran: handles, attributes, datatypes, operations,
   statuses and messages pass between them.
   req 1.2.28  req fortran 1.1, 2.20, 2.22, 2.23, 6.92, 9.109, 9.114, 10.126 */
#include <mpi.h>
#include <mpi_fortran.h>
#include <stdio.h>

void share_mpif_(int* comm, int* key, int* type, int* op, int* failures);
void share_mpi_(int* comm, int* key, int* type, int* op, int* failures);
void share_f08_(int* comm, int* key, int* type, int* op, int* failures);
void share_cxx(int* comm, int* key, int* type, int* op, int* failures);
int from_cxx_to_fortran(void);
void make_f08_(int* key, int* type, int* op, int* handler);
void send_f08_(int* comm, int* to);
void receive_f08_(int* comm, int* from, int* status, int* failures);
void mpi_recv_(void* buf, const int* count, const int* type, const int* source, const int* tag,
               const int* comm, int* status, int* ierror);

static int failures;

static void expect(int holds, const char* what) {
  if (!holds) printf("does not hold: %s\n", what), ++failures;
}

static void maximum(void* in, void* inout, int* count, MPI_Datatype* type) {
  expect(*type == MPI_INTEGER, "the datatype of a call from Fortran");
  for (int i = 0; i < *count; ++i) {
    const int left = ((int*)in)[i];
    if (left > ((int*)inout)[i]) ((int*)inout)[i] = left;
  }
}

static void from_c_to_fortran(void) {
  static int value = 99;
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(comm, key, &value);
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(maximum, 1, &op);
  int numbers[] = {MPI_Comm_toint(comm), MPI_Type_toint(type), MPI_Op_toint(op)};
  expect(MPI_Comm_fromint(numbers[0]) == comm, "a number leads back to its handle");
  share_mpif_(&numbers[0], &key, &numbers[1], &numbers[2], &failures);
  share_mpi_(&numbers[0], &key, &numbers[1], &numbers[2], &failures);
  share_f08_(&numbers[0], &key, &numbers[1], &numbers[2], &failures);
  share_cxx(&numbers[0], &key, &numbers[1], &numbers[2], &failures);
  int* set = NULL;
  int flag = 0;
  MPI_Comm_get_attr(comm, key, &set, &flag);
  expect(flag != 0 && *set == -5, "C reads a pointer to the integer that Fortran set");
  MPI_Comm_free_keyval(&key);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  MPI_Comm_free(&comm);
}

static void from_fortran_to_c(void) {
  int key = 0, type_number = 0, op_number = 0, handler_number = 0, size = 0, sum[2], flag = 0;
  make_f08_(&key, &type_number, &op_number, &handler_number);
  const MPI_Datatype type = MPI_Type_fromint(type_number);
  MPI_Op op = MPI_Op_fromint(op_number);
  MPI_Errhandler handler = MPI_Errhandler_fromint(handler_number);
  MPI_Type_size(type, &size);
  expect(size == 12, "a datatype of Fortran");
  const int mine[2] = {3, 4};
  MPI_Reduce_local(mine, (sum[0] = 10, sum[1] = 20, sum), 2, MPI_INT, op);
  expect(sum[0] == 13 && sum[1] == 24, "C reduces with an operation of Fortran");
  MPI_Comm comm = MPI_COMM_NULL, copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_set_attr(comm, key, (void*)(MPI_Aint)40);
  MPI_Comm_dup(comm, &copy);
  MPI_Aint* copied = NULL;
  MPI_Comm_get_attr(copy, key, &copied, &flag);
  expect(flag != 0 && *copied == 41, "the copy function of Fortran runs for a communicator of C");
  MPI_Comm_set_errhandler(comm, handler);
  expect(MPI_Send(NULL, 0, MPI_INT, 77, 0, comm) != MPI_SUCCESS,
         "an error handler of Fortran in C");
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);
  MPI_Errhandler_free(&handler);
  MPI_Op_free(&op);
}

static void messages(void) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int world = MPI_Comm_toint(MPI_COMM_WORLD), next = (rank + 1) % size;
  int previous = (rank + size - 1) % size;
  send_f08_(&world, &next);
  float data[3] = {0, 0, 0};
  MPI_Status status;
  MPI_Recv(data, 3, MPI_FLOAT, previous, 6, MPI_COMM_WORLD, &status);
  expect(data[0] == 1.5F && data[2] == 3.5F, "C receives MPI_REAL as MPI_FLOAT");
  MPI_Request request;
  MPI_Isend(data, 3, MPI_FLOAT, next, 7, MPI_COMM_WORLD, &request);
  receive_f08_(&world, &previous, (int*)&status, &failures);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  int count = 0;
  MPI_Get_count(&status, MPI_FLOAT, &count);
  expect(status.MPI_SOURCE == previous && status.MPI_TAG == 7 && count == 3,
         "C reads a status that Fortran filled");
  MPI_F08_status typed;
  int integers[MPI_F_STATUS_SIZE];
  MPI_Status_c2f08(&status, &typed);
  MPI_Status_f082f(&typed, integers);
  expect(integers[MPI_F_TAG] == 7, "a status of mpi_f08 in C");
  const int one = 1, type = MPI_Type_toint(MPI_INT), nobody = MPI_PROC_NULL, tag = 0;
  int nothing = 0, ierror = -1;
  mpi_recv_(&nothing, &one, &type, &nobody, &tag, &world, MPI_F_STATUS_IGNORE, &ierror);
  expect(ierror == MPI_SUCCESS, "C ignores a status in a call of Fortran's function");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  from_c_to_fortran();
  from_fortran_to_c();
  messages();
  failures += from_cxx_to_fortran();
  MPI_Finalize();
  return failures != 0;
}
