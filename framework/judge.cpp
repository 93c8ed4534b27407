// SPDX-License-Identifier: BSD-3-Clause
// Judges one file of a component directory from its bytes.
#include "framework/judge.h"

#include <fmt/format.h>

#include "framework/manifest_reader.h"
#include "framework/text.h"
#include "framework/trust.h"
#include "tessera/component.h"

namespace tessera {
namespace {

std::string known_list(std::span<const FrameworkInfo> frameworks) {
  std::vector<std::string> names;
  for (const FrameworkInfo& framework : frameworks) names.emplace_back(framework.name);
  return fmt::format("{}{}", text::join(names, ", "), names.empty() ? "none" : "");
}

std::string interface_problem(const Manifest& manifest, const FrameworkInfo& framework) {
  if (manifest.interface_number == framework.interface_number) return {};
  return fmt::format(
      "built for interface {} of framework {}, this engine has interface {}; rebuild it against "
      "the headers installed here",
      manifest.interface_number, framework.name, framework.interface_number);
}

}  // namespace

// The framework ends at the first '_' behind the prefix.
std::optional<ComponentName> component_of_file(std::string_view path) {
  constexpr std::string_view prefix = "tessera_", suffix = ".so";
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (!name.starts_with(prefix) || !name.ends_with(suffix) ||
      name.size() < prefix.size() + suffix.size())
    return {};
  name.remove_prefix(prefix.size());
  name.remove_suffix(suffix.size());
  const std::size_t end = name.find('_');
  if (end == std::string_view::npos || end == 0 || end + 1 == name.size()) return {};
  return ComponentName{std::string(name.substr(0, end)), std::string(name.substr(end + 1))};
}

std::string unreadable(const Status& why) {
  return fmt::format("{}; rebuild it with the macro TESSERA_COMPONENT", why.text());
}

std::string manifest_problem(const Manifest& manifest, std::span<const FrameworkInfo> frameworks) {
  if (std::to_string(manifest.layout) != TESSERA_MANIFEST_LAYOUT)
    return fmt::format(
        "its manifest has layout {}, this engine reads layout {}; rebuild it against the headers "
        "installed here",
        manifest.layout, TESSERA_MANIFEST_LAYOUT);
  const FrameworkInfo* framework = find_framework(frameworks, manifest.framework);
  if (framework == nullptr)
    return fmt::format(
        "belongs to framework {}, which this engine does not have (it has {}); remove it or use "
        "the version of Tessera that it was made for",
        manifest.framework, known_list(frameworks));
  if (std::string problem = interface_problem(manifest, *framework); !problem.empty())
    return problem;
  if (manifest.abi != TESSERA_ABI_TAG)
    return fmt::format(
        "built for ABI {}, this engine has {}; rebuild it with the same C++ library and sanitizers",
        manifest.abi, TESSERA_ABI_TAG);
  return {};
}

namespace {

// The fact "interposes" must say when, in a framework where something can stand in front of a
// component.
std::string interposing_problem(const Manifest& manifest,
                                std::span<const FrameworkInfo> frameworks) {
  const auto facts = manifest.facts_of("interposes");
  if (facts.empty()) return {};
  const FrameworkInfo& framework = *find_framework(frameworks, manifest.framework);
  const bool covers = framework.shape == Shape::one_winner || framework.shape == Shape::ranked ||
                      framework.interposers;
  if (!covers)
    return fmt::format(
        "framework {} has no interposers: its components serve calls by themselves; remove the "
        "fact",
        manifest.framework);
  if (facts.front() == "always" || manifest.has_switch(facts.front())) return {};
  return fmt::format(
      "its fact interposes = {} is neither always nor a boolean parameter of its own; declare it",
      facts.front());
}

std::string name_problem(const Manifest& manifest, const std::string& file) {
  const std::string expected = fmt::format("tessera_{}_{}.so", manifest.framework, manifest.name);
  if (file == expected) return {};
  return fmt::format("its manifest is that of component {} of framework {}; rename the file to {}",
                     manifest.name, manifest.framework, expected);
}

Candidate refused(Candidate candidate, std::string_view reason) {
  candidate.verdict = Verdict::refused;
  candidate.reason = fmt::format("{}: {}", candidate.path, reason);
  return candidate;
}

Candidate judge_note(Candidate candidate, std::string_view note, const std::string& file,
                     std::span<const FrameworkInfo> frameworks, Depth depth) {
  auto manifest = Manifest::parse(note, depth);
  if (!manifest) return refused(std::move(candidate), unreadable(manifest.status()));
  candidate.manifest = std::move(*manifest);
  if (!candidate.manifest.name.empty()) {
    candidate.framework = candidate.manifest.framework;
    candidate.name = candidate.manifest.name;
  }
  std::string problem = manifest_problem(candidate.manifest, frameworks);
  if (problem.empty()) problem = interposing_problem(candidate.manifest, frameworks);
  if (problem.empty()) problem = name_problem(candidate.manifest, file);
  if (!problem.empty()) return refused(std::move(candidate), problem);
  return candidate;
}

}  // namespace

std::optional<Candidate> judge(const std::string& path, std::span<const FrameworkInfo> frameworks,
                               Depth depth) {
  const std::string file = path.substr(path.rfind('/') + 1);
  const auto named = component_of_file(file);
  const std::string doubt = distrust_entry(path);
  NoteReading reading = doubt.empty() ? ManifestReader::verify_file(path) : NoteReading{{}, doubt};
  if (reading.note.empty() && !named) return std::nullopt;
  Candidate candidate;
  candidate.path = path;
  if (named) {
    candidate.framework = named->framework;
    candidate.name = named->component;
  }
  if (!reading.problem.empty()) return refused(std::move(candidate), reading.problem);
  if (reading.note.empty())
    return refused(std::move(candidate),
                   "has no manifest; build it with the macro TESSERA_COMPONENT");
  return judge_note(std::move(candidate), reading.note, file, frameworks, depth);
}

}  // namespace tessera
