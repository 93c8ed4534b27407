// SPDX-License-Identifier: BSD-3-Clause
// Where a section of a parameter file applies.
#pragma once
//
// Contract. A condition is text, as it stands in a section's header: terms separated by commas, all
// of which must hold.
//   host PATTERN[|PATTERN...]    the machine's name, whole or up to its first dot, fits a shell
//                                pattern
//   ranks >= N                   the number of ranks of the job; also >, <=, <, = and A..B
//   communicator PATTERN[|...]   the values are not the job's but those of communicators with such
//                                a name
// Empty text holds always. A term about something that is not known holds never.
//
#include <cstdint>
#include <string>
#include <string_view>

#include "tessera/status.h"

namespace tessera {

// What conditions ask about.
struct ParamContext {
  std::string host;               // empty: not known
  std::uint32_t ranks = 0;        // of the whole job; 0: not known
  std::string communicator = {};  // empty: it is about the job
};

// The name of this machine, as conditions see it.
std::string host_name();

// Errc::argument with what is wrong and what would be right.
Result<bool> condition_holds(std::string_view condition, const ParamContext& context);
// Whether a sound condition has a term on communicators.
bool about_communicators(std::string_view condition) noexcept;

}  // namespace tessera
