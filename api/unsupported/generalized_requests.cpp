// SPDX-License-Identifier: BSD-3-Clause
// Functions not written yet: generalized requests.
#include "api/unsupported/unsupported.h"

