// SPDX-License-Identifier: BSD-3-Clause
// Parameters that belong to no framework, and those that every framework and component has.
#include "framework/core_params.h"

#include <fmt/format.h>

#include <array>

namespace tessera {
namespace {

constexpr std::array<ParamDecl, 2> own_params = {{
    {"mca_component_path", ParamType::text, "USER:SYSTEM", "", "", ParamLevel::user_detail,
     "Directories to search for components, separated by ':'. The first usable component of a name "
     "wins. USER stands for ~/.tessera/components, SYSTEM for the installed components."},
    {"mca_strict", ParamType::boolean, "false", "", "", ParamLevel::user_detail,
     "Treat an unknown parameter name as an error instead of a warning."},
}};

}  // namespace

std::span<const ParamDecl> core_params() noexcept {
  return own_params;
}

ParamSpec selection_param(const FrameworkInfo& framework) {
  ParamSpec spec;
  spec.name = framework.name;
  spec.type = ParamType::list;
  spec.level = static_cast<int>(ParamLevel::user_basic);
  spec.help =
      "Components of this framework to use. 'a,b': only these. '^a,b': all except these. Empty: "
      "all.";
  spec.framework = framework.name;
  spec.uniform = framework.uniform;
  spec.per_communicator = framework.per_communicator;
  return spec;
}

ParamSpec verbose_param(std::string_view framework) {
  return ParamSpec::from(
      {"verbose", ParamType::integer, "0", "0..100", "", ParamLevel::developer_basic,
       "Verbosity of this framework on standard error. 0: silent. 1: decisions. 10: steps. 50: "
       "details. 100: everything."},
      framework);
}

ParamSpec priority_param(const FrameworkInfo& framework, std::string_view component, int priority) {
  ParamSpec spec;
  spec.name = fmt::format("{}_{}_priority", framework.name, component);
  spec.type = ParamType::integer;
  spec.default_text = std::to_string(priority);
  spec.allowed = "0..100";
  spec.level = static_cast<int>(ParamLevel::tuner_detail);
  spec.help = "Priority among the components of the framework. The highest wins.";
  spec.framework = framework.name;
  spec.component = component;
  spec.uniform = framework.uniform;
  spec.per_communicator = framework.per_communicator;
  return spec;
}

}  // namespace tessera
