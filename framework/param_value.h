// SPDX-License-Identifier: BSD-3-Clause
// What a parameter is (ParamSpec) and what it holds (ParamValue); parsing with types, units and
// allowed values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "tessera/param.h"
#include "tessera/status.h"

namespace tessera {

// A parameter as written in a constant table (core_params.cpp, FrameworkInfo). Names are without
// the owner's prefix.
struct ParamDecl {
  std::string_view name;
  ParamType type;
  std::string_view default_text;
  std::string_view allowed;  // see tessera/param.h
  std::string_view unit;
  ParamLevel level;
  std::string_view help;
  bool uniform = false;  // see ParamSpec
};

// A parameter as the registry knows it.
struct ParamSpec {
  std::string name;  // full: <framework>_<component>_<name>, <framework>_<name>, or the bare name
                     // for the core
  ParamType type = ParamType::text;
  std::string default_text;
  std::string allowed;
  std::string unit;
  int level = 1;  // 1-9
  std::string help;
  std::string framework;          // empty for parameters of the core
  std::string component;          // empty for parameters of the framework itself
  bool uniform = false;           // must be equal on all ranks; compared when they start
  bool per_communicator = false;  // an info key tessera.<name> gives a communicator its own value

  static ParamSpec from(const ParamDecl& decl, std::string_view framework);
};

// By type: integer int64_t, size uint64_t (bytes), real double, boolean bool, text and list
// std::string.
using ParamValue = std::variant<std::int64_t, std::uint64_t, double, bool, std::string>;

// "integer", "size", ... as in manifests; and back (empty when it is no type).
std::string_view type_name(ParamType type) noexcept;
std::optional<ParamType> type_from_name(std::string_view name) noexcept;

// Reads `text` as a value of `spec`. Failure (Errc::argument): the text says what is wrong and what
// is allowed, but names neither the parameter nor its source; the caller knows those.
Result<ParamValue> parse_value(const ParamSpec& spec, std::string_view text);

// The value in its plainest notation: decimal digits, true or false, or the text itself.
std::string plain_text(const ParamValue& value);

// One phrase: "an integer, 0..100", "one of: spin, yield, sleep", "true or false (yes/no, on/off,
// 1/0)".
std::string describe_allowed(const ParamSpec& spec);

// The default of a sound declaration. Failure: its level is not 1-9, `allowed` is not readable for
// the type, or the default is not allowed.
Result<ParamValue> read_default(const ParamSpec& spec);

}  // namespace tessera
