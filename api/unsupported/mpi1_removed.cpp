// SPDX-License-Identifier: BSD-3-Clause
// Functions not written yet: those of MPI-1 that MPI 3.0 removed.
#include "api/unsupported/unsupported.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // mpi.h warns those who use what is defined here

TESSERA_UNSUPPORTED(MPI_Type_hindexed, (int, int*, MPI_Aint*, MPI_Datatype, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_hvector, (int, int, MPI_Aint, MPI_Datatype, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_struct, (int, int*, MPI_Aint*, MPI_Datatype*, MPI_Datatype*))
