// SPDX-License-Identifier: BSD-3-Clause
// Functions not written yet: communicator.
#include "api/unsupported/unsupported.h"

TESSERA_UNSUPPORTED(MPI_Comm_attach_buffer, (MPI_Comm, void*, int))
TESSERA_UNSUPPORTED(MPI_Comm_attach_buffer_c, (MPI_Comm, void*, MPI_Count))
TESSERA_UNSUPPORTED(MPI_Comm_create_from_group, (MPI_Group, const char*, MPI_Info, MPI_Errhandler, MPI_Comm*))
TESSERA_UNSUPPORTED(MPI_Comm_detach_buffer, (MPI_Comm, void*, int*))
TESSERA_UNSUPPORTED(MPI_Comm_detach_buffer_c, (MPI_Comm, void*, MPI_Count*))
TESSERA_UNSUPPORTED(MPI_Comm_flush_buffer, (MPI_Comm))
TESSERA_UNSUPPORTED(MPI_Comm_iflush_buffer, (MPI_Comm, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Intercomm_create_from_groups,
                    (MPI_Group, int, MPI_Group, int, const char*, MPI_Info, MPI_Errhandler, MPI_Comm*))
