// SPDX-License-Identifier: BSD-3-Clause
// Functions not written yet: partitioned.
#include "api/unsupported/unsupported.h"

TESSERA_UNSUPPORTED(MPI_Parrived, (MPI_Request, int, int*))
TESSERA_UNSUPPORTED(MPI_Pready, (int, MPI_Request))
TESSERA_UNSUPPORTED(MPI_Pready_list, (int, const int*, MPI_Request))
TESSERA_UNSUPPORTED(MPI_Pready_range, (int, int, MPI_Request))
TESSERA_UNSUPPORTED(MPI_Precv_init,
                    (void*, int, int, MPI_Datatype, int, int, MPI_Comm, MPI_Info, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Precv_init_c, (void*, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm,
                                       MPI_Info, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Psend_init, (const void*, int, int, MPI_Datatype, int, int, MPI_Comm,
                                     MPI_Info, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Psend_init_c, (const void*, int, MPI_Count, MPI_Datatype, int, int,
                                       MPI_Comm, MPI_Info, MPI_Request*))
