// SPDX-License-Identifier: BSD-3-Clause
// Functions not written yet: op.
#include "api/unsupported/unsupported.h"

TESSERA_UNSUPPORTED(MPI_Op_commutative, (MPI_Op, int*))
TESSERA_UNSUPPORTED(MPI_Op_create, (MPI_User_function*, int, MPI_Op*))
TESSERA_UNSUPPORTED(MPI_Op_create_c, (MPI_User_function_c*, int, MPI_Op*))
TESSERA_UNSUPPORTED(MPI_Op_free, (MPI_Op*))
