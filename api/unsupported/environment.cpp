// SPDX-License-Identifier: BSD-3-Clause
// Functions not written yet: environment.
#include "api/unsupported/unsupported.h"

TESSERA_UNSUPPORTED(MPI_Abi_get_fortran_booleans, (int, void*, void*, int*))
TESSERA_UNSUPPORTED(MPI_Abi_get_fortran_info, (MPI_Info*))
TESSERA_UNSUPPORTED(MPI_Abi_set_fortran_booleans, (int, void*, void*))
TESSERA_UNSUPPORTED(MPI_Abi_set_fortran_info, (MPI_Info))
TESSERA_UNSUPPORTED(MPI_Get_hw_resource_info, (MPI_Info*))
