// SPDX-License-Identifier: BSD-3-Clause
// What the registry warns about: unknown names, deprecated names, settings without effect.
#include <algorithm>
#include <set>

#include "framework/help.h"
#include "framework/help_topics.h"
#include "framework/param_registry.h"
#include "framework/text.h"

namespace tessera {

bool ParamRegistry::foreign_and_unknown(const ParamSetting& setting) const noexcept {
  return setting.source == ParamSource::foreign_environment && find(setting.name) == nullptr;
}

std::vector<UnknownParam> ParamRegistry::unknown() const {
  std::vector<std::string> known;
  std::vector<UnknownParam> result;
  std::set<std::string_view> seen;
  for (const ParamSetting& setting : settings_) {
    if (find(setting.name) != nullptr || foreign_and_unknown(setting) ||
        !seen.insert(setting.name).second)
      continue;
    if (known.empty()) {
      for (const auto& [name, parameter] : parameters()) known.push_back(name);
      for (const auto& [name, synonym] : synonyms_) known.push_back(name);
    }
    result.push_back({setting, std::string(text::nearest(setting.name, known))});
  }
  return result;
}

namespace {

std::string unknown_text(const UnknownParam& unknown) {
  const std::string hint =
      unknown.nearest.empty() ? "" : " (did you mean '" + unknown.nearest + "'?)";
  const ParamSetting& setting = unknown.setting;
  return help_text(topics::param_unknown, setting.name, hint,
                   describe_source(setting.source, setting.where));
}

}  // namespace

Status ParamRegistry::check_strict() const {
  const Parameter* strict = find("mca_strict");
  if (strict == nullptr || !boolean("mca_strict")) return {};
  const auto names = unknown();
  return names.empty() ? Status() : Status::failure(Errc::refused, unknown_text(names.front()));
}

std::vector<std::string> ParamRegistry::take_warnings() {
  warn_unknown();
  warn_deprecated();
  warn_defeated();
  return std::exchange(pending_, {});
}

void ParamRegistry::warn(std::string text) {
  if (std::find(warned_.begin(), warned_.end(), text) != warned_.end()) return;
  warned_.push_back(text);
  pending_.push_back(std::move(text));
}

void ParamRegistry::warn_unknown() {
  for (const UnknownParam& name : unknown()) warn(unknown_text(name));
}

void ParamRegistry::warn_deprecated() {
  declare_mentioned();
  for (const ParamSetting& setting : settings_) {
    const auto found = synonyms_.find(setting.name);
    if (found == synonyms_.end() || !found->second.deprecated) continue;
    if (setting.source == ParamSource::foreign_environment)
      continue;  // it has another reader, who knows it so
    warn(help_text(topics::param_deprecated, setting.name, found->second.target,
                   describe_source(setting.source, setting.where)));
  }
}

// Only what the user said for this very run is worth a word; a file of theirs may serve several
// sites.
void ParamRegistry::warn_defeated() {
  declare_mentioned();
  for (const auto& [name, parameter] : parameters_) {
    if (parameter.source != ParamSource::override_file) continue;
    for (const ParamSetting& setting : parameter.heard) {
      const bool spoken =
          setting.source == ParamSource::command_line || setting.source == ParamSource::environment;
      if (!spoken || setting.value == parameter.text) continue;
      warn(help_text(topics::param_defeated, name, setting.value,
                     describe_source(setting.source, setting.where), parameter.where));
    }
  }
}

}  // namespace tessera
