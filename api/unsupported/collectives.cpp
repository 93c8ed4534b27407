// SPDX-License-Identifier: BSD-3-Clause
// Functions not written yet: collectives.
#include "api/unsupported/unsupported.h"

TESSERA_UNSUPPORTED(MPI_Reduce_local, (const void*, void*, int, MPI_Datatype, MPI_Op))
TESSERA_UNSUPPORTED(MPI_Reduce_local_c, (const void*, void*, MPI_Count, MPI_Datatype, MPI_Op))
