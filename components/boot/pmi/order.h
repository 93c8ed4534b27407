// SPDX-License-Identifier: BSD-3-Clause
// The order of PMI-1 to start processes.
#pragma once

#include <cstddef>
#include <string>

#include "tessera/boot.h"

namespace tessera::boot::pmi {

// The command of several lines, without its last newline, for the `number`-th of `count` programs,
// counted from 1. Lines cannot carry all bytes, nor PMI-1 an environment: so env(1) is started,
// which reads directory, variables, program and arguments from one word (its option -S).
std::string order_of(const Program& program, std::size_t number, std::size_t count);

}  // namespace tessera::boot::pmi
