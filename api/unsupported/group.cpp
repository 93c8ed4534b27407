// SPDX-License-Identifier: BSD-3-Clause
// Functions not written yet: group.
#include "api/unsupported/unsupported.h"

TESSERA_UNSUPPORTED(MPI_Group_compare, (MPI_Group, MPI_Group, int*))
TESSERA_UNSUPPORTED(MPI_Group_difference, (MPI_Group, MPI_Group, MPI_Group*))
TESSERA_UNSUPPORTED(MPI_Group_excl, (MPI_Group, int, const int*, MPI_Group*))
TESSERA_UNSUPPORTED(MPI_Group_free, (MPI_Group*))
TESSERA_UNSUPPORTED(MPI_Group_from_session_pset, (MPI_Session, const char*, MPI_Group*))
TESSERA_UNSUPPORTED(MPI_Group_incl, (MPI_Group, int, const int*, MPI_Group*))
TESSERA_UNSUPPORTED(MPI_Group_intersection, (MPI_Group, MPI_Group, MPI_Group*))
TESSERA_UNSUPPORTED(MPI_Group_range_excl, (MPI_Group, int, int (*)[3], MPI_Group*))
TESSERA_UNSUPPORTED(MPI_Group_range_incl, (MPI_Group, int, int (*)[3], MPI_Group*))
TESSERA_UNSUPPORTED(MPI_Group_rank, (MPI_Group, int*))
TESSERA_UNSUPPORTED(MPI_Group_size, (MPI_Group, int*))
TESSERA_UNSUPPORTED(MPI_Group_translate_ranks, (MPI_Group, int, const int*, MPI_Group, int*))
TESSERA_UNSUPPORTED(MPI_Group_union, (MPI_Group, MPI_Group, MPI_Group*))
