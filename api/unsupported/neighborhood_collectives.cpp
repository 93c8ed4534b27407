// SPDX-License-Identifier: BSD-3-Clause
// Functions not written yet: neighborhood collectives.
#include "api/unsupported/unsupported.h"

