// SPDX-License-Identifier: BSD-3-Clause
// Functions not written yet: io.
#include "api/unsupported/unsupported.h"

TESSERA_UNSUPPORTED(MPI_File_call_errhandler, (MPI_File, int))
TESSERA_UNSUPPORTED(MPI_File_close, (MPI_File*))
TESSERA_UNSUPPORTED(MPI_File_delete, (const char*, MPI_Info))
TESSERA_UNSUPPORTED(MPI_File_get_amode, (MPI_File, int*))
TESSERA_UNSUPPORTED(MPI_File_get_atomicity, (MPI_File, int*))
TESSERA_UNSUPPORTED(MPI_File_get_byte_offset, (MPI_File, MPI_Offset, MPI_Offset*))
TESSERA_UNSUPPORTED(MPI_File_get_errhandler, (MPI_File, MPI_Errhandler*))
TESSERA_UNSUPPORTED(MPI_File_get_group, (MPI_File, MPI_Group*))
TESSERA_UNSUPPORTED(MPI_File_get_info, (MPI_File, MPI_Info*))
TESSERA_UNSUPPORTED(MPI_File_get_position, (MPI_File, MPI_Offset*))
TESSERA_UNSUPPORTED(MPI_File_get_position_shared, (MPI_File, MPI_Offset*))
TESSERA_UNSUPPORTED(MPI_File_get_size, (MPI_File, MPI_Offset*))
TESSERA_UNSUPPORTED(MPI_File_get_type_extent, (MPI_File, MPI_Datatype, MPI_Aint*))
TESSERA_UNSUPPORTED(MPI_File_get_type_extent_c, (MPI_File, MPI_Datatype, MPI_Count*))
TESSERA_UNSUPPORTED(MPI_File_get_view, (MPI_File, MPI_Offset*, MPI_Datatype*, MPI_Datatype*, char*))
TESSERA_UNSUPPORTED(MPI_File_iread, (MPI_File, void*, int, MPI_Datatype, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_File_iread_c, (MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_File_iread_all, (MPI_File, void*, int, MPI_Datatype, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_File_iread_all_c, (MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_File_iread_at,
                    (MPI_File, MPI_Offset, void*, int, MPI_Datatype, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_File_iread_at_c,
                    (MPI_File, MPI_Offset, void*, MPI_Count, MPI_Datatype, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_File_iread_at_all,
                    (MPI_File, MPI_Offset, void*, int, MPI_Datatype, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_File_iread_at_all_c,
                    (MPI_File, MPI_Offset, void*, MPI_Count, MPI_Datatype, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_File_iread_shared, (MPI_File, void*, int, MPI_Datatype, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_File_iread_shared_c,
                    (MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_File_iwrite, (MPI_File, const void*, int, MPI_Datatype, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_File_iwrite_c,
                    (MPI_File, const void*, MPI_Count, MPI_Datatype, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_File_iwrite_all, (MPI_File, const void*, int, MPI_Datatype, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_File_iwrite_all_c,
                    (MPI_File, const void*, MPI_Count, MPI_Datatype, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_File_iwrite_at,
                    (MPI_File, MPI_Offset, const void*, int, MPI_Datatype, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_File_iwrite_at_c,
                    (MPI_File, MPI_Offset, const void*, MPI_Count, MPI_Datatype, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_File_iwrite_at_all,
                    (MPI_File, MPI_Offset, const void*, int, MPI_Datatype, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_File_iwrite_at_all_c,
                    (MPI_File, MPI_Offset, const void*, MPI_Count, MPI_Datatype, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_File_iwrite_shared,
                    (MPI_File, const void*, int, MPI_Datatype, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_File_iwrite_shared_c,
                    (MPI_File, const void*, MPI_Count, MPI_Datatype, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_File_open, (MPI_Comm, const char*, int, MPI_Info, MPI_File*))
TESSERA_UNSUPPORTED(MPI_File_preallocate, (MPI_File, MPI_Offset))
TESSERA_UNSUPPORTED(MPI_File_read, (MPI_File, void*, int, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_read_c, (MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_read_all, (MPI_File, void*, int, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_read_all_c, (MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_read_all_begin, (MPI_File, void*, int, MPI_Datatype))
TESSERA_UNSUPPORTED(MPI_File_read_all_begin_c, (MPI_File, void*, MPI_Count, MPI_Datatype))
TESSERA_UNSUPPORTED(MPI_File_read_all_end, (MPI_File, void*, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_read_at, (MPI_File, MPI_Offset, void*, int, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_read_at_c,
                    (MPI_File, MPI_Offset, void*, MPI_Count, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_read_at_all,
                    (MPI_File, MPI_Offset, void*, int, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_read_at_all_c,
                    (MPI_File, MPI_Offset, void*, MPI_Count, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_read_at_all_begin, (MPI_File, MPI_Offset, void*, int, MPI_Datatype))
TESSERA_UNSUPPORTED(MPI_File_read_at_all_begin_c,
                    (MPI_File, MPI_Offset, void*, MPI_Count, MPI_Datatype))
TESSERA_UNSUPPORTED(MPI_File_read_at_all_end, (MPI_File, void*, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_read_ordered, (MPI_File, void*, int, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_read_ordered_c,
                    (MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_read_ordered_begin, (MPI_File, void*, int, MPI_Datatype))
TESSERA_UNSUPPORTED(MPI_File_read_ordered_begin_c, (MPI_File, void*, MPI_Count, MPI_Datatype))
TESSERA_UNSUPPORTED(MPI_File_read_ordered_end, (MPI_File, void*, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_read_shared, (MPI_File, void*, int, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_read_shared_c, (MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_seek, (MPI_File, MPI_Offset, int))
TESSERA_UNSUPPORTED(MPI_File_seek_shared, (MPI_File, MPI_Offset, int))
TESSERA_UNSUPPORTED(MPI_File_set_atomicity, (MPI_File, int))
TESSERA_UNSUPPORTED(MPI_File_set_errhandler, (MPI_File, MPI_Errhandler))
TESSERA_UNSUPPORTED(MPI_File_set_info, (MPI_File, MPI_Info))
TESSERA_UNSUPPORTED(MPI_File_set_size, (MPI_File, MPI_Offset))
TESSERA_UNSUPPORTED(MPI_File_set_view,
                    (MPI_File, MPI_Offset, MPI_Datatype, MPI_Datatype, const char*, MPI_Info))
TESSERA_UNSUPPORTED(MPI_File_sync, (MPI_File))
TESSERA_UNSUPPORTED(MPI_File_write, (MPI_File, const void*, int, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_write_c, (MPI_File, const void*, MPI_Count, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_write_all, (MPI_File, const void*, int, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_write_all_c,
                    (MPI_File, const void*, MPI_Count, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_write_all_begin, (MPI_File, const void*, int, MPI_Datatype))
TESSERA_UNSUPPORTED(MPI_File_write_all_begin_c, (MPI_File, const void*, MPI_Count, MPI_Datatype))
TESSERA_UNSUPPORTED(MPI_File_write_all_end, (MPI_File, const void*, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_write_at,
                    (MPI_File, MPI_Offset, const void*, int, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_write_at_c,
                    (MPI_File, MPI_Offset, const void*, MPI_Count, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_write_at_all,
                    (MPI_File, MPI_Offset, const void*, int, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_write_at_all_c,
                    (MPI_File, MPI_Offset, const void*, MPI_Count, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_write_at_all_begin,
                    (MPI_File, MPI_Offset, const void*, int, MPI_Datatype))
TESSERA_UNSUPPORTED(MPI_File_write_at_all_begin_c,
                    (MPI_File, MPI_Offset, const void*, MPI_Count, MPI_Datatype))
TESSERA_UNSUPPORTED(MPI_File_write_at_all_end, (MPI_File, const void*, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_write_ordered, (MPI_File, const void*, int, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_write_ordered_c,
                    (MPI_File, const void*, MPI_Count, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_write_ordered_begin, (MPI_File, const void*, int, MPI_Datatype))
TESSERA_UNSUPPORTED(MPI_File_write_ordered_begin_c,
                    (MPI_File, const void*, MPI_Count, MPI_Datatype))
TESSERA_UNSUPPORTED(MPI_File_write_ordered_end, (MPI_File, const void*, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_write_shared, (MPI_File, const void*, int, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_File_write_shared_c,
                    (MPI_File, const void*, MPI_Count, MPI_Datatype, MPI_Status*))
TESSERA_UNSUPPORTED(MPI_Register_datarep,
                    (const char*, MPI_Datarep_conversion_function*,
                     MPI_Datarep_conversion_function*, MPI_Datarep_extent_function*, void*))
TESSERA_UNSUPPORTED(MPI_Register_datarep_c,
                    (const char*, MPI_Datarep_conversion_function_c*,
                     MPI_Datarep_conversion_function_c*, MPI_Datarep_extent_function*, void*))
