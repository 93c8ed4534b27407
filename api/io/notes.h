// SPDX-License-Identifier: BSD-3-Clause
// What there is to say about hints that make no sense.
#pragma once

#include <string>
#include <vector>

#include "core/comm/communicator.h"
#include "framework/help.h"

namespace tessera::api {

// Once, by the first process.
inline void print_notes(const std::vector<std::string>& notes, const Comm& comm) {
  if (comm.rank() != 0) return;
  for (const std::string& note : notes) print_help(note);
}

}  // namespace tessera::api
