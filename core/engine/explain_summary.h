// SPDX-License-Identifier: BSD-3-Clause
// The first lines of --explain: what a person asks first, before the record of all decisions.
#pragma once

#include <span>
#include <string>

#include "framework/explanation.h"

namespace tessera {

// Which transport carries messages between which ranks, and how it is set: a line per transport
// that is used. `use` says where each one carries messages, `opened` what each said when it was
// opened.
std::string transports_in_short(const Decision& use, const Decision* opened);

// How collective operations were carried out: a line per communicator, component and algorithm,
// with the operations, and the amounts of data where an operation was carried out in more than one
// way. Empty when none was called.
std::string collectives_in_short(std::span<const Decision> decisions);

}  // namespace tessera
