// SPDX-License-Identifier: BSD-3-Clause
// Functions not written yet: tool.
#include "api/unsupported/unsupported.h"

TESSERA_UNSUPPORTED(MPI_T_category_changed, (int*))
TESSERA_UNSUPPORTED(MPI_T_category_get_categories, (int, int, int*))
TESSERA_UNSUPPORTED(MPI_T_category_get_cvars, (int, int, int*))
TESSERA_UNSUPPORTED(MPI_T_category_get_events, (int, int, int*))
TESSERA_UNSUPPORTED(MPI_T_category_get_index, (const char*, int*))
TESSERA_UNSUPPORTED(MPI_T_category_get_info, (int, char*, int*, char*, int*, int*, int*, int*))
TESSERA_UNSUPPORTED(MPI_T_category_get_num, (int*))
TESSERA_UNSUPPORTED(MPI_T_category_get_num_events, (int, int*))
TESSERA_UNSUPPORTED(MPI_T_category_get_pvars, (int, int, int*))
TESSERA_UNSUPPORTED(MPI_T_cvar_get_index, (const char*, int*))
TESSERA_UNSUPPORTED(MPI_T_cvar_get_info,
                    (int, char*, int*, int*, MPI_Datatype*, MPI_T_enum*, char*, int*, int*, int*))
TESSERA_UNSUPPORTED(MPI_T_cvar_get_num, (int*))
TESSERA_UNSUPPORTED(MPI_T_cvar_handle_alloc, (int, void*, MPI_T_cvar_handle*, int*))
TESSERA_UNSUPPORTED(MPI_T_cvar_handle_free, (MPI_T_cvar_handle*))
TESSERA_UNSUPPORTED(MPI_T_cvar_read, (MPI_T_cvar_handle, void*))
TESSERA_UNSUPPORTED(MPI_T_cvar_write, (MPI_T_cvar_handle, const void*))
TESSERA_UNSUPPORTED(MPI_T_enum_get_info, (MPI_T_enum, int*, char*, int*))
TESSERA_UNSUPPORTED(MPI_T_enum_get_item, (MPI_T_enum, int, int*, char*, int*))
TESSERA_UNSUPPORTED(MPI_T_event_callback_get_info,
                    (MPI_T_event_registration, MPI_T_cb_safety, MPI_Info*))
TESSERA_UNSUPPORTED(MPI_T_event_callback_set_info,
                    (MPI_T_event_registration, MPI_T_cb_safety, MPI_Info))
TESSERA_UNSUPPORTED(MPI_T_event_copy, (MPI_T_event_instance, void*))
TESSERA_UNSUPPORTED(MPI_T_event_get_index, (const char*, int*))
TESSERA_UNSUPPORTED(MPI_T_event_get_info, (int, char*, int*, int*, MPI_Datatype*, MPI_Aint*, int*,
                                           MPI_T_enum*, MPI_Info*, char*, int*, int*))
TESSERA_UNSUPPORTED(MPI_T_event_get_num, (int*))
TESSERA_UNSUPPORTED(MPI_T_event_get_source, (MPI_T_event_instance, int*))
TESSERA_UNSUPPORTED(MPI_T_event_get_timestamp, (MPI_T_event_instance, MPI_Count*))
TESSERA_UNSUPPORTED(MPI_T_event_handle_alloc, (int, void*, MPI_Info, MPI_T_event_registration*))
TESSERA_UNSUPPORTED(MPI_T_event_handle_free,
                    (MPI_T_event_registration, void*, MPI_T_event_free_cb_function))
TESSERA_UNSUPPORTED(MPI_T_event_handle_get_info, (MPI_T_event_registration, MPI_Info*))
TESSERA_UNSUPPORTED(MPI_T_event_handle_set_info, (MPI_T_event_registration, MPI_Info))
TESSERA_UNSUPPORTED(MPI_T_event_read, (MPI_T_event_instance, int, void*))
TESSERA_UNSUPPORTED(MPI_T_event_register_callback, (MPI_T_event_registration, MPI_T_cb_safety,
                                                    MPI_Info, void*, MPI_T_event_cb_function))
TESSERA_UNSUPPORTED(MPI_T_event_set_dropped_handler,
                    (MPI_T_event_registration, MPI_T_event_dropped_cb_function))
TESSERA_UNSUPPORTED(MPI_T_finalize, ())
TESSERA_UNSUPPORTED(MPI_T_init_thread, (int, int*))
TESSERA_UNSUPPORTED(MPI_T_pvar_get_index, (const char*, int, int*))
TESSERA_UNSUPPORTED(MPI_T_pvar_get_info, (int, char*, int*, int*, int*, MPI_Datatype*, MPI_T_enum*,
                                          char*, int*, int*, int*, int*, int*))
TESSERA_UNSUPPORTED(MPI_T_pvar_get_num, (int*))
TESSERA_UNSUPPORTED(MPI_T_pvar_handle_alloc,
                    (MPI_T_pvar_session, int, void*, MPI_T_pvar_handle*, int*))
TESSERA_UNSUPPORTED(MPI_T_pvar_handle_free, (MPI_T_pvar_session, MPI_T_pvar_handle*))
TESSERA_UNSUPPORTED(MPI_T_pvar_read, (MPI_T_pvar_session, MPI_T_pvar_handle, void*))
TESSERA_UNSUPPORTED(MPI_T_pvar_readreset, (MPI_T_pvar_session, MPI_T_pvar_handle, void*))
TESSERA_UNSUPPORTED(MPI_T_pvar_reset, (MPI_T_pvar_session, MPI_T_pvar_handle))
TESSERA_UNSUPPORTED(MPI_T_pvar_session_create, (MPI_T_pvar_session*))
TESSERA_UNSUPPORTED(MPI_T_pvar_session_free, (MPI_T_pvar_session*))
TESSERA_UNSUPPORTED(MPI_T_pvar_start, (MPI_T_pvar_session, MPI_T_pvar_handle))
TESSERA_UNSUPPORTED(MPI_T_pvar_stop, (MPI_T_pvar_session, MPI_T_pvar_handle))
TESSERA_UNSUPPORTED(MPI_T_pvar_write, (MPI_T_pvar_session, MPI_T_pvar_handle, const void*))
TESSERA_UNSUPPORTED(MPI_T_source_get_info, (int, char*, int*, char*, int*, MPI_T_source_order*,
                                            MPI_Count*, MPI_Count*, MPI_Info*))
TESSERA_UNSUPPORTED(MPI_T_source_get_num, (int*))
TESSERA_UNSUPPORTED(MPI_T_source_get_timestamp, (int, MPI_Count*))
