// SPDX-License-Identifier: BSD-3-Clause
// Info keys that give a communicator parameters of its own.
#pragma once
//
// Contract. The key tessera.<parameter> holds for one communicator what the parameter says for all.
// Which parameters can be given so is said by their declaration (ParamSpec::per_communicator). Keys
// must be given alike by all processes of the communicator (MPI-5.0 §10, §7.4.4), before its first
// collective operation: then its collective components are chosen. Other keys are none of our
// business.
//
#include <map>
#include <string>
#include <vector>

#include "framework/microkernel.h"
#include "tessera/status.h"

namespace tessera {

using Hints = std::map<std::string, std::string, std::less<>>;

// Checks the keys that are meant for us, and names them as the parameters are named.
// Errc::argument: a value is not allowed; Errc::not_found: a key names no such parameter and
// mca_strict is true. Otherwise such keys, and with `too_late` all of ours, are taken out and
// `warnings` says why.
Status check_hints(const Microkernel& kernel, bool too_late, Hints& hints,
                   std::vector<std::string>& warnings);

}  // namespace tessera
