// SPDX-License-Identifier: BSD-3-Clause
// What the microkernel must be told about a framework; the tables themselves belong to the callers.
#pragma once

#include <span>
#include <string_view>

#include "framework/param_value.h"

namespace tessera {

// How a framework chooses among its components.
enum class Shape : std::uint8_t {
  one_winner,    // the highest priority that says yes (pml)
  ranked,        // all that say yes, in order of priority (btl)
  stacked,       // all that say yes, the highest on top (coll)
  per_question,  // the best answer to each question (topo)
};

std::string_view shape_name(Shape shape) noexcept;

struct FrameworkInfo {
  std::string_view name;     // no '_' in it: it ends at the first one in file and parameter names
  int interface_number = 0;  // TESSERA_INTERFACE_<name> of the headers the engine was built with
  std::string_view description;  // one line
  Shape shape = Shape::one_winner;
  std::span<const ParamDecl> params =
      {};                // besides <name> and <name>_verbose; names without the framework
  bool uniform = false;  // all ranks must choose alike: its list and priorities are compared
  bool per_communicator = false;  // a communicator may have a list and priorities of its own
  bool interposers = false;       // per question, stacked: components may stand in front of others
};

// Null when no framework has this name.
const FrameworkInfo* find_framework(std::span<const FrameworkInfo> frameworks,
                                    std::string_view name) noexcept;

}  // namespace tessera
