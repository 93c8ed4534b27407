// SPDX-License-Identifier: BSD-3-Clause
// Output for scripts: one fact per line, four fields separated by tabs.
#include <fmt/format.h>

#include "framework/text.h"
#include "report.h"

namespace ompi_info {
namespace {

using namespace tessera;

void line(std::string_view kind, std::string_view name, std::string_view field,
          std::string_view value) {
  fmt::print("{}\t{}\t{}\t{}\n", kind, text::escape(name), field, text::escape(value));
}

void print_framework(const Microkernel& kernel, const FrameworkInfo& framework) {
  line("framework", framework.name, "interface", std::to_string(framework.interface_number));
  line("framework", framework.name, "description", framework.description);
  line("framework", framework.name, "shape", shape_name(framework.shape));
  line("framework", framework.name, "selection", kernel.selection(framework.name).list());
}

// Named by its path: two candidates may have the same name.
void print_component(const Microkernel& kernel, const Candidate& candidate) {
  const Manifest& manifest = candidate.manifest;
  const std::string& path = candidate.path;
  line("component", path, "framework", candidate.framework);
  line("component", path, "name", candidate.name);
  line("component", path, "version", manifest.version);
  line("component", path, "interface", std::to_string(manifest.interface_number));
  line("component", path, "abi", manifest.abi);
  line("component", path, "priority", std::to_string(kernel.priority(candidate)));
  line("component", path, "summary", manifest.summary);
  line("component", path, "verdict", verdict_name(candidate.verdict));
  line("component", path, "reason", candidate.reason);
  for (const Fact& fact : manifest.facts)
    line("component", path, "fact:" + text::escape(fact.key), fact.value);
}

void print_param(const Microkernel& kernel, const Parameter& parameter) {
  const ParamSpec& spec = parameter.spec;
  line("param", spec.name, "framework", spec.framework);
  line("param", spec.name, "component", spec.component);
  line("param", spec.name, "component_verdict", owner_problem(kernel, parameter));
  line("param", spec.name, "type", type_name(spec.type));
  line("param", spec.name, "value", parameter.text);
  line("param", spec.name, "default", spec.default_text);
  line("param", spec.name, "source", source_name(parameter.source));
  line("param", spec.name, "where", parameter.where);
  line("param", spec.name, "level", std::to_string(spec.level));
  line("param", spec.name, "unit", spec.unit);
  line("param", spec.name, "allowed", spec.allowed);
  line("param", spec.name, "help", spec.help);
  line("param", spec.name, "uniform", spec.uniform ? "true" : "false");
  line("param", spec.name, "per_communicator", spec.per_communicator ? "true" : "false");
  if (!parameter.error.empty()) line("param", spec.name, "error", parameter.error);
  for (const std::string& synonym : parameter.synonyms)
    line("param", spec.name, "synonym", synonym);
}

}  // namespace

void print_parsable(const Report& report) {
  const Microkernel& kernel = report.kernel;
  line("tessera", "", "version", TESSERA_VERSION);
  line("tessera", "", "prefix", kernel.paths().prefix);
  for (const SearchDirectory& directory : kernel.catalog().directories())
    line("search_path", directory.path, "problem", directory.problem);
  for (const FrameworkInfo* one : report.frameworks) print_framework(kernel, *one);
  for (const Candidate* one : report.components) print_component(kernel, *one);
  for (const Parameter* one : report.params) print_param(kernel, *one);
}

}  // namespace ompi_info
