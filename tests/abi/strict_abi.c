/* SPDX-License-Identifier: BSD-3-Clause */
/* With TESSERA_STRICT_ABI mpi.h has nothing but the ABI: a tool may define functions of the other
   names itself, and include mpi_fint.h where it wants them. */
#define TESSERA_STRICT_ABI
#include <mpi.h>

#if defined(TESSERA_MPI_FINT_H)
#error "TESSERA_STRICT_ABI leaves mpi_fint.h in"
#endif

typedef long MPI_Fint;
MPI_Fint MPI_Comm_c2f(MPI_Comm comm);
MPI_Fint MPI_Comm_c2f(MPI_Comm comm) {
  return MPI_Comm_toint(comm);
}
