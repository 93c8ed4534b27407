// SPDX-License-Identifier: BSD-3-Clause
// Info keys that give a communicator parameters of its own.
#include "core/comm/hints.h"

#include <fmt/format.h>

#include "framework/help.h"
#include "framework/help_topics.h"
#include "framework/text.h"

namespace tessera {
namespace {

constexpr std::string_view prefix = "tessera.";

std::string unknown_key(const Microkernel& kernel, std::string_view name) {
  std::vector<std::string> known;
  for (const auto& [parameter, entry] : kernel.params().parameters())
    if (entry.spec.per_communicator) known.push_back(parameter);
  return help_text(topics::hint_unknown, name, text::did_you_mean(name, known));
}

Status check_value(const Microkernel& kernel, const ParamSpec& spec, const std::string& value) {
  const std::string origin = fmt::format("info key {}{}", prefix, spec.name);
  if (auto parsed = parse_value(spec, value); !parsed)
    return help_failure(Errc::argument, topics::param_bad_value, spec.name, value, origin,
                        parsed.status().text(), describe_allowed(spec));
  if (spec.name != spec.framework) return {};
  auto list = kernel.read_selection(spec.framework, value, origin);
  return list.ok() ? Status() : Status::failure(Errc::argument, list.status().text());
}

// What is wrong with one key, as a failure or as a warning; neither: it holds.
Status check_key(const Microkernel& kernel, bool too_late, std::string_view name,
                 const std::string& value, std::string& warning) {
  const Parameter* parameter = kernel.params().find(name);
  const bool known = parameter != nullptr && parameter->spec.per_communicator;
  if (known) {
    if (too_late) warning = help_text(topics::hint_late, name);
    return check_value(kernel, parameter->spec, value);
  }
  warning = parameter != nullptr ? help_text(topics::hint_global, name) : unknown_key(kernel, name);
  return kernel.params().boolean("mca_strict") ? Status::failure(Errc::not_found, warning)
                                               : Status();
}

}  // namespace

Status check_hints(const Microkernel& kernel, bool too_late, Hints& hints,
                   std::vector<std::string>& warnings) {
  Hints kept;
  for (const auto& [key, value] : hints) {
    if (!key.starts_with(prefix)) {
      kept.insert_or_assign(key, value);
      continue;
    }
    const std::string name = key.substr(prefix.size());
    std::string warning;
    if (Status checked = check_key(kernel, too_late, name, value, warning); !checked.ok())
      return checked;
    if (warning.empty())
      kept.insert_or_assign(fmt::format("{}{}", prefix, kernel.params().find(name)->spec.name),
                            value);
    else
      warnings.push_back(std::move(warning));
  }
  hints = std::move(kept);
  return {};
}

}  // namespace tessera
