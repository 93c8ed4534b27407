// SPDX-License-Identifier: BSD-3-Clause
// What users write for amounts and ranges.
#pragma once

#include <string>
#include <vector>

#include "tools/schedules/catalogue.h"

namespace tessera::coll::schedules {

// "8", "64K", "64KiB", "1M": powers of 1024. Throws BadInput naming `option`.
Count parse_amount(const std::string& option, const std::string& text);
// "4,8,100" and "2..64", also mixed. A range stands for all its numbers, or (doubling) for its
// first one, the doubles of that, and its last one.
std::vector<Count> parse_list(const std::string& option, const std::string& text, bool doubling);
std::vector<int> parse_ranks(const std::string& text, bool doubling);

}  // namespace tessera::coll::schedules
