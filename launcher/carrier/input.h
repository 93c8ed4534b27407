// SPDX-License-Identifier: BSD-3-Clause
// What rank 0 reads, where mpiexec passes it on itself: take_input().
#pragma once
//
// Contract. mpiexec names itself by kInputVariable (across/input_feed.h) where the engine is not to
// carry its standard input. The variable is gone afterwards: it holds a secret.
//
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::launcher::carrier {

inline constexpr const char* kInputVariable = "TESSERA_INPUT_FROM";

// The card of a listener as a word, and back; empty: that is none.
std::string text_of(std::span<const std::byte> card);
std::vector<std::byte> card_of(std::string_view text);

// Standard input becomes a pipe that a thread fills with what mpiexec sends; whoever has no rank
// that reads forgets the variable alone.
void take_input(bool reads);

}  // namespace tessera::launcher::carrier
