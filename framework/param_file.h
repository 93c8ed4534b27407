// SPDX-License-Identifier: BSD-3-Clause
// Reads parameter files: YAML, and `name = value` files as MPI users own them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/param_registry.h"
#include "tessera/status.h"

namespace tessera {

// The settings of a file in the order written, `where` being path:line. A name that ends in .yaml,
// .yml or .json is YAML: flat names, or nested maps whose keys are joined by '_'; sequences become
// comma lists. Anything else has lines `name = value`; # starts a comment at the start of a line or
// after a blank; values may be quoted with ' or ". Sections apply under a condition
// (param_condition.h): in YAML the entry `sections`, a list of maps {when: {host: ..., ranks: ...},
// params: {...}}; otherwise a header line [host node*, ranks >= 16], up to the next one or
// [always]. Tune files may also have lines `--mca name value`. Errc::not_found, Errc::system
// (unreadable), Errc::argument with path:line.
Result<std::vector<ParamSetting>> read_param_file(const std::string& path, ParamSource source);

// The same for text in memory; `path` is used for messages and to tell the syntax.
Result<std::vector<ParamSetting>> parse_param_text(std::string_view text, const std::string& path,
                                                   ParamSource source);

}  // namespace tessera
