// SPDX-License-Identifier: BSD-3-Clause
// How wide lines for people may be.
#pragma once

#include <cstddef>
#include <optional>

namespace tessera {

// Names the columns of a terminal to processes that write to a pipe: mpiexec sets it for its ranks,
// whose output it passes on to the terminal.
inline constexpr const char* kColumnsVariable = "TESSERA_COLUMNS";

// Columns of the terminal that the descriptor writes to; none where it is no terminal.
std::optional<std::size_t> terminal_columns(int descriptor) noexcept;

// Columns of the lines to write to a descriptor: those of its terminal, else those that
// TESSERA_COLUMNS names, both at least 40; else `usual`.
std::size_t output_columns(int descriptor, std::size_t usual = 100) noexcept;

}  // namespace tessera
