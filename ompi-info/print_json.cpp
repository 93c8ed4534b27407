// SPDX-License-Identifier: BSD-3-Clause
// Output as one JSON object.
#include <fmt/format.h>

#include "json.h"
#include "report.h"

namespace ompi_info {
namespace {

using namespace tessera;

Json framework_json(const Microkernel& kernel, const FrameworkInfo& framework) {
  return Json::object({{"name", framework.name},
                       {"interface", framework.interface_number},
                       {"description", framework.description},
                       {"shape", shape_name(framework.shape)},
                       {"selection", kernel.selection(framework.name).list()}});
}

Json component_json(const Microkernel& kernel, const Candidate& candidate) {
  const Manifest& manifest = candidate.manifest;
  Json facts = Json::array();
  for (const Fact& fact : manifest.facts)
    facts.add(Json::object({{"key", fact.key}, {"value", fact.value}}));
  return Json::object({{"framework", candidate.framework},
                       {"name", candidate.name},
                       {"version", manifest.version},
                       {"interface", manifest.interface_number},
                       {"abi", manifest.abi},
                       {"priority", kernel.priority(candidate)},
                       {"summary", manifest.summary},
                       {"verdict", verdict_name(candidate.verdict)},
                       {"reason", candidate.reason},
                       {"path", candidate.path},
                       {"facts", facts}});
}

Json settings_json(const std::vector<ParamSetting>& settings) {
  Json list = Json::array();
  for (const ParamSetting& setting : settings)
    list.add(Json::object({{"name", setting.name},
                           {"value", setting.value},
                           {"source", source_name(setting.source)},
                           {"where", setting.where},
                           {"when", setting.when}}));
  return list;
}

}  // namespace

Json param_json(const Microkernel& kernel, const Parameter& parameter) {
  const ParamSpec& spec = parameter.spec;
  return Json::object({{"name", spec.name},
                       {"framework", spec.framework},
                       {"component", spec.component},
                       {"type", type_name(spec.type)},
                       {"value", parameter.text},
                       {"default", spec.default_text},
                       {"source", source_name(parameter.source)},
                       {"where", parameter.where},
                       {"level", spec.level},
                       {"unit", spec.unit},
                       {"allowed", spec.allowed},
                       {"help", spec.help},
                       {"synonyms", parameter.synonyms},
                       {"uniform", spec.uniform},
                       {"per_communicator", spec.per_communicator},
                       {"heard", settings_json(parameter.heard)},
                       {"elsewhere", settings_json(parameter.elsewhere)},
                       {"error", parameter.error},
                       {"component_verdict", owner_problem(kernel, parameter)}});
}

void print(const Json& object) {
  fmt::print("{}\n", object.text());
}

void print_json(const Report& report) {
  const Microkernel& kernel = report.kernel;
  Json search_path = Json::array(), frameworks = Json::array(), components = Json::array(),
       parameters = Json::array();
  for (const SearchDirectory& directory : kernel.catalog().directories())
    search_path.add(Json::object({{"directory", directory.path}, {"problem", directory.problem}}));
  for (const FrameworkInfo* one : report.frameworks) frameworks.add(framework_json(kernel, *one));
  for (const Candidate* one : report.components) components.add(component_json(kernel, *one));
  for (const Parameter* one : report.params) parameters.add(param_json(kernel, *one));
  print(Json::object(
      {{"tessera", Json::object({{"version", TESSERA_VERSION}, {"prefix", kernel.paths().prefix}})},
       {"search_path", search_path},
       {"frameworks", frameworks},
       {"components", components},
       {"parameters", parameters},
       {"warnings", report.warnings},
       {"problems", kernel.problems()}}));
}

}  // namespace ompi_info
