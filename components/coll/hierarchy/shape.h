// SPDX-License-Identifier: BSD-3-Clause
// Numbers as users write them: shapes and sets of ranks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "description.h"

namespace tessera::coll::hierarchy {

// What is wrong, and what would be right.
struct Wrong {
  std::string text;
};

// "2x4x8". Throws Wrong.
std::vector<int> numbers_of_shape(std::string_view text);
// As many levels as names; the numbers are as many, or one more. Throws Wrong.
Description levels_of_shape(const std::vector<int>& numbers, const std::vector<std::string>& names,
                            int processes);

// "3", "0..3", "0..3, 8". Throws Wrong.
std::vector<int> ranks_of(std::string_view text);

}  // namespace tessera::coll::hierarchy
