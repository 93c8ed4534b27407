// SPDX-License-Identifier: BSD-3-Clause
// Functions not written yet: rma.
#include "api/unsupported/unsupported.h"

TESSERA_UNSUPPORTED(MPI_Accumulate, (const void*, int, MPI_Datatype, int, MPI_Aint, int,
                                     MPI_Datatype, MPI_Op, MPI_Win))
TESSERA_UNSUPPORTED(MPI_Accumulate_c, (const void*, MPI_Count, MPI_Datatype, int, MPI_Aint,
                                       MPI_Count, MPI_Datatype, MPI_Op, MPI_Win))
TESSERA_UNSUPPORTED(MPI_Compare_and_swap,
                    (const void*, const void*, void*, MPI_Datatype, int, MPI_Aint, MPI_Win))
TESSERA_UNSUPPORTED(MPI_Fetch_and_op,
                    (const void*, void*, MPI_Datatype, int, MPI_Aint, MPI_Op, MPI_Win))
TESSERA_UNSUPPORTED(MPI_Get, (void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win))
TESSERA_UNSUPPORTED(MPI_Get_c, (void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count,
                                MPI_Datatype, MPI_Win))
TESSERA_UNSUPPORTED(MPI_Get_accumulate, (const void*, int, MPI_Datatype, void*, int, MPI_Datatype,
                                         int, MPI_Aint, int, MPI_Datatype, MPI_Op, MPI_Win))
TESSERA_UNSUPPORTED(MPI_Get_accumulate_c,
                    (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int,
                     MPI_Aint, MPI_Count, MPI_Datatype, MPI_Op, MPI_Win))
TESSERA_UNSUPPORTED(MPI_Put,
                    (const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win))
TESSERA_UNSUPPORTED(MPI_Put_c, (const void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count,
                                MPI_Datatype, MPI_Win))
TESSERA_UNSUPPORTED(MPI_Raccumulate, (const void*, int, MPI_Datatype, int, MPI_Aint, int,
                                      MPI_Datatype, MPI_Op, MPI_Win, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Raccumulate_c, (const void*, MPI_Count, MPI_Datatype, int, MPI_Aint,
                                        MPI_Count, MPI_Datatype, MPI_Op, MPI_Win, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Rget, (void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win,
                               MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Rget_c, (void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count,
                                 MPI_Datatype, MPI_Win, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Rget_accumulate,
                    (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Aint, int,
                     MPI_Datatype, MPI_Op, MPI_Win, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Rget_accumulate_c,
                    (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int,
                     MPI_Aint, MPI_Count, MPI_Datatype, MPI_Op, MPI_Win, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Rput, (const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype,
                               MPI_Win, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Rput_c, (const void*, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count,
                                 MPI_Datatype, MPI_Win, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Win_allocate, (MPI_Aint, int, MPI_Info, MPI_Comm, void*, MPI_Win*))
TESSERA_UNSUPPORTED(MPI_Win_allocate_c, (MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm, void*, MPI_Win*))
TESSERA_UNSUPPORTED(MPI_Win_allocate_shared, (MPI_Aint, int, MPI_Info, MPI_Comm, void*, MPI_Win*))
TESSERA_UNSUPPORTED(MPI_Win_allocate_shared_c,
                    (MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm, void*, MPI_Win*))
TESSERA_UNSUPPORTED(MPI_Win_attach, (MPI_Win, void*, MPI_Aint))
TESSERA_UNSUPPORTED(MPI_Win_call_errhandler, (MPI_Win, int))
TESSERA_UNSUPPORTED(MPI_Win_complete, (MPI_Win))
TESSERA_UNSUPPORTED(MPI_Win_create, (void*, MPI_Aint, int, MPI_Info, MPI_Comm, MPI_Win*))
TESSERA_UNSUPPORTED(MPI_Win_create_c, (void*, MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm, MPI_Win*))
TESSERA_UNSUPPORTED(MPI_Win_create_dynamic, (MPI_Info, MPI_Comm, MPI_Win*))
TESSERA_UNSUPPORTED(MPI_Win_create_keyval,
                    (MPI_Win_copy_attr_function*, MPI_Win_delete_attr_function*, int*, void*))
TESSERA_UNSUPPORTED(MPI_Win_delete_attr, (MPI_Win, int))
TESSERA_UNSUPPORTED(MPI_Win_detach, (MPI_Win, const void*))
TESSERA_UNSUPPORTED(MPI_Win_fence, (int, MPI_Win))
TESSERA_UNSUPPORTED(MPI_Win_flush, (int, MPI_Win))
TESSERA_UNSUPPORTED(MPI_Win_flush_all, (MPI_Win))
TESSERA_UNSUPPORTED(MPI_Win_flush_local, (int, MPI_Win))
TESSERA_UNSUPPORTED(MPI_Win_flush_local_all, (MPI_Win))
TESSERA_UNSUPPORTED(MPI_Win_free, (MPI_Win*))
TESSERA_UNSUPPORTED(MPI_Win_free_keyval, (int*))
TESSERA_UNSUPPORTED(MPI_Win_get_attr, (MPI_Win, int, void*, int*))
TESSERA_UNSUPPORTED(MPI_Win_get_errhandler, (MPI_Win, MPI_Errhandler*))
TESSERA_UNSUPPORTED(MPI_Win_get_group, (MPI_Win, MPI_Group*))
TESSERA_UNSUPPORTED(MPI_Win_get_info, (MPI_Win, MPI_Info*))
TESSERA_UNSUPPORTED(MPI_Win_get_name, (MPI_Win, char*, int*))
TESSERA_UNSUPPORTED(MPI_Win_lock, (int, int, int, MPI_Win))
TESSERA_UNSUPPORTED(MPI_Win_lock_all, (int, MPI_Win))
TESSERA_UNSUPPORTED(MPI_Win_post, (MPI_Group, int, MPI_Win))
TESSERA_UNSUPPORTED(MPI_Win_set_attr, (MPI_Win, int, void*))
TESSERA_UNSUPPORTED(MPI_Win_set_errhandler, (MPI_Win, MPI_Errhandler))
TESSERA_UNSUPPORTED(MPI_Win_set_info, (MPI_Win, MPI_Info))
TESSERA_UNSUPPORTED(MPI_Win_set_name, (MPI_Win, const char*))
TESSERA_UNSUPPORTED(MPI_Win_shared_query, (MPI_Win, int, MPI_Aint*, int*, void*))
TESSERA_UNSUPPORTED(MPI_Win_shared_query_c, (MPI_Win, int, MPI_Aint*, MPI_Aint*, void*))
TESSERA_UNSUPPORTED(MPI_Win_start, (MPI_Group, int, MPI_Win))
TESSERA_UNSUPPORTED(MPI_Win_sync, (MPI_Win))
TESSERA_UNSUPPORTED(MPI_Win_test, (MPI_Win, int*))
TESSERA_UNSUPPORTED(MPI_Win_unlock, (int, MPI_Win))
TESSERA_UNSUPPORTED(MPI_Win_unlock_all, (MPI_Win))
TESSERA_UNSUPPORTED(MPI_Win_wait, (MPI_Win))
