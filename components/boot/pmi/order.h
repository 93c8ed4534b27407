// SPDX-License-Identifier: BSD-3-Clause
// Orders to start processes: the words for env(1), and the order of PMI-1.
#pragma once

#include <cstddef>
#include <string>

#include "tessera/boot.h"

namespace tessera::boot::pmi {

// Messages cannot carry all bytes, nor PMI an environment: so env(1) is started, which reads
// directory, variables, program and arguments from one word (its option -S).
inline constexpr const char* kEnvProgram = "/usr/bin/env";
std::string env_words(const Program& program);

// The command of several lines, without its last newline, for the `number`-th of `count` programs,
// counted from 1.
std::string order_of(const Program& program, std::size_t number, std::size_t count);

}  // namespace tessera::boot::pmi
