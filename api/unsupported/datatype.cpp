// SPDX-License-Identifier: BSD-3-Clause
// Functions not written yet: datatype.
#include "api/unsupported/unsupported.h"

TESSERA_UNSUPPORTED(MPI_Get_elements, (const MPI_Status*, MPI_Datatype, int*))
TESSERA_UNSUPPORTED(MPI_Get_elements_c, (const MPI_Status*, MPI_Datatype, MPI_Count*))
TESSERA_UNSUPPORTED(MPI_Get_elements_x, (const MPI_Status*, MPI_Datatype, MPI_Count*))
TESSERA_UNSUPPORTED(MPI_Pack, (const void*, int, MPI_Datatype, void*, int, int*, MPI_Comm))
TESSERA_UNSUPPORTED(MPI_Pack_c,
                    (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Count*, MPI_Comm))
TESSERA_UNSUPPORTED(MPI_Pack_external,
                    (const char*, const void*, int, MPI_Datatype, void*, MPI_Aint, MPI_Aint*))
TESSERA_UNSUPPORTED(MPI_Pack_external_c,
                    (const char*, const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Count*))
TESSERA_UNSUPPORTED(MPI_Pack_external_size, (const char*, int, MPI_Datatype, MPI_Aint*))
TESSERA_UNSUPPORTED(MPI_Pack_external_size_c, (const char*, MPI_Count, MPI_Datatype, MPI_Count*))
TESSERA_UNSUPPORTED(MPI_Pack_size, (int, MPI_Datatype, MPI_Comm, int*))
TESSERA_UNSUPPORTED(MPI_Pack_size_c, (MPI_Count, MPI_Datatype, MPI_Comm, MPI_Count*))
TESSERA_UNSUPPORTED(MPI_Status_set_elements, (MPI_Status*, MPI_Datatype, int))
TESSERA_UNSUPPORTED(MPI_Status_set_elements_c, (MPI_Status*, MPI_Datatype, MPI_Count))
TESSERA_UNSUPPORTED(MPI_Status_set_elements_x, (MPI_Status*, MPI_Datatype, MPI_Count))
TESSERA_UNSUPPORTED(MPI_Type_commit, (MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_contiguous, (int, MPI_Datatype, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_contiguous_c, (MPI_Count, MPI_Datatype, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_create_darray, (int, int, int, const int*, const int*, const int*, const int*,
                                             int, MPI_Datatype, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_create_darray_c, (int, int, int, const MPI_Count*, const int*, const int*,
                                               const int*, int, MPI_Datatype, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_create_f90_complex, (int, int, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_create_f90_integer, (int, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_create_f90_real, (int, int, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_create_hindexed, (int, const int*, const MPI_Aint*, MPI_Datatype, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_create_hindexed_c,
                    (MPI_Count, const MPI_Count*, const MPI_Count*, MPI_Datatype, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_create_hindexed_block, (int, int, const MPI_Aint*, MPI_Datatype, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_create_hindexed_block_c,
                    (MPI_Count, MPI_Count, const MPI_Count*, MPI_Datatype, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_create_hvector, (int, int, MPI_Aint, MPI_Datatype, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_create_hvector_c, (MPI_Count, MPI_Count, MPI_Count, MPI_Datatype, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_create_indexed_block, (int, int, const int*, MPI_Datatype, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_create_indexed_block_c,
                    (MPI_Count, MPI_Count, const MPI_Count*, MPI_Datatype, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_create_keyval,
                    (MPI_Type_copy_attr_function*, MPI_Type_delete_attr_function*, int*, void*))
TESSERA_UNSUPPORTED(MPI_Type_create_resized, (MPI_Datatype, MPI_Aint, MPI_Aint, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_create_resized_c, (MPI_Datatype, MPI_Count, MPI_Count, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_create_struct,
                    (int, const int*, const MPI_Aint*, const MPI_Datatype*, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_create_struct_c,
                    (MPI_Count, const MPI_Count*, const MPI_Count*, const MPI_Datatype*, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_create_subarray,
                    (int, const int*, const int*, const int*, int, MPI_Datatype, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_create_subarray_c, (int, const MPI_Count*, const MPI_Count*, const MPI_Count*,
                                                 int, MPI_Datatype, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_delete_attr, (MPI_Datatype, int))
TESSERA_UNSUPPORTED(MPI_Type_dup, (MPI_Datatype, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_free, (MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_free_keyval, (int*))
TESSERA_UNSUPPORTED(MPI_Type_get_attr, (MPI_Datatype, int, void*, int*))
TESSERA_UNSUPPORTED(MPI_Type_get_contents, (MPI_Datatype, int, int, int, int*, MPI_Aint*, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_get_contents_c, (MPI_Datatype, MPI_Count, MPI_Count, MPI_Count, MPI_Count, int*,
                                              MPI_Aint*, MPI_Count*, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_get_envelope, (MPI_Datatype, int*, int*, int*, int*))
TESSERA_UNSUPPORTED(MPI_Type_get_envelope_c,
                    (MPI_Datatype, MPI_Count*, MPI_Count*, MPI_Count*, MPI_Count*, int*))
TESSERA_UNSUPPORTED(MPI_Type_get_name, (MPI_Datatype, char*, int*))
TESSERA_UNSUPPORTED(MPI_Type_get_value_index, (MPI_Datatype, MPI_Datatype, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_indexed, (int, const int*, const int*, MPI_Datatype, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_indexed_c,
                    (MPI_Count, const MPI_Count*, const MPI_Count*, MPI_Datatype, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_match_size, (int, int, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_set_attr, (MPI_Datatype, int, void*))
TESSERA_UNSUPPORTED(MPI_Type_set_name, (MPI_Datatype, const char*))
TESSERA_UNSUPPORTED(MPI_Type_vector, (int, int, int, MPI_Datatype, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Type_vector_c, (MPI_Count, MPI_Count, MPI_Count, MPI_Datatype, MPI_Datatype*))
TESSERA_UNSUPPORTED(MPI_Unpack, (const void*, int, int*, void*, int, MPI_Datatype, MPI_Comm))
TESSERA_UNSUPPORTED(MPI_Unpack_c,
                    (const void*, MPI_Count, MPI_Count*, void*, MPI_Count, MPI_Datatype, MPI_Comm))
TESSERA_UNSUPPORTED(MPI_Unpack_external,
                    (const char*, const void*, MPI_Aint, MPI_Aint*, void*, int, MPI_Datatype))
TESSERA_UNSUPPORTED(MPI_Unpack_external_c,
                    (const char*, const void*, MPI_Count, MPI_Count*, void*, MPI_Count, MPI_Datatype))
