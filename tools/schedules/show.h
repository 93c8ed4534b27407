// SPDX-License-Identifier: BSD-3-Clause
// Schedules as text.
#pragma once

#include "tools/schedules/catalogue.h"

namespace tessera::coll::schedules {

// "8 B", "64 KiB", "1.5 MiB".
std::string amount_text(double bytes);
// Three digits and a unit: "1.23 us".
std::string time_text(double nanoseconds);

// One line per step: number, what it does, and which steps it comes after; "~" before those that
// need only have been started.
std::string show(const Algorithm& algorithm, const Problem& problem, int rank);
// The operation in one line.
std::string title(const Algorithm& algorithm, const Problem& problem);

}  // namespace tessera::coll::schedules
