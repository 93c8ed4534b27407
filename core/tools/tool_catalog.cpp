// SPDX-License-Identifier: BSD-3-Clause
// Gathers parameters, variables, events and categories from manifests and tables.
#include "core/tools/tool_catalog.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/engine/tables.h"
#include "framework/text.h"

namespace tessera {
namespace {

constexpr std::string_view kCore = "core";

// What is known before a program can say anything.
bool known_before(const ParamSpec& spec) noexcept {
  return spec.framework == "boot" || spec.name == "mca_component_path" || spec.name == "mca_strict";
}

std::string category_of(const ParamSpec& spec) {
  if (spec.framework.empty()) return std::string(kCore);
  return spec.component.empty() ? spec.framework
                                : fmt::format("{}_{}", spec.framework, spec.component);
}

}  // namespace

int Enumeration::value_of(std::string_view item) const noexcept {
  const auto found = std::find(items.begin(), items.end(), item);
  return found == items.end() ? -1 : static_cast<int>(found - items.begin());
}

int ToolCatalog::find(const Names& names, std::string_view name) noexcept {
  const auto found = names.find(name);
  return found == names.end() ? -1 : found->second;
}

// Made when it is named first, below `parent` (-1: at the top).
int ToolCatalog::category(const std::string& name, std::string_view description, int parent) {
  const int known = find_category(name);
  if (known >= 0) return known;
  const int number = static_cast<int>(categories_.size());
  categories_.push_back({name, std::string(description), {}, {}, {}, {}});
  category_names_.emplace(name, number);
  if (parent >= 0) categories_[static_cast<std::size_t>(parent)].categories.push_back(number);
  ++stamp_;
  return number;
}

const Enumeration* ToolCatalog::enumeration(std::string name, std::vector<std::string> items) {
  for (const Enumeration& known : enumerations_) {
    if (known.name == name && known.items == items) return &known;
  }
  enumerations_.push_back({std::move(name), std::move(items)});
  return &enumerations_.back();
}

const Enumeration* ToolCatalog::values_of(const ParamSpec& spec) {
  if (spec.type == ParamType::boolean) return enumeration("boolean", {"false", "true"});
  if (spec.type != ParamType::text || spec.allowed.empty()) return nullptr;
  std::vector<std::string> words;
  for (std::string_view word : text::split(spec.allowed, ',')) words.emplace_back(word);
  return enumeration(spec.name, std::move(words));
}

void ToolCatalog::add_control(const ParamSpec& spec, bool of_communicator) {
  std::string name = spec.name + (of_communicator ? ".comm" : "");
  if (find_control(name) >= 0) return;
  const int number = static_cast<int>(controls_.size());
  controls_.push_back({name, spec, values_of(spec), of_communicator, known_before(spec)});
  control_names_.emplace(std::move(name), number);
  const int place = category(category_of(spec), "", -1);
  categories_[static_cast<std::size_t>(place)].controls.push_back(number);
  ++stamp_;
}

void ToolCatalog::add_parameter(const ParamSpec& spec) {
  add_control(spec, false);
  if (spec.per_communicator) add_control(spec, true);
}

void ToolCatalog::add_variable(const VariableSpec& spec, const std::string& owner, int category) {
  if (find_variable(spec.name) >= 0) return;
  const int number = static_cast<int>(variables_.size());
  const bool state = spec.kind == VariableClass::state;
  variables_.push_back(
      {spec, owner, state ? enumeration(spec.name, {"inactive", "running"}) : nullptr});
  variable_names_.emplace(spec.name, number);
  categories_[static_cast<std::size_t>(category)].variables.push_back(number);
  ++stamp_;
}

void ToolCatalog::add_event(const EventSpec& spec, const std::string& owner, unsigned number,
                            int category, const Enumeration* values) {
  if (find_event(spec.name) >= 0) return;
  const int index = static_cast<int>(events_.size());
  events_.push_back({spec, owner, number, values});
  event_names_.emplace(spec.name, index);
  categories_[static_cast<std::size_t>(category)].events.push_back(index);
  ++stamp_;
}

void ToolCatalog::add_engine(const Microkernel& kernel) {
  const int core = category(std::string(kCore), "the engine itself", -1);
  const auto full = [](std::string_view name) { return fmt::format("{}_{}", kCore, name); };
  for (const VariableDecl& decl : engine_variables()) {
    const VariableSpec spec{full(decl.name),        decl.kind,  false,
                            std::string(decl.unit), decl.level, std::string(decl.help)};
    add_variable(spec, std::string(kCore), core);
  }
  unsigned number = 0;
  for (const EventDecl& decl : engine_events()) {
    EventSpec spec{full(decl.name), {}, decl.level, std::string(decl.help)};
    const Enumeration* values = nullptr;
    for (std::string_view element : text::split(decl.elements, ',')) {
      const std::size_t colon = element.find(':');
      spec.elements.emplace_back(element.substr(0, colon));
      if (colon == std::string_view::npos) continue;
      const std::string framework(element.substr(colon + 1));
      values = enumeration(framework, kernel.catalog().known_names(framework));
    }
    add_event(spec, std::string(kCore), number++, core, values);
  }
}

void ToolCatalog::add_component(const Candidate& candidate, int framework) {
  const std::string owner = fmt::format("{}_{}", candidate.framework, candidate.name);
  const int place = category(owner, candidate.manifest.summary, framework);
  auto manifest = candidate.manifest.whole();
  if (!manifest) return;
  for (const VariableSpec& spec : manifest->variables) add_variable(spec, owner, place);
  unsigned number = 0;
  for (const EventSpec& spec : manifest->events) add_event(spec, owner, number++, place, nullptr);
}

void ToolCatalog::add(const Microkernel& kernel) {
  add_engine(kernel);
  for (const FrameworkInfo& framework : kernel.frameworks()) {
    const int place = category(std::string(framework.name), framework.description, -1);
    for (const Candidate& candidate : kernel.catalog().candidates()) {
      if (candidate.framework == framework.name && candidate.admissible())
        add_component(candidate, place);
    }
  }
  for (const auto& [name, parameter] : kernel.params().parameters()) add_parameter(parameter.spec);
}

}  // namespace tessera
