// SPDX-License-Identifier: BSD-3-Clause
// Lists the search path and keeps what was found with its verdicts.
#include "framework/catalog.h"

#include <dirent.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>

#include "framework/help.h"
#include "framework/help_topics.h"
#include "framework/judge.h"
#include "framework/trust.h"

namespace tessera {
namespace {

struct Listing {
  std::vector<std::string> files;  // *.so, sorted
  std::string problem;
};

// The iterator of <filesystem> ends the process where memory is exhausted.
Listing files_of(const std::string& directory, const std::string& prefix) {
  Listing listing;
  listing.problem = distrust(directory);
  if (!listing.problem.empty()) return listing;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(directory.c_str()), ::closedir);
  if (stream == nullptr)
    listing.problem = errno == ENOENT ? "does not exist" : std::generic_category().message(errno);
  while (const dirent* entry = stream != nullptr ? ::readdir(stream.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    if (name.ends_with(".so") && name.starts_with(prefix))
      listing.files.push_back(fmt::format("{}/{}", directory, name));
  }
  std::sort(listing.files.begin(), listing.files.end());
  return listing;
}

bool same_component(const Candidate& a, const Candidate& b) noexcept {
  return a.framework == b.framework && a.name == b.name;
}

void add_once(std::vector<ComponentName>& names, const ComponentName& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// A list of names chooses among those that compete; an interposer has a switch of its own, unless
// it always takes part.
bool switched(const Candidate& candidate) {
  const auto when = candidate.manifest.facts_of("interposes");
  return !when.empty() && when.front() != "always";
}

std::string excluded_reason(const Candidate& candidate, const Selection& selection) {
  return fmt::format("{}: excluded by {} = {} (from {})", candidate.path, candidate.framework,
                     selection.list(), selection.origin());
}

}  // namespace

std::string_view verdict_name(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::usable:
      return "usable";
    case Verdict::refused:
      return "refused";
    case Verdict::shadowed:
      return "shadowed";
    case Verdict::excluded:
      return "excluded";
  }
  return "";
}

void Catalog::scan(std::span<const std::string> directories,
                   std::span<const FrameworkInfo> frameworks, Depth depth, std::string_view only) {
  list(directories, frameworks, depth, only);
  read({});
}

void Catalog::list(std::span<const std::string> directories,
                   std::span<const FrameworkInfo> frameworks, Depth depth, std::string_view only) {
  frameworks_ = frameworks;
  depth_ = depth;
  unread_.clear();
  candidates_.clear();
  directories_.clear();
  for (const std::string& directory : directories) list_directory(directory, only);
}

void Catalog::list_directory(const std::string& directory, std::string_view only) {
  Listing listing = files_of(directory, only.empty() ? "" : fmt::format("tessera_{}_", only));
  directories_.push_back({directory, std::move(listing.problem)});
  for (std::string& file : listing.files) {
    auto name = component_of_file(file);
    unread_.push_back({std::move(file), name ? std::move(*name) : ComponentName()});
  }
}

void Catalog::read(std::string_view framework) const {
  auto& self = const_cast<Catalog&>(*this);
  for (auto one = self.unread_.begin(); one != self.unread_.end();) {
    const std::string& named = one->name.framework;
    const bool wanted = framework.empty() || named.empty() || named == framework;
    if (wanted) self.judge_file(one->path);
    one = wanted ? self.unread_.erase(one) : one + 1;
  }
}

void Catalog::judge_file(const std::string& path) {
  auto candidate = judge(path, frameworks_, depth_);
  if (!candidate) return;
  if (candidate->usable()) shadow(*candidate);
  candidates_.push_back(std::move(*candidate));
}

const std::deque<Candidate>& Catalog::candidates() const {
  read({});
  return candidates_;
}

void Catalog::shadow(Candidate& candidate) const {
  for (const Candidate& earlier : candidates_) {
    if (!earlier.usable() || !same_component(earlier, candidate)) continue;
    candidate.verdict = Verdict::shadowed;
    candidate.reason = fmt::format("{}: shadowed by {}, which comes first on the search path",
                                   candidate.path, earlier.path);
    return;
  }
}

Status Catalog::apply(std::string_view framework, const Selection& selection) {
  read(framework);
  if (Status known = selection.check_known(known_names(framework)); !known.ok()) return known;
  for (Candidate& candidate : candidates_) {
    const bool open_to_choice = candidate.usable() || candidate.verdict == Verdict::excluded;
    if (candidate.framework != framework || !open_to_choice) continue;
    const bool admitted =
        selection.admits(candidate.name) || (!selection.exclude() && switched(candidate));
    candidate.verdict = admitted ? Verdict::usable : Verdict::excluded;
    candidate.reason = admitted ? "" : excluded_reason(candidate, selection);
  }
  return check_required(framework, selection);
}

Status Catalog::check_required(std::string_view framework, const Selection& selection) const {
  for (const std::string& name : selection.names()) {
    const Candidate* candidate = find(framework, name);
    if (!selection.requires_name(name) || candidate == nullptr || candidate->usable()) continue;
    return help_failure(Errc::refused, topics::component_unusable, framework, name,
                        selection.origin(), candidate->reason);
  }
  return {};
}

void Catalog::refuse(const Candidate& candidate, std::string reason) {
  for (Candidate& own : candidates_) {
    if (&own != &candidate) continue;
    own.verdict = Verdict::refused;
    own.reason = fmt::format("{}: {}", own.path, reason);
  }
}

const Candidate* Catalog::refuse_unfit(std::span<const FrameworkInfo> frameworks) {
  read({});
  const Candidate* first = nullptr;
  for (Candidate& candidate : candidates_) {
    if (!candidate.admissible()) continue;
    const std::string problem = manifest_problem(candidate.manifest, frameworks);
    if (problem.empty()) continue;
    refuse(candidate, problem);
    if (first == nullptr) first = &candidate;
  }
  return first;
}

const Candidate* Catalog::find(std::string_view framework, std::string_view name) const {
  read(framework);
  const Candidate* other = nullptr;
  for (const Candidate& candidate : candidates_) {
    if (candidate.framework != framework || candidate.name != name) continue;
    if (candidate.usable()) return &candidate;
    if (other == nullptr) other = &candidate;
  }
  return other;
}

std::vector<const Candidate*> Catalog::usable(std::string_view framework) const {
  std::vector<const Candidate*> found = of(framework);
  std::erase_if(found, [](const Candidate* candidate) { return !candidate->usable(); });
  return found;
}

std::vector<const Candidate*> Catalog::of(std::string_view framework) const {
  read(framework);
  std::vector<const Candidate*> found;
  for (const Candidate& candidate : candidates_)
    if (candidate.framework == framework) found.push_back(&candidate);
  return found;
}

std::vector<ComponentName> Catalog::names() const {
  std::vector<ComponentName> names;
  for (const Candidate& candidate : candidates_)
    add_once(names, {candidate.framework, candidate.name});
  for (const Unread& one : unread_)
    if (!one.name.framework.empty()) add_once(names, one.name);
  return names;
}

std::vector<std::string> Catalog::known_names(std::string_view framework) const {
  std::vector<std::string> names;
  for (const Candidate* candidate : of(framework)) names.push_back(candidate->name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace tessera
