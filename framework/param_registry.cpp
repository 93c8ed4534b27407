// SPDX-License-Identifier: BSD-3-Clause
// Declarations, settings and their resolution.
#include "framework/param_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "framework/help.h"
#include "framework/help_topics.h"
#include "framework/param_file.h"
#include "framework/text.h"

namespace tessera {
namespace {

constexpr std::string_view kOwnPrefix = "TESSERA_MCA_";
constexpr std::string_view kForeignPrefix = "OMPI_MCA_";

[[noreturn]] void misuse(std::string_view name, std::string_view what) {
  fmt::print(stderr, "tessera: the engine asks for parameter '{}', which {}.\n", name, what);
  std::abort();
}

}  // namespace

std::string_view source_name(ParamSource source) noexcept {
  switch (source) {
    case ParamSource::default_value:
      return "default";
    case ParamSource::system_file:
      return "system file";
    case ParamSource::user_file:
      return "user file";
    case ParamSource::tune_file:
      return "tune file";
    case ParamSource::foreign_environment:
      return "foreign environment";
    case ParamSource::environment:
      return "environment";
    case ParamSource::command_line:
      return "command line";
    case ParamSource::program:
      return "program";
    case ParamSource::override_file:
      return "override file";
  }
  return "";
}

std::string describe_source(ParamSource source, std::string_view where) {
  const bool variable =
      source == ParamSource::environment || source == ParamSource::foreign_environment;
  if (where.empty()) return std::string(source_name(source));
  if (variable) return fmt::format("environment variable {}", where);
  if (source == ParamSource::command_line) return fmt::format("command line, {}", where);
  return fmt::format("{} {}", source_name(source), where);
}

Status ParamRegistry::declare(ParamSpec spec) {
  auto value = read_default(spec);
  if (!value) return Status::failure(Errc::refused, value.status().text());
  const auto next = parameters_.lower_bound(spec.name);
  const bool declared = next != parameters_.end() && next->first == spec.name;
  if (declared || synonyms_.contains(spec.name))
    return Status::failure(Errc::refused, fmt::format("parameter {} is declared twice", spec.name));
  Parameter& parameter = parameters_.try_emplace(next, spec.name)->second;
  parameter.value = std::move(*value);
  parameter.text = spec.default_text;
  parameter.spec = std::move(spec);
  if (keeping_) late_.push_back(&parameter);
  return {};
}

Status ParamRegistry::declare_synonym(std::string_view name, std::string_view target,
                                      bool deprecated) {
  const auto found = parameters_.find(target);
  if (found == parameters_.end())
    return Status::failure(Errc::refused,
                           fmt::format("synonym {}: there is no parameter {}", name, target));
  if (parameters_.contains(name) || synonyms_.contains(name))
    return Status::failure(Errc::refused, fmt::format("synonym {}: the name is taken", name));
  synonyms_.emplace(name, Synonym{std::string(target), deprecated});
  found->second.synonyms.emplace_back(name);
  return {};
}

void ParamRegistry::add_assignment(std::string_view name, std::string_view value,
                                   ParamSource source, std::string_view where) {
  settings_.push_back({std::string(name), std::string(value), source, std::string(where), {}});
}

void ParamRegistry::withdraw(std::string_view name, ParamSource source) {
  std::erase_if(settings_, [&](const ParamSetting& setting) {
    return setting.source == source && canonical(setting.name) == canonical(name);
  });
}

Status ParamRegistry::add_file(const std::string& path, ParamSource source) {
  auto settings = read_param_file(path, source);
  if (!settings) return settings.status();
  settings_.insert(settings_.end(), settings->begin(), settings->end());
  return {};
}

void ParamRegistry::add_environment(const char* const* envp) {
  for (; envp != nullptr && *envp != nullptr; ++envp) {
    const std::string_view entry(*envp);
    const bool own = entry.starts_with(kOwnPrefix);
    if (!own && !entry.starts_with(kForeignPrefix)) continue;
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view variable = entry.substr(0, equals);
    ParamSetting setting{
        std::string(variable.substr(own ? kOwnPrefix.size() : kForeignPrefix.size())),
        std::string(entry.substr(equals + 1)),
        own ? ParamSource::environment : ParamSource::foreign_environment,
        std::string(variable),
        {}};
    if (std::find(settings_.begin(), settings_.end(), setting) == settings_.end())
      settings_.push_back(std::move(setting));
  }
}

std::uint64_t ParamRegistry::digest_of(const char* const* envp) noexcept {
  std::uint64_t digest = 0;
  for (; envp != nullptr && *envp != nullptr; ++envp) {
    const std::string_view entry(*envp);
    if (!entry.starts_with(kOwnPrefix) && !entry.starts_with(kForeignPrefix)) continue;
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (char c : entry) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    digest = digest * 31 + hash;  // the order counts: the later of two settings wins
  }
  return digest;
}

std::string_view ParamRegistry::canonical(std::string_view name) const noexcept {
  const auto found = synonyms_.find(name);
  return found == synonyms_.end() ? name : std::string_view(found->second.target);
}

Status ParamRegistry::resolve() {
  errors_.clear();
  collect_settings();
  for (auto& [name, parameter] : parameters_) settle(parameter);
  return errors_.empty() ? Status() : Status::failure(Errc::argument, errors_.front());
}

// The reader of files has checked the condition.
bool ParamRegistry::applies(const ParamSetting& setting) const {
  if (setting.when.empty()) return true;
  auto holds = condition_holds(setting.when, context_);
  return holds.ok() && *holds;
}

// The strongest source first, of equal ones the later.
static void hear(std::vector<ParamSetting>& heard, const ParamSetting& one) {
  const auto weaker = std::find_if(heard.begin(), heard.end(),
                                   [&](const auto& other) { return other.source <= one.source; });
  heard.insert(weaker, one);
}

void ParamRegistry::collect_settings() {
  for (auto& [name, parameter] : parameters_) parameter.heard.clear(), parameter.elsewhere.clear();
  for (const ParamSetting& setting : settings_) {
    const auto found = parameters_.find(canonical(setting.name));
    if (found == parameters_.end()) continue;
    Parameter& parameter = found->second;
    applies(setting) ? hear(parameter.heard, setting) : parameter.elsewhere.push_back(setting);
  }
}

// The same for those that a promise has just declared.
void ParamRegistry::settle_late() {
  for (Parameter* parameter : std::exchange(late_, {})) {
    for (const ParamSetting& setting : settings_)
      if (canonical(setting.name) == parameter->spec.name)
        applies(setting) ? hear(parameter->heard, setting)
                         : parameter->elsewhere.push_back(setting);
    if (!parameter->heard.empty() || !parameter->elsewhere.empty()) settle(*parameter);
  }
}

void ParamRegistry::settle(Parameter& parameter) {
  auto& heard = parameter.heard;
  parameter.error.clear();
  if (parameter.source != ParamSource::default_value) {
    parameter.value = parse_value(parameter.spec, parameter.spec.default_text).value();
    parameter.text = parameter.spec.default_text;
    parameter.source = ParamSource::default_value;
    parameter.where.clear();
  }
  if (!heard.empty()) adopt(parameter, heard.front());
  check_for_communicators(parameter);
}

// What is said for communicators is read long after start-up, when nobody expects an error any
// more: so it is checked now.
void ParamRegistry::check_for_communicators(Parameter& parameter) {
  for (const ParamSetting& setting : parameter.elsewhere) {
    if (!about_communicators(setting.when)) continue;
    if (!parameter.spec.per_communicator) {
      reject(parameter, setting, "it holds for the whole job, not for a communicator");
    } else if (auto value = parse_value(parameter.spec, setting.value); !value) {
      reject(parameter, setting, value.status().text());
    }
  }
}

std::vector<ParamSetting> ParamRegistry::of_communicator(std::string_view name) const {
  ParamContext context = context_;
  context.communicator = name;
  std::vector<ParamSetting> found;
  declare_mentioned();
  for (const auto& [full_name, parameter] : parameters_) {
    const ParamSetting* best = nullptr;
    for (const ParamSetting& setting : parameter.elsewhere) {
      if (!about_communicators(setting.when) || setting.source < parameter.source) continue;
      auto holds = condition_holds(setting.when, context);
      if (holds.ok() && *holds && (best == nullptr || setting.source >= best->source))
        best = &setting;
    }
    if (best == nullptr) continue;
    found.push_back(*best);
    found.back().name = full_name;
  }
  return found;
}

void ParamRegistry::adopt(Parameter& parameter, const ParamSetting& winner) {
  for (const ParamSetting& other : parameter.heard) {
    const bool twice = winner.source == ParamSource::command_line &&
                       other.source == winner.source && other.value != winner.value;
    if (!twice) continue;
    parameter.error = help_text(topics::param_twice, parameter.spec.name, other.value, other.where,
                                winner.value, winner.where);
    errors_.push_back(parameter.error);
    return;
  }
  auto value = parse_value(parameter.spec, winner.value);
  if (!value) return reject(parameter, winner, value.status().text());
  parameter.value = std::move(*value);
  parameter.text = winner.value;
  parameter.source = winner.source;
  parameter.where = winner.where;
}

void ParamRegistry::reject(Parameter& parameter, const ParamSetting& winner, std::string_view why) {
  parameter.error = help_text(topics::param_bad_value, parameter.spec.name, winner.value,
                              describe_source(winner.source, winner.where), why,
                              describe_allowed(parameter.spec));
  errors_.push_back(parameter.error);
}

const Parameter* ParamRegistry::declared(std::string_view name) const noexcept {
  const auto found = parameters_.find(canonical(name));
  return found == parameters_.end() ? nullptr : &found->second;
}

const Parameter* ParamRegistry::find(std::string_view name) const {
  const Parameter* found = declared(name);
  if (found != nullptr || promises_.empty()) return found;
  declare_for(name);
  return declared(name);
}

std::vector<const Parameter*> ParamRegistry::owned_by(std::string_view framework,
                                                      std::string_view component) const {
  const std::string owner =
      fmt::format("{}{}{}", framework, component.empty() ? "" : "_", component);
  declare_owner(owner);
  std::vector<const Parameter*> owned;
  for (auto at = parameters_.lower_bound(owner); at != parameters_.end(); ++at) {
    if (!at->first.starts_with(owner)) break;
    const ParamSpec& spec = at->second.spec;
    if (spec.framework == framework && spec.component == component) owned.push_back(&at->second);
  }
  return owned;
}

bool ParamRegistry::mentions(std::string_view prefix) const noexcept {
  return std::any_of(settings_.begin(), settings_.end(), [prefix](const ParamSetting& setting) {
    return setting.name.starts_with(prefix);
  });
}

const ParamValue& ParamRegistry::value_of(std::string_view name, ParamType type) const {
  const Parameter* parameter = find(name);
  if (parameter == nullptr) misuse(name, "nobody declared");
  const bool list_as_text = type == ParamType::text && parameter->spec.type == ParamType::list;
  if (parameter->spec.type != type && !list_as_text)
    misuse(name,
           fmt::format("is of type {}, not {}", type_name(parameter->spec.type), type_name(type)));
  return parameter->value;
}

std::int64_t ParamRegistry::integer(std::string_view name) const {
  return std::get<std::int64_t>(value_of(name, ParamType::integer));
}

std::uint64_t ParamRegistry::size(std::string_view name) const {
  return std::get<std::uint64_t>(value_of(name, ParamType::size));
}

double ParamRegistry::real(std::string_view name) const {
  return std::get<double>(value_of(name, ParamType::real));
}

bool ParamRegistry::boolean(std::string_view name) const {
  return std::get<bool>(value_of(name, ParamType::boolean));
}

const std::string& ParamRegistry::text(std::string_view name) const {
  return std::get<std::string>(value_of(name, ParamType::text));
}

}  // namespace tessera
