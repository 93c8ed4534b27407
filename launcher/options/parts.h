// SPDX-License-Identifier: BSD-3-Clause
// The parts of the table of options, and what their functions share.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "launcher/command_line.h"

namespace tessera::launcher {

std::span<const Option> output_options() noexcept;
std::span<const Option> placement_options() noexcept;
// Those of other launchers that are ignored or refused here.
std::span<const Option> foreign_options() noexcept;

// --check, and after the last word the parameters that it sets: those of which the command line has
// not said anything itself.
Status check(const OptionUse& use);
void set_checking_params(CommandLine& line);

inline Status bad_value(const OptionUse& use, std::string_view why) {
  return Status::failure(Errc::argument,
                         "option " + std::string(use.spelled) + ": " + std::string(why));
}

template <bool CommandLine::*Flag, bool Value = true>
Status set_flag(const OptionUse& use) {
  use.line.*Flag = Value;
  return {};
}

}  // namespace tessera::launcher
