// SPDX-License-Identifier: BSD-3-Clause
// Sets up parameters and catalog in the right order.
#include "framework/microkernel.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>

#include "framework/core_params.h"
#include "framework/foreign_lists.h"
#include "framework/help.h"
#include "framework/help_topics.h"
#include "framework/installations.h"
#include "framework/judge.h"
#include "framework/text.h"

namespace tessera {
namespace {

constexpr std::string_view kProgramSays = "MPI_T_cvar_write";

const char* home_of(const char* const* environment) noexcept {
  constexpr std::string_view prefix = "HOME=";
  for (; environment != nullptr && *environment != nullptr; ++environment)
    if (std::string_view(*environment).starts_with(prefix)) return *environment + prefix.size();
  return nullptr;
}

// Whether one of the shell patterns fits the parameter's name behind `owner`.
bool fits(const std::vector<std::string_view>& patterns, const ParamSpec& spec, std::size_t owner) {
  const auto* const name = spec.name.c_str() + std::min(owner, spec.name.size());
  return std::any_of(patterns.begin(), patterns.end(), [name](std::string_view pattern) {
    if (pattern.find_first_of("*?[\\") == std::string_view::npos) return pattern == name;
    return fnmatch(std::string(pattern).c_str(), name, 0) == 0;
  });
}

}  // namespace

Microkernel::Microkernel(const MicrokernelOptions& options)
    : frameworks_(options.frameworks),
      tolerant_(options.tolerant),
      watcher_(options.watcher),
      load_note_(options.load_note),
      speaks_(options.speaks),
      environment_(ParamRegistry::digest_of(options.environment)),
      paths_(InstallPaths::detect(home_of(options.environment))) {
  for (const FrameworkInfo& framework : frameworks_)
    selections_.emplace_back(framework.name, Selection());
  params_.set_context({host_name(), options.ranks});
}

Result<std::unique_ptr<Microkernel>> Microkernel::from_system(const MicrokernelOptions& options) {
  std::unique_ptr<Microkernel> kernel(new Microkernel(options));
  if (Status read = kernel->read_sources(options); !read.ok()) return read;
  const bool put_off = kernel->untouched() && !kernel->tolerant_;
  const Status declared =
      put_off ? kernel->promise_built_in(options) : kernel->declare_built_in(options);
  if (!declared.ok()) return declared;
  // The search path must be known before the manifests, which declare the other parameters, can be
  // read.
  if (Status resolved = kernel->params_.resolve(); !resolved.ok() && !kernel->tolerant_)
    return resolved;
  const auto directories = kernel->paths_.expand(kernel->params_.text("mca_component_path"));
  if (put_off) {
    kernel->catalog_.list(directories, kernel->frameworks_, Depth::outline);
    kernel->promise_components();
    return kernel;
  }
  kernel->catalog_.scan(directories, kernel->frameworks_);
  if (Status complete = kernel->complete(); !complete.ok()) return complete;
  return kernel;
}

Status Microkernel::declare_built_in(const MicrokernelOptions& options) {
  for (const auto& table : {core_params(), options.core_params})
    if (Status declared = declare_table(table); !declared.ok()) return declared;
  for (const FrameworkInfo& framework : frameworks_)
    if (Status declared = declare_framework(framework); !declared.ok()) return declared;
  return {};
}

Status Microkernel::declare_table(std::span<const ParamDecl> table) {
  for (const ParamDecl& decl : table)
    if (Status declared = params_.declare(ParamSpec::from(decl, "")); !declared.ok())
      return declared;
  return {};
}

Status Microkernel::declare_framework(const FrameworkInfo& framework) {
  Status declared = params_.declare(selection_param(framework));
  if (declared.ok()) declared = params_.declare(verbose_param(framework.name));
  for (const ParamDecl& decl : framework.params)
    if (declared.ok()) declared = params_.declare(ParamSpec::from(decl, framework.name));
  return declared;
}

Status Microkernel::read_sources(const MicrokernelOptions& options) {
  Status read = read_default_files(paths_.system_config, "mca-params", ParamSource::system_file);
  if (read.ok())
    read = read_default_files(paths_.user_config, "mca-params", ParamSource::user_file);
  if (read.ok())
    read =
        read_default_files(paths_.system_config, "mca-params-override", ParamSource::override_file);
  for (const std::string& file : options.tune_files)
    if (read.ok()) read = tolerate(params_.add_file(file, ParamSource::tune_file));
  if (!read.ok()) return read;
  params_.add_environment(options.environment);
  for (const auto& [name, value] : options.command_line)
    params_.add_assignment(name, value, ParamSource::command_line, fmt::format("--mca {}", name));
  hear_program(options);
  return {};
}

// Where both forms lie side by side the YAML file is the later one and so wins.
Status Microkernel::read_default_files(const std::string& directory, std::string_view stem,
                                       ParamSource source) {
  if (directory.empty()) return {};
  for (std::string_view extension : {".conf", ".yaml"}) {
    const Status read =
        params_.add_file(fmt::format("{}/{}{}", directory, stem, extension), source);
    if (read.ok() || read == Errc::not_found) continue;
    // A home that is not this user's, as sudo(8) may leave it, must not stop every program.
    if (read == Errc::refused && source == ParamSource::user_file) {
      warnings_.push_back(read.text());
      continue;
    }
    if (Status tolerated = tolerate(read); !tolerated.ok()) return tolerated;
  }
  return {};
}

Status Microkernel::complete() {
  declare_components();
  Status resolved = params_.resolve();
  if (!resolved.ok() && !tolerant_) return resolved;
  problems_.insert(problems_.end(), params_.errors().begin(), params_.errors().end());
  if (Status strict = tolerate(params_.check_strict()); !strict.ok()) return strict;
  for (auto& [name, selection] : selections_)
    if (Status applied = tolerate(apply_selection(name, selection)); !applied.ok()) return applied;
  return {};
}

void Microkernel::declare_components() {
  // Those that may run come first: their declarations stand when a refused namesake says otherwise.
  for (const bool admissible : {true, false})
    for (const Candidate& candidate : catalog_.candidates())
      if (candidate.admissible() == admissible) declare_component(candidate);
}

void Microkernel::declare_components(const ComponentName& name) {
  for (const bool admissible : {true, false})
    for (const Candidate* candidate : catalog_.of(name.framework))
      if (candidate->name == name.component && candidate->admissible() == admissible)
        declare_component(*candidate);
}

void Microkernel::declare_component(const Candidate& candidate) {
  if (find_framework(frameworks_, candidate.framework) == nullptr ||
      candidate.manifest.name.empty())
    return;
  if (candidate.manifest.depth == Depth::whole)
    return declare_component(candidate, candidate.manifest);
  if (auto manifest = candidate.manifest.whole(); manifest.ok())
    declare_component(candidate, *manifest);
  else if (candidate.admissible())
    catalog_.refuse(candidate, unreadable(manifest.status()));
}

void Microkernel::declare_component(const Candidate& candidate, const Manifest& manifest) {
  const Status declared = declare_params(candidate, manifest);
  if (declared.ok()) return declare_facts(candidate);
  if (candidate.admissible())
    catalog_.refuse(candidate, fmt::format("{}; rename it", declared.text()));
}

Status Microkernel::declare_params(const Candidate& candidate, const Manifest& manifest) {
  const FrameworkInfo& framework = *find_framework(frameworks_, candidate.framework);
  Status declared = params_.declare(priority_param(framework, candidate.name, manifest.priority));
  const std::size_t owner = manifest.parameter("").size() + 1;
  const auto uniform = manifest.facts_of("uniform");
  const auto per_communicator = manifest.facts_of("per_communicator");
  for (ParamSpec spec : manifest.params) {
    spec.uniform = fits(uniform, spec, owner);
    spec.per_communicator = fits(per_communicator, spec, owner);
    if (declared.ok()) declared = params_.declare(std::move(spec));
  }
  return declared;
}

void Microkernel::declare_facts(const Candidate& candidate) {
  const Manifest& manifest = candidate.manifest;
  for (const Fact& fact : manifest.facts) {
    const bool deprecated = fact.key == "deprecated";
    const std::size_t equals = fact.value.find('=');
    if ((!deprecated && fact.key != "synonym") || equals == std::string::npos) continue;
    declare_synonym(candidate, fact.value.substr(0, equals), fact.value.substr(equals + 1),
                    deprecated);
  }
  for (std::string_view alias : manifest.facts_of("alias")) declare_alias(candidate, alias);
}

// A synonym whose name is taken is of no use to anybody, but does no harm.
void Microkernel::declare_synonym(const Candidate& candidate, std::string_view old_name,
                                  std::string_view new_name, bool deprecated) {
  const std::string owner = fmt::format("{}_{}_", candidate.framework, candidate.name);
  static_cast<void>(params_.declare_synonym(fmt::format("{}{}", owner, old_name),
                                            fmt::format("{}{}", owner, new_name), deprecated));
}

void Microkernel::declare_alias(const Candidate& candidate, std::string_view alias) {
  const std::string owner = fmt::format("{}_{}", candidate.framework, candidate.name);
  std::vector<std::string> names;
  for (const Parameter* parameter : params_.owned_by(candidate.framework, candidate.name))
    names.push_back(parameter->spec.name);
  for (const std::string& name : names) {
    const std::string other =
        fmt::format("{}_{}{}", candidate.framework, alias, name.substr(owner.size()));
    static_cast<void>(params_.declare_synonym(other, name, false));
  }
}

// Nothing was found wrong with a component whose parameters nobody has declared yet.
Status Microkernel::prepare(const Candidate& candidate) const {
  params_.declare_owner(fmt::format("{}_{}", candidate.framework, candidate.name));
  return candidate.usable() ? Status() : Status::failure(Errc::refused, candidate.reason);
}

// A list in which aliases stand for the components they mean.
Result<Selection> Microkernel::parse_selection(std::string_view framework, std::string_view list,
                                               std::string_view origin) const {
  auto parsed = Selection::parse(framework, list, origin);
  if (!parsed) return parsed.status();
  for (const Candidate* candidate : catalog_.of(framework))
    for (std::string_view alias : candidate->manifest.facts_of("alias"))
      parsed->rename(alias, candidate->name);
  return parsed;
}

Result<Selection> Microkernel::read_selection(std::string_view framework, std::string_view list,
                                              std::string_view origin) const {
  auto parsed = parse_selection(framework, list, origin);
  if (!parsed) return parsed.status();
  if (Status known = parsed->check_known(catalog_.known_names(framework)); !known.ok())
    return known;
  return parsed;
}

// A list that was written for another MPI, of which nothing or not all can be had here.
std::string Microkernel::adapt_foreign(const Parameter& list, std::span<const std::string> known,
                                       Selection& selection) {
  adopt_foreign_names(list, selection);
  if (!is_foreign(list, selection, known)) return {};
  const std::string origin = describe_source(list.source, list.where);
  if (selection.exclude()) {
    if (selection.drop_unknown(known).empty()) return {};
    return help_text(topics::selection_foreign, list.spec.name, list.text, origin);
  }
  selection = Selection();
  return help_text(topics::selection_other_mpi, list.spec.name, list.text, origin);
}

Status Microkernel::apply_selection(std::string_view framework, Selection& selection) {
  const Parameter* list = params_.find(framework);
  if (list == nullptr)
    return Status::failure(Errc::internal, "a framework without its list parameter");
  auto parsed = parse_selection(framework, list->text, describe_source(list->source, list->where));
  if (!parsed) return parsed.status();
  if (std::string warning = adapt_foreign(*list, catalog_.known_names(framework), *parsed);
      !warning.empty())
    warnings_.push_back(std::move(warning));
  if (Status applied = catalog_.apply(framework, *parsed); !applied.ok()) return applied;
  selection = std::move(*parsed);
  return {};
}

void Microkernel::hear_program(const MicrokernelOptions& options) {
  for (const auto& [name, value] : options.program)
    params_.add_assignment(name, value, ParamSource::program, kProgramSays);
}

Status Microkernel::assign(std::string_view name, std::string_view value) {
  const Parameter* parameter = params_.find(name);
  if (parameter == nullptr)
    return Status::failure(Errc::not_found, fmt::format("there is no parameter {}", name));
  if (auto parsed = parse_value(parameter->spec, value); !parsed)
    return Status::failure(Errc::argument, parsed.status().text());
  if (parameter->source == ParamSource::override_file)
    return Status::failure(Errc::refused, describe_source(parameter->source, parameter->where));
  params_.withdraw(name, ParamSource::program);
  params_.add_assignment(name, value, ParamSource::program, kProgramSays);
  static_cast<void>(params_.resolve());  // what was in order before still is
  return {};
}

void Microkernel::tell_of_mix(const Candidate& refused) const {
  if (!speaks_.load(std::memory_order_relaxed)) return;
  const auto mixed = mixed_installations(refused.path);
  if (!mixed || !speaks_.exchange(false, std::memory_order_relaxed)) return;
  show_help(topics::mixed_installations, mixed->own, mixed->own_build, mixed->other,
            mixed->other_build, std::filesystem::path(mixed->other).parent_path().string());
}

// In tolerant mode a failure is kept for the caller to show, and the work goes on.
Status Microkernel::tolerate(Status status) {
  if (status.ok() || !tolerant_) return status;
  problems_.emplace_back(status.text());
  return {};
}

const Selection& Microkernel::selection(std::string_view framework) const noexcept {
  static const Selection everything;
  for (const auto& [name, selection] : selections_)
    if (name == framework) return selection;
  return everything;
}

int Microkernel::priority(const Candidate& candidate) const noexcept {
  if (!params_.mentions(fmt::format("{}_", candidate.framework)))
    return candidate.manifest.priority;
  const std::string name = fmt::format("{}_{}_priority", candidate.framework, candidate.name);
  return params_.find(name) == nullptr ? candidate.manifest.priority
                                       : static_cast<int>(params_.integer(name));
}

int Microkernel::verbosity(std::string_view framework) const noexcept {
  const std::string name = fmt::format("{}_verbose", framework);
  if (!params_.mentions(name) || params_.find(name) == nullptr) return 0;
  return static_cast<int>(params_.integer(name));
}

std::vector<std::string> Microkernel::take_warnings() {
  std::vector<std::string> all = params_.take_warnings();
  all.insert(all.end(), warnings_.begin(), warnings_.end());
  warnings_.clear();
  return all;
}

void Microkernel::ask_for_explanations(std::string_view on_behalf_of) {
  bool any = false;
  for (const Candidate& candidate : catalog_.candidates()) {
    const std::string name = fmt::format("{}_{}_explain", candidate.framework, candidate.name);
    const Parameter* parameter = params_.find(name);
    if (parameter == nullptr || parameter->spec.type != ParamType::boolean || parameter->chosen())
      continue;
    params_.add_assignment(name, "true", ParamSource::program, on_behalf_of);
    any = true;
  }
  if (any) (void)params_.resolve();  // what was in order before still is
}

}  // namespace tessera
