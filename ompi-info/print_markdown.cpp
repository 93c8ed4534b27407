// SPDX-License-Identifier: BSD-3-Clause
// Output as tables for documents; what depends on the machine (paths, settings in force) is left
// out.
#include <fmt/format.h>

#include "framework/text.h"
#include "report.h"

namespace ompi_info {
namespace {

using namespace tessera;

std::string cell(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '|' || c == '<' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string code(std::string_view text) {
  return text.empty() ? "" : fmt::format("`{}`", cell(text));
}

std::string marks(const ParamSpec& spec) {
  std::string words;
  if (spec.uniform) words += " Equal on all ranks.";
  if (spec.per_communicator) words += " Per communicator.";
  return words;
}

void print_components(const Report& report, std::string_view framework) {
  bool any = false;
  for (const Candidate* candidate : report.components) {
    if (candidate->framework != framework) continue;
    if (!any)
      fmt::print(
          "| component | version | priority | verdict | what it is |\n|---|---|---|---|---|\n");
    any = true;
    fmt::print("| {} | {} | {} | {} | {} |\n", cell(candidate->name),
               cell(candidate->manifest.version), candidate->manifest.priority,
               verdict_name(candidate->verdict), cell(candidate->manifest.summary));
  }
  if (any) fmt::print("\n");
}

void print_params(const Report& report, std::string_view framework) {
  bool any = false;
  for (const Parameter* parameter : report.params) {
    const ParamSpec& spec = parameter->spec;
    if (spec.framework != framework) continue;
    if (!any)
      fmt::print("| parameter | default | allowed | level | meaning |\n|---|---|---|---|---|\n");
    any = true;
    fmt::print("| `{}` | {} | {} | {} | {} |\n", spec.name, code(spec.default_text),
               cell(describe_allowed(spec)), spec.level, cell(spec.help + marks(spec)));
  }
  if (any) fmt::print("\n");
}

}  // namespace

void print_markdown(const Report& report) {
  fmt::print("# Parameters and components of Tessera {}\n\n", TESSERA_VERSION);
  for (const FrameworkInfo* framework : report.frameworks) {
    fmt::print("## {}\n\n{} (interface {}; {}).\n\n", framework->name, cell(framework->description),
               framework->interface_number, shape_name(framework->shape));
    print_components(report, framework->name);
    print_params(report, framework->name);
  }
  fmt::print("## core\n\n");
  print_params(report, "");
}

}  // namespace ompi_info
