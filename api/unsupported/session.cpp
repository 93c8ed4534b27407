// SPDX-License-Identifier: BSD-3-Clause
// Functions not written yet: session.
#include "api/unsupported/unsupported.h"

TESSERA_UNSUPPORTED(MPI_Session_attach_buffer, (MPI_Session, void*, int))
TESSERA_UNSUPPORTED(MPI_Session_attach_buffer_c, (MPI_Session, void*, MPI_Count))
TESSERA_UNSUPPORTED(MPI_Session_call_errhandler, (MPI_Session, int))
TESSERA_UNSUPPORTED(MPI_Session_detach_buffer, (MPI_Session, void*, int*))
TESSERA_UNSUPPORTED(MPI_Session_detach_buffer_c, (MPI_Session, void*, MPI_Count*))
TESSERA_UNSUPPORTED(MPI_Session_finalize, (MPI_Session*))
TESSERA_UNSUPPORTED(MPI_Session_flush_buffer, (MPI_Session))
TESSERA_UNSUPPORTED(MPI_Session_get_errhandler, (MPI_Session, MPI_Errhandler*))
TESSERA_UNSUPPORTED(MPI_Session_get_info, (MPI_Session, MPI_Info*))
TESSERA_UNSUPPORTED(MPI_Session_get_nth_pset, (MPI_Session, MPI_Info, int, int*, char*))
TESSERA_UNSUPPORTED(MPI_Session_get_num_psets, (MPI_Session, MPI_Info, int*))
TESSERA_UNSUPPORTED(MPI_Session_get_pset_info, (MPI_Session, const char*, MPI_Info*))
TESSERA_UNSUPPORTED(MPI_Session_iflush_buffer, (MPI_Session, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Session_init, (MPI_Info, MPI_Errhandler, MPI_Session*))
TESSERA_UNSUPPORTED(MPI_Session_set_errhandler, (MPI_Session, MPI_Errhandler))
