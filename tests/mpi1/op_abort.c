/* SPDX-License-Identifier: BSD-3-Clause
   An operation that ends the job: the only MPI call allowed in it. Says `went on` if it could. */
#include <mpi.h>
#include <stdio.h>

static void give_up(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)in;
  (void)inout;
  (void)length;
  (void)type;
  MPI_Abort(MPI_COMM_WORLD, 7);
}

int main(int argc, char** argv) {
  int one = 1;
  int all = 0;
  MPI_Op op;
  MPI_Init(&argc, &argv);
  MPI_Op_create(give_up, 1, &op);
  MPI_Allreduce(&one, &all, 1, MPI_INT, op, MPI_COMM_WORLD);
  puts("went on");
  MPI_Op_free(&op);
  MPI_Finalize();
  return 0;
}
