// SPDX-License-Identifier: BSD-3-Clause
// Functions not written yet: environment.
#include "api/unsupported/unsupported.h"

TESSERA_UNSUPPORTED(MPI_Get_hw_resource_info, (MPI_Info*))
