// SPDX-License-Identifier: BSD-3-Clause
// Complete operations with data and result, under the names of the tests.
#pragma once

#include "tools/schedules/cases.h"

namespace tessera::coll::test {
using namespace schedules;  // NOLINT: the tests are about nothing else
}  // namespace tessera::coll::test
