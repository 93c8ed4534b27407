// SPDX-License-Identifier: BSD-3-Clause
// What the checking library tells the user.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "check/call.h"

namespace tessera::check {

// The number of this process in the job, for what is told from now on.
void tell_as(int rank) noexcept;
int told_as() noexcept;

// Tells one line, the first time that a function at a place is complained of.
void complain(const Site& site, std::string_view text);

// Tells ten lines at most, and how many more there are.
void tell_all(const std::vector<std::string>& lines);

}  // namespace tessera::check
