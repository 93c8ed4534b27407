// SPDX-License-Identifier: BSD-3-Clause
// A command line in a file: -configfile and --app.
#pragma once

#include <string>
#include <vector>

#include "tessera/status.h"

namespace tessera::launcher {

// The words of a file with one program per line, with its options: as on the command line, lines
// separated by ":". '#' begins a comment where a word could begin, a backslash at the end joins
// lines, quotes and backslashes are those of the shell; nothing is expanded. not_found: it cannot
// be read; argument: a quote is left open, or there is no word.
Result<std::vector<std::string>> read_command_file(const std::string& path);

}  // namespace tessera::launcher
