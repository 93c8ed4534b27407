// SPDX-License-Identifier: BSD-3-Clause
// The manifest of a component: what it says about itself, as data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/param_value.h"
#include "framework/variable.h"
#include "tessera/status.h"

namespace tessera {

struct Fact {
  std::string key;
  std::string value;
};

// The content of a component's ELF note (syntax: the macros of tessera/component.h). Facts that the
// microkernel itself reads; the names on their right-hand sides are without
// <framework>_<component>_:
//   synonym            "old=new"   the parameter `new` can also be set as `old`
//   deprecated         "old=new"   the same, and whoever uses `old` is told about `new`
//   uniform            "pattern"   parameters whose short names fit the shell pattern must be equal
//                                  on all ranks of a job
//   per_communicator   "pattern"   such parameters may be given per communicator, by the info key
//                                  tessera.<full name>
//   alias              "name"      another name of the component, for lists and parameters
// How much of a manifest is read.
enum class Depth : std::uint8_t { outline, whole };

struct Manifest {
  int layout = 0;
  std::string framework;
  int interface_number = 0;
  std::string abi;
  std::string name;
  std::string version;
  int priority = 0;  // 0-100
  std::string summary;
  std::vector<ParamSpec>
      params;  // full names; without the priority parameter that every component has
  std::vector<VariableSpec> variables;
  std::vector<EventSpec> events;
  std::vector<Fact> facts;
  std::string text;            // the note itself
  Depth depth = Depth::whole;  // of an outline, params, variables and events were not read

  // Errc::refused when the text is not a manifest; the text says which line is wrong. A manifest of
  // another layout is read up to its layout line only: layout and text are set, the rest is empty.
  // An outline is without parameters, variables and events, which are most of it: what is wrong
  // with their lines is found by whole().
  static Result<Manifest> parse(std::string_view text, Depth depth = Depth::whole);
  Result<Manifest> whole() const { return parse(text); }

  // The full name of a parameter; that without a short name has the component's own.
  std::string parameter(std::string_view short_name) const;
  // Whether the component has a boolean parameter of this short name; an outline knows, too.
  bool has_switch(std::string_view short_name) const;
  // Whether the default of that parameter is true.
  bool switched_on(std::string_view short_name) const;
  // The values of all facts with this key, in order.
  std::vector<std::string_view> facts_of(std::string_view key) const;
};

}  // namespace tessera
