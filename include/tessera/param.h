// SPDX-License-Identifier: BSD-3-Clause
// Parameters as a component sees them: declared in its manifest, read through Params.
#pragma once
//
// Contract. A component declares each of its parameters in its manifest (TESSERA_PARAM in
// component.h): name, type, default, allowed values, unit, level, help. The engine knows them all
// without running the component. It resolves each value once, before the component is opened, from
// the sources in this order (strongest first): override file, command line, environment
// (TESSERA_MCA_<full name>), tune file, user file, system file, default. A value that does not
// parse or is not allowed never reaches the component: the engine reports it, with its source. The
// full name is <framework>_<component>_<name>. Every component also has
// <framework>_<component>_priority.
//
#include <cstdint>
#include <string_view>

namespace tessera {

// The type names used in manifests. `allowed` is, by type: integer, size, real: "low..high" (either
// end may be missing); text: a comma list of the only values, or empty for any; boolean: empty;
// list: a comma list of the possible elements, or empty. Sizes are bytes and accept K, M, G (powers
// of 1024); integers accept 0x and octal notation.
enum class ParamType : std::uint8_t { integer, size, real, boolean, text, list };

// How deep a reader must be in the subject: user 1-3, tuner 4-6, developer 7-9 (basic, detail, all
// in each).
enum class ParamLevel : std::uint8_t {
  user_basic = 1,
  user_detail,
  user_all,
  tuner_basic,
  tuner_detail,
  tuner_all,
  developer_basic,
  developer_detail,
  developer_all
};

// The resolved parameters of one component, by short name. Asking for a name that the manifest does
// not declare, or with another type, is a programming error of the component and ends the process
// with a message that says so. Returned text is owned by the engine and lives as long as the
// component.
class Params {
 public:
  virtual std::int64_t integer(std::string_view name) const noexcept = 0;
  virtual std::uint64_t size(std::string_view name) const noexcept = 0;  // bytes
  virtual double real(std::string_view name) const noexcept = 0;
  virtual bool boolean(std::string_view name) const noexcept = 0;
  virtual std::string_view text(
      std::string_view name) const noexcept = 0;  // also the raw form of a list
  // Whether any source but the default spoke: a value somebody asked for is never silently adapted.
  virtual bool chosen(std::string_view name) const noexcept = 0;

 protected:
  ~Params() = default;
};

}  // namespace tessera
