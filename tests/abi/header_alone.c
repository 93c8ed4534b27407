/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi.h compiles alone, as C99, without the names that MPI 3.0 removed. */
#define TESSERA_NO_MPI1_REMOVED
#include <mpi.h>

#if defined(MPI_LB) || defined(MPI_UB) || defined(MPI_PENDING)
#error "TESSERA_NO_MPI1_REMOVED leaves names of MPI-1 behind"
#endif

/* The program may use the names then. */
int MPI_Address(const char* street);
typedef int MPI_Handler_function;
MPI_Handler_function header_alone(void);
MPI_Handler_function header_alone(void) {
  return MPI_SUCCESS;
}
