// SPDX-License-Identifier: BSD-3-Clause
// What performance variables and events are: VariableSpec, EventSpec.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/status.h"

namespace tessera {

// The classes of MPI-5.0 §15.3.7, in its order.
enum class VariableClass : std::uint8_t {
  state,
  level,
  size,
  percentage,  // kept in millionths
  highwatermark,
  lowwatermark,
  counter,
  aggregate,
  timer,  // kept in nanoseconds
};

std::string_view class_name(VariableClass kind) noexcept;
std::optional<VariableClass> class_from_name(std::string_view name) noexcept;

// As written in a constant table. Names are without the owner's prefix.
struct VariableDecl {
  std::string_view name;
  VariableClass kind;
  std::string_view unit;
  int level;
  std::string_view help;
};

struct EventDecl {
  std::string_view name;
  std::string_view elements;  // a comma list
  int level;
  std::string_view help;
};

// As the tools interface knows it.
struct VariableSpec {
  std::string name;  // full: <framework>_<component>_<name>, or core_<name>
  VariableClass kind = VariableClass::counter;
  bool per_peer = false;
  std::string unit;
  int level = 1;  // 1-9, as of parameters
  std::string help;
};

struct EventSpec {
  std::string name;  // full
  std::vector<std::string> elements;
  int level = 1;
  std::string help;
};

// Full names begin with `owner` and an underscore. Errc::refused: the fields of a manifest's line
// (TESSERA_VARIABLE, TESSERA_EVENT) declare none.
Result<VariableSpec> read_variable(const std::string& owner,
                                   const std::vector<std::string_view>& fields);
Result<EventSpec> read_event(const std::string& owner, const std::vector<std::string_view>& fields);

}  // namespace tessera
