// SPDX-License-Identifier: BSD-3-Clause
// Functions not written yet: topo.
#include "api/unsupported/unsupported.h"

