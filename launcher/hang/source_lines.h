// SPDX-License-Identifier: BSD-3-Clause
// Addresses in programs as people know them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::launcher {

// `places` is WaitReport::places: lines of file, offset and nearest exported symbol. The result has
// for each, until main(): "heat.c:81 (exchange)" where addr2line(1) is installed and the file has
// debugging information, else "exchange (in ./heat)". addr2line is waited for, some seconds at
// most.
std::vector<std::string> source_lines(std::string_view places);

// The function of a symbol table, also of one that the dynamic linker does not see, in which the
// offset lies; empty: none, or the file cannot be read.
std::string function_at(const std::string& file, std::uint64_t offset);

}  // namespace tessera::launcher
