// SPDX-License-Identifier: BSD-3-Clause
// Functions not written yet: group.
#include "api/unsupported/unsupported.h"

TESSERA_UNSUPPORTED(MPI_Group_from_session_pset, (MPI_Session, const char*, MPI_Group*))
