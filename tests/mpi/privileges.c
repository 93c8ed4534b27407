/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts MPI, asks for the hardware, and says with which rights; privileges.py runs it. */
#include <mpi.h>
#include <stdio.h>
#include <sys/auxv.h>

int main(int argc, char** argv) {
  printf("secure=%lu\n", getauxval(AT_SECURE));
  fflush(stdout);
  MPI_Init(&argc, &argv);
  printf("started\n");
  MPI_Info kinds;
  MPI_Comm packages;
  MPI_Get_hw_resource_info(&kinds);
  MPI_Info_free(&kinds);
  MPI_Info_create(&kinds);
  MPI_Info_set(kinds, "mpi_hw_resource_type", "hwloc://Package");
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, kinds, &packages);
  if (packages != MPI_COMM_NULL) MPI_Comm_free(&packages);
  MPI_Info_free(&kinds);
  MPI_Finalize();
  return 0;
}
