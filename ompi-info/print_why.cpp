// SPDX-License-Identifier: BSD-3-Clause
// Every source that sets one parameter.
#include <fmt/format.h>

#include "framework/text.h"
#include "json.h"
#include "report.h"

namespace ompi_info {
namespace {

using namespace tessera;

Status unknown_param(const Microkernel& kernel, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [known_name, parameter] : kernel.params().parameters())
    known.push_back(known_name);
  return Status::failure(
      Errc::not_found,
      fmt::format("there is no parameter '{}'{}; `ompi-info WORD` searches the names and "
                  "descriptions of all parameters",
                  name, text::did_you_mean(name, known)));
}

std::string condition(const ParamSetting& setting) {
  return setting.when.empty() ? "" : fmt::format(", section [{}]", setting.when);
}

// What sections for other machines or numbers of ranks, or for communicators, say.
void print_elsewhere(const Microkernel& kernel, const Parameter& parameter) {
  const ParamContext& context = kernel.params().context();
  const std::string ranks = context.ranks == 0 ? "a number of ranks that --ranks would tell"
                                               : fmt::format("{} ranks", context.ranks);
  for (const ParamSetting& setting : parameter.elsewhere) {
    const std::string why = about_communicators(setting.when)
                                ? "for communicators of such names"
                                : fmt::format("not for host {} with {}", context.host, ranks);
    fmt::print("  elsewhere '{}' from {}{}: {}\n", setting.value,
               describe_source(setting.source, setting.where), condition(setting), why);
  }
}

void print_chain(const Parameter& parameter) {
  bool winner = true;
  for (const ParamSetting& setting : parameter.heard) {
    const std::string alias =
        setting.name == parameter.spec.name ? "" : fmt::format(", as {}", setting.name);
    const bool refused = winner && !parameter.error.empty();
    fmt::print("  {} '{}' from {}{}{}\n", refused ? "refused" : (winner ? "in force" : "defeated"),
               setting.value, describe_source(setting.source, setting.where), alias,
               condition(setting));
    winner = false;
  }
  const bool default_in_force = !parameter.chosen();
  fmt::print("  {} '{}' by default\n", default_in_force ? "in force" : "defeated",
             parameter.spec.default_text);
}

}  // namespace

Status print_why(const Microkernel& kernel, const std::string& name, Format format) {
  const Parameter* parameter = kernel.params().find(name);
  if (parameter == nullptr) return unknown_param(kernel, name);
  if (format == Format::json) {
    print(param_json(kernel, *parameter));
    return {};
  }
  fmt::print("{} = '{}'\n", parameter->spec.name, parameter->text);
  print_chain(*parameter);
  print_elsewhere(kernel, *parameter);
  fmt::print("  allowed: {}{}\n{}\n", describe_allowed(parameter->spec),
             special_marks(parameter->spec), text::wrap(parameter->spec.help, 100, 2));
  const std::string problem = owner_problem(kernel, *parameter);
  if (!problem.empty()) fmt::print("  without effect: its component is {}\n", problem);
  return {};
}

}  // namespace ompi_info
