// SPDX-License-Identifier: BSD-3-Clause
// The values in force against those that a parameter file gives.
#include <fmt/format.h>

#include "framework/help.h"
#include "json.h"
#include "report.h"

namespace ompi_info {
namespace {

using namespace tessera;

struct Difference {
  const Parameter* here;
  const Parameter* there;
};

// The same parameters with the file as the only source.
Status read_alone(const ParamRegistry& known, const std::string& file, ParamRegistry& alone) {
  alone.set_context(known.context());
  for (const auto& [name, parameter] : known.parameters())
    if (Status declared = alone.declare(parameter.spec); !declared.ok()) return declared;
  for (const auto& [name, parameter] : known.parameters())
    for (const std::string& synonym : parameter.synonyms)
      if (Status declared = alone.declare_synonym(synonym, name, false); !declared.ok())
        return declared;
  if (Status read = alone.add_file(file, ParamSource::tune_file); !read.ok()) return read;
  return alone.resolve();
}

std::vector<Difference> differences(const ParamRegistry& here, const ParamRegistry& there) {
  std::vector<Difference> found;
  for (const auto& [name, parameter] : here.parameters()) {
    const Parameter* other = there.find(name);
    if (parameter.value != other->value) found.push_back({&parameter, other});
  }
  return found;
}

Json side(const Parameter& parameter) {
  return Json::object({{"value", parameter.text},
                       {"source", source_name(parameter.source)},
                       {"where", parameter.where}});
}

void print_json(const std::string& file, const std::vector<Difference>& found,
                const std::vector<std::string>& warnings) {
  Json list = Json::array();
  for (const Difference& one : found)
    list.add(Json::object(
        {{"name", one.here->spec.name}, {"here", side(*one.here)}, {"file", side(*one.there)}}));
  print(Json::object({{"file", file}, {"differences", list}, {"warnings", warnings}}));
}

std::string where(const Parameter& parameter) {
  return parameter.chosen() ? describe_source(parameter.source, parameter.where) : "default";
}

void print_text(const std::string& file, const std::vector<Difference>& found) {
  if (found.empty()) fmt::print("The values in force are those that {} gives.\n", file);
  for (const Difference& one : found)
    fmt::print("{}\n  here '{}' ({})\n  file '{}' ({})\n", one.here->spec.name, one.here->text,
               where(*one.here), one.there->text, where(*one.there));
}

}  // namespace

Result<bool> print_diff(const Microkernel& kernel, const std::string& file, Format format) {
  ParamRegistry alone;
  if (Status read = read_alone(kernel.params(), file, alone); !read.ok()) return read;
  const auto found = differences(kernel.params(), alone);
  const auto warnings = alone.take_warnings();
  if (format == Format::json)
    print_json(file, found, warnings);
  else
    print_text(file, found);
  std::fflush(stdout);
  if (format != Format::json)
    for (const std::string& warning : warnings) print_help(warning);
  return !found.empty();
}

}  // namespace ompi_info
