// SPDX-License-Identifier: BSD-3-Clause
// The parameters of one component as it sees them.
#include "framework/component_params.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace tessera {
namespace {

[[noreturn]] void misuse(std::string_view owner, std::string_view name, std::string_view what) {
  fmt::print(stderr, "tessera: component {} asks for its parameter '{}', which {}.\n", owner, name,
             what);
  std::abort();
}

}  // namespace

ComponentParams::ComponentParams(const ParamRegistry& registry, std::string_view framework,
                                 std::string_view component)
    : owner_(fmt::format("{}{}{}", framework, component.empty() ? "" : "_", component)) {
  for (const Parameter* parameter : registry.owned_by(framework, component)) {
    const std::string& name = parameter->spec.name;
    if (name.size() <= owner_.size()) continue;  // the framework's own list
    entries_.emplace(name.substr(owner_.size() + 1),
                     Entry{parameter->spec.type, parameter->value, parameter->chosen()});
  }
}

const ComponentParams::Entry& ComponentParams::entry(std::string_view name) const noexcept {
  const auto found = entries_.find(name);
  if (found == entries_.end()) misuse(owner_, name, "its manifest does not declare");
  return found->second;
}

const ComponentParams::Entry& ComponentParams::entry(std::string_view name,
                                                     ParamType type) const noexcept {
  const Entry& found = entry(name);
  if (found.type != type)
    misuse(owner_, name,
           fmt::format("is of type {}, not {}", type_name(found.type), type_name(type)));
  return found;
}

std::int64_t ComponentParams::integer(std::string_view name) const noexcept {
  return std::get<std::int64_t>(entry(name, ParamType::integer).value);
}

std::uint64_t ComponentParams::size(std::string_view name) const noexcept {
  return std::get<std::uint64_t>(entry(name, ParamType::size).value);
}

double ComponentParams::real(std::string_view name) const noexcept {
  return std::get<double>(entry(name, ParamType::real).value);
}

bool ComponentParams::boolean(std::string_view name) const noexcept {
  return std::get<bool>(entry(name, ParamType::boolean).value);
}

std::string_view ComponentParams::text(std::string_view name) const noexcept {
  const Entry& found = entry(name);
  if (found.type == ParamType::list) return std::get<std::string>(found.value);
  return std::get<std::string>(entry(name, ParamType::text).value);
}

bool ComponentParams::chosen(std::string_view name) const noexcept {
  return entry(name).chosen;
}

}  // namespace tessera
