// SPDX-License-Identifier: BSD-3-Clause
// Output for people at a terminal.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "framework/terminal.h"
#include "framework/text.h"
#include "report.h"

namespace ompi_info {
namespace {

using namespace tessera;

// What a component says of itself, but for what is told with its parameters.
std::string capabilities(const Manifest& manifest) {
  std::string words;
  for (const Fact& fact : manifest.facts) {
    if (fact.key == "uniform" || fact.key == "per_communicator" || fact.key == "synonym" ||
        fact.key == "deprecated")
      continue;
    words += fmt::format("{}{} {}", words.empty() ? "" : "; ", fact.key, fact.value);
  }
  return words;
}

class TextPrinter {
 public:
  explicit TextPrinter(const Report& report)
      : report_(report), width_(output_columns(STDOUT_FILENO)) {}

  void print() const {
    if (!report_.filtered) print_installation();
    for (const FrameworkInfo& framework : report_.kernel.frameworks()) print_framework(framework);
    print_strangers();
    print_section("core", "");
    const bool nothing =
        report_.frameworks.empty() && report_.components.empty() && report_.params.empty();
    if (nothing) fmt::print("Nothing matches.\n");
  }

 private:
  void paragraph(std::string_view text, std::size_t indent) const {
    if (!text.empty()) fmt::print("{}\n", text::wrap(text, width_, indent));
  }

  void print_installation() const {
    fmt::print("Tessera {} in {}\n", TESSERA_VERSION, report_.kernel.paths().prefix);
    for (const SearchDirectory& directory : report_.kernel.catalog().directories())
      fmt::print("searched {}{}{}\n", text::printable(directory.path),
                 directory.problem.empty() ? "" : ": ", directory.problem);
    fmt::print("\n");
  }

  bool shows(const FrameworkInfo& framework) const {
    const auto& shown = report_.frameworks;
    return std::find(shown.begin(), shown.end(), &framework) != shown.end();
  }

  bool mentions(std::string_view framework) const {
    const auto of_framework = [framework](const auto* one) { return one->framework == framework; };
    return std::any_of(report_.components.begin(), report_.components.end(), of_framework) ||
           std::any_of(
               report_.params.begin(), report_.params.end(),
               [framework](const Parameter* one) { return one->spec.framework == framework; });
  }

  void print_framework(const FrameworkInfo& framework) const {
    if (!shows(framework) && !mentions(framework.name)) return;
    paragraph(fmt::format("{}: {} (interface {}; {})", framework.name, framework.description,
                          framework.interface_number, shape_name(framework.shape)),
              0);
    for (const Candidate* candidate : report_.components)
      if (candidate->framework == framework.name) print_component(*candidate);
    print_params(framework.name);
    fmt::print("\n");
  }

  // Components of frameworks that this engine does not have: all refused.
  void print_strangers() const {
    bool any = false;
    for (const Candidate* candidate : report_.components) {
      if (find_framework(report_.kernel.frameworks(), candidate->framework) != nullptr) continue;
      if (!any) fmt::print("other frameworks\n");
      any = true;
      print_component(*candidate);
    }
    if (any) fmt::print("\n");
  }

  void print_component(const Candidate& candidate) const {
    const Manifest& manifest = candidate.manifest;
    const std::string version = manifest.version.empty() ? "" : " " + manifest.version;
    fmt::print("  component {}{}, {}", candidate.name, version, verdict_name(candidate.verdict));
    if (!manifest.name.empty()) fmt::print(", priority {}", report_.kernel.priority(candidate));
    fmt::print("\n");
    paragraph(manifest.summary, 6);
    paragraph(capabilities(manifest), 6);
    paragraph(candidate.usable() ? candidate.path : candidate.reason, 6);
  }

  void print_section(std::string_view title, std::string_view framework) const {
    const bool any =
        std::any_of(report_.params.begin(), report_.params.end(),
                    [framework](const Parameter* one) { return one->spec.framework == framework; });
    if (!any) return;
    fmt::print("{}\n", title);
    print_params(framework);
  }

  void print_params(std::string_view framework) const {
    for (const Parameter* parameter : report_.params)
      if (parameter->spec.framework == framework) print_param(*parameter);
  }

  void print_param(const Parameter& parameter) const {
    const ParamSpec& spec = parameter.spec;
    std::string head =
        fmt::format("{} = {} ({})", spec.name, parameter.text.empty() ? "\"\"" : parameter.text,
                    describe_source(parameter.source, parameter.where));
    if (parameter.chosen())
      head += fmt::format(", default {}", spec.default_text.empty() ? "\"\"" : spec.default_text);
    paragraph(head, 2);
    paragraph(spec.help, 6);
    std::string detail = fmt::format("{}; level {} ({})", describe_allowed(spec), spec.level,
                                     level_name(spec.level));
    detail += special_marks(spec);
    if (!parameter.synonyms.empty()) detail += "; also " + text::join(parameter.synonyms, ", ");
    const std::string problem = owner_problem(report_.kernel, parameter);
    if (!problem.empty()) detail += "; its component is " + problem;
    paragraph(detail, 6);
  }

  const Report& report_;
  std::size_t width_;
};

}  // namespace

void print_text(const Report& report) {
  TextPrinter(report).print();
}

}  // namespace ompi_info
