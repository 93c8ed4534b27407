// SPDX-License-Identifier: BSD-3-Clause
// Functions not written yet: point-to-point.
#include "api/unsupported/unsupported.h"

TESSERA_UNSUPPORTED(MPI_Buffer_iflush, (MPI_Request*))
