// SPDX-License-Identifier: BSD-3-Clause
// Chooses what is to be printed.
#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "framework/text.h"

namespace ompi_info {
namespace {

using namespace tessera;

constexpr std::string_view no_framework = "core";

class Filter {
 public:
  explicit Filter(const Options& options) : options_(options) {
    for (const std::string& word : options.words) words_.push_back(text::lower(word));
    const std::size_t slash = options.component.find('/');
    component_ =
        slash == std::string::npos ? options.component : options.component.substr(slash + 1);
    framework_ =
        slash == std::string::npos ? options.framework : options.component.substr(0, slash);
  }

  bool admits(const FrameworkInfo& framework) const {
    return admits_framework(framework.name) && component_.empty() && !options_.changed &&
           has_words(fmt::format("{} {}", framework.name, framework.description));
  }
  bool admits(const Candidate& candidate) const {
    return admits_framework(candidate.framework) && admits_component(candidate.name) &&
           !options_.changed &&
           has_words(fmt::format("{}/{} {}", candidate.framework, candidate.name,
                                 candidate.manifest.summary));
  }
  bool admits(const Parameter& parameter) const {
    const ParamSpec& spec = parameter.spec;
    const std::string_view owner =
        spec.framework.empty() ? no_framework : std::string_view(spec.framework);
    return admits_framework(owner) && admits_component(spec.component) &&
           spec.level <= options_.level.value_or(9) &&
           (!options_.changed || parameter.chosen() || !parameter.error.empty()) &&
           has_words(fmt::format("{} {} {} {}", spec.name, spec.help,
                                 text::join(parameter.synonyms, " "), special_marks(spec)));
  }

  const std::string& framework() const noexcept { return framework_; }
  const std::string& component() const noexcept { return component_; }
  bool everything() const noexcept {
    return words_.empty() && framework_.empty() && component_.empty() && !options_.changed &&
           options_.level.value_or(9) == 9;
  }

 private:
  bool admits_framework(std::string_view name) const {
    return framework_.empty() || framework_ == name;
  }
  bool admits_component(std::string_view name) const {
    return component_.empty() || component_ == name;
  }
  bool has_words(std::string_view subject) const {
    const std::string lower = text::lower(subject);
    return std::all_of(words_.begin(), words_.end(), [&lower](const std::string& word) {
      return lower.find(word) != std::string::npos;
    });
  }

  const Options& options_;
  std::vector<std::string> words_;
  std::string framework_;
  std::string component_;
};

Status not_one_of(std::string_view kind, const std::string& name, std::vector<std::string> known) {
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  return Status::failure(Errc::not_found,
                         fmt::format("there is no {} '{}'{}; there is: {}", kind, name,
                                     text::did_you_mean(name, known),
                                     known.empty() ? "none" : text::join(known, ", ")));
}

Status check_framework(const Microkernel& kernel, const std::string& name) {
  std::vector<std::string> known = {std::string(no_framework)};
  for (const FrameworkInfo& framework : kernel.frameworks()) known.emplace_back(framework.name);
  // A refused component may belong to a framework that is not ours; it can still be asked for.
  for (const Candidate& candidate : kernel.catalog().candidates())
    known.push_back(candidate.framework);
  const bool found = name.empty() || std::find(known.begin(), known.end(), name) != known.end();
  return found ? Status() : not_one_of("framework", name, std::move(known));
}

Status check_component(const Microkernel& kernel, const Filter& filter) {
  std::vector<std::string> known;
  for (const Candidate& candidate : kernel.catalog().candidates())
    if (filter.framework().empty() || filter.framework() == candidate.framework)
      known.push_back(candidate.name);
  const std::string& name = filter.component();
  const bool found = name.empty() || std::find(known.begin(), known.end(), name) != known.end();
  return found ? Status() : not_one_of("component", name, std::move(known));
}

}  // namespace

Result<Report> make_report(Microkernel& kernel, const Options& options) {
  const Filter filter(options);
  if (Status known = check_framework(kernel, filter.framework()); !known.ok()) return known;
  if (Status known = check_component(kernel, filter); !known.ok()) return known;
  Report report{kernel, {}, {}, {}, kernel.take_warnings(), !filter.everything()};
  for (const FrameworkInfo& framework : kernel.frameworks())
    if (filter.admits(framework)) report.frameworks.push_back(&framework);
  for (const Candidate& candidate : kernel.catalog().candidates())
    if (filter.admits(candidate)) report.components.push_back(&candidate);
  std::stable_sort(report.components.begin(), report.components.end(),
                   [](const Candidate* a, const Candidate* b) {
                     return std::tie(a->framework, a->name) < std::tie(b->framework, b->name);
                   });
  for (const auto& [name, parameter] : kernel.params().parameters())
    if (filter.admits(parameter)) report.params.push_back(&parameter);
  return report;
}

std::string owner_problem(const Microkernel& kernel, const Parameter& parameter) {
  if (parameter.spec.component.empty()) return {};
  const Candidate* owner =
      kernel.catalog().find(parameter.spec.framework, parameter.spec.component);
  return owner == nullptr || owner->usable() ? std::string()
                                             : std::string(verdict_name(owner->verdict));
}

std::string special_marks(const ParamSpec& spec) {
  std::string marks;
  if (spec.uniform) marks += "; must be equal on all ranks";
  if (spec.per_communicator)
    marks += fmt::format("; per communicator by info key tessera.{}", spec.name);
  return marks;
}

std::string level_name(int level) {
  constexpr std::array<std::string_view, 3> who = {"user", "tuner", "developer"};
  constexpr std::array<std::string_view, 3> what = {"basic", "detail", "all"};
  const auto index = static_cast<std::size_t>(std::clamp(level, 1, 9) - 1);
  return fmt::format("{} {}", who[index / 3], what[index % 3]);
}

}  // namespace ompi_info
