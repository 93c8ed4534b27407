// SPDX-License-Identifier: BSD-3-Clause
// Functions not written yet: dynamic processes.
#include "api/unsupported/unsupported.h"

TESSERA_UNSUPPORTED(MPI_Close_port, (const char*))
TESSERA_UNSUPPORTED(MPI_Comm_accept, (const char*, MPI_Info, int, MPI_Comm, MPI_Comm*))
TESSERA_UNSUPPORTED(MPI_Comm_connect, (const char*, MPI_Info, int, MPI_Comm, MPI_Comm*))
TESSERA_UNSUPPORTED(MPI_Comm_get_parent, (MPI_Comm*))
TESSERA_UNSUPPORTED(MPI_Comm_join, (int, MPI_Comm*))
TESSERA_UNSUPPORTED(MPI_Comm_spawn,
                    (const char*, char**, int, MPI_Info, int, MPI_Comm, MPI_Comm*, int*))
TESSERA_UNSUPPORTED(MPI_Comm_spawn_multiple, (int, char**, char***, const int*, const MPI_Info*,
                                              int, MPI_Comm, MPI_Comm*, int*))
TESSERA_UNSUPPORTED(MPI_Lookup_name, (const char*, MPI_Info, char*))
TESSERA_UNSUPPORTED(MPI_Open_port, (MPI_Info, char*))
TESSERA_UNSUPPORTED(MPI_Publish_name, (const char*, MPI_Info, const char*))
TESSERA_UNSUPPORTED(MPI_Unpublish_name, (const char*, MPI_Info, const char*))
