// SPDX-License-Identifier: BSD-3-Clause
// Functions not written yet: communicator.
#include "api/unsupported/unsupported.h"

TESSERA_UNSUPPORTED(MPI_Comm_create_from_group, (MPI_Group, const char*, MPI_Info, MPI_Errhandler, MPI_Comm*))
TESSERA_UNSUPPORTED(MPI_Intercomm_create_from_groups,
                    (MPI_Group, int, MPI_Group, int, const char*, MPI_Info, MPI_Errhandler, MPI_Comm*))
