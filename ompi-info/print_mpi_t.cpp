// SPDX-License-Identifier: BSD-3-Clause
// ompi-info --mpi-t: what the tool interface lists.
#include <fmt/format.h>

#include <array>

#include "core/tools/tool_catalog.h"
#include "framework/text.h"
#include "json.h"
#include "report.h"

namespace ompi_info {
namespace {

using namespace tessera;

// One thing that is listed: its kind and name, and facts about it in the order of their printing.
struct Entry {
  std::string kind;
  std::string name;
  std::vector<std::pair<std::string, std::string>> facts;
};

std::string scope_of(const ControlVariable& control) {
  if (control.fixed) return "read-only";
  if (control.of_communicator) return "group, equal";
  return control.spec.uniform ? "all, equal" : "local";
}

std::vector<Entry> entries_of(const ToolCatalog& catalog) {
  std::vector<Entry> entries;
  for (const ControlVariable& control : catalog.controls()) {
    entries.push_back({"cvar",
                       control.name,
                       {{"type", std::string(type_name(control.spec.type))},
                        {"scope", scope_of(control)},
                        {"binding", control.of_communicator ? "communicator" : "none"},
                        {"level", std::to_string(control.spec.level)},
                        {"help", control.spec.help}}});
  }
  for (const PerformanceVariable& variable : catalog.variables()) {
    entries.push_back({"pvar",
                       variable.spec.name,
                       {{"class", std::string(class_name(variable.spec.kind))},
                        {"unit", variable.spec.unit},
                        {"binding", variable.spec.per_peer ? "communicator" : "none"},
                        {"level", std::to_string(variable.spec.level)},
                        {"help", variable.spec.help}}});
  }
  for (const EventType& event : catalog.events()) {
    entries.push_back({"event",
                       event.spec.name,
                       {{"elements", text::join(event.spec.elements, ",")},
                        {"level", std::to_string(event.spec.level)},
                        {"help", event.spec.help}}});
  }
  for (const ToolCategory& category : catalog.categories()) {
    entries.push_back({"category",
                       category.name,
                       {{"cvars", std::to_string(category.controls.size())},
                        {"pvars", std::to_string(category.variables.size())},
                        {"events", std::to_string(category.events.size())},
                        {"help", category.description}}});
  }
  return entries;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTitles = {
    {{"cvar", "Control variables"},
     {"pvar", "Performance variables"},
     {"event", "Events"},
     {"category", "Categories"}}};

std::string as_text(const std::vector<Entry>& entries) {
  std::string out;
  for (const auto& [kind, title] : kTitles) {
    out += fmt::format("{}\n", title);
    for (const Entry& entry : entries) {
      if (entry.kind != kind) continue;
      std::string facts;
      for (const auto& [key, value] : entry.facts) {
        if (key == "help" || value.empty() || value == "none") continue;
        facts += fmt::format("{}{} {}", facts.empty() ? "" : ", ", key, value);
      }
      out += fmt::format("  {:<44} {}\n", entry.name, facts);
    }
  }
  return out;
}

std::string as_lines(const std::vector<Entry>& entries) {
  std::string out;
  for (const Entry& entry : entries) {
    for (const auto& [key, value] : entry.facts)
      out += fmt::format("{}\t{}\t{}\t{}\n", entry.kind, entry.name, key, text::escape(value));
  }
  return out;
}

void print_as_json(const std::vector<Entry>& entries) {
  Json all = Json::object();
  for (const auto& [kind, title] : kTitles) {
    Json of_kind = Json::object();
    for (const Entry& entry : entries) {
      if (entry.kind != kind) continue;
      Json facts = Json::object();
      for (const auto& [key, value] : entry.facts) facts.set(key, value);
      of_kind.set(entry.name, facts);
    }
    all.set(kind, of_kind);
  }
  print(all);
}

}  // namespace

void print_mpi_t(const Microkernel& kernel, Format format) {
  ToolCatalog catalog;
  catalog.add(kernel);
  const std::vector<Entry> entries = entries_of(catalog);
  if (format == Format::json) return print_as_json(entries);
  fmt::print("{}", format == Format::parsable ? as_lines(entries) : as_text(entries));
}

}  // namespace ompi_info
