// SPDX-License-Identifier: BSD-3-Clause
// Parameters and catalog of one instance, set up in the right order: Microkernel.
#pragma once
//
// Contract. Made once per instance (or by mpiexec, or by ompi-info), in one of two ways:
//   - from_system(): reads parameter files, command line and environment, scans the search path,
//   declares all parameters
//     of all manifests, resolves, applies the selection lists. Where nobody has set any parameter
//     there is nothing to check: parameters are declared when somebody asks for them
//     (ParamRegistry::promise), and components are read when somebody asks for their framework
//     (Catalog::list);
//   - from_snapshot(): the same from the text that another process's snapshot() gave, plus this
//   process's environment.
//     No file is read and no directory scanned. Where the environment says the same as in the other
//     process, that one has checked everything: then parameters are declared when somebody asks for
//     them, and no manifest is read for its parameters before.
// Nothing is printed but by tell_of_mix(); the caller reports a failure's text and take_warnings()
// (mpiexec does so for all ranks).
//
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/catalog.h"
#include "framework/frameworks.h"
#include "framework/install_paths.h"
#include "framework/load_note.h"
#include "framework/param_registry.h"
#include "framework/watcher.h"
#include "tessera/status.h"

namespace tessera {

struct MicrokernelOptions {
  std::span<const FrameworkInfo> frameworks;  // must outlive the Microkernel
  std::span<const ParamDecl> core_params;     // the engine's own, besides those of core_params.h
  std::vector<std::pair<std::string, std::string>> command_line;  // --mca name value
  std::vector<std::string> tune_files;                            // --tune FILE, the later wins
  // What the running program has said through the tools interface; checked already.
  std::vector<std::pair<std::string, std::string>> program;
  Watcher* watcher = nullptr;                // of what is loaded; outlives the Microkernel
  LoadNote* load_note = nullptr;             // names what is being loaded; likewise
  const char* const* environment = nullptr;  // as environ; null for none
  std::uint32_t ranks = 0;  // of the job, for sections of parameter files; 0: not known
  bool speaks = false;      // to the user, for all processes of the same program
  // Keep going after bad values, bad lists and strict mode, so that a tool can show them; see
  // problems().
  bool tolerant = false;
};

class Microkernel {
 public:
  static Result<std::unique_ptr<Microkernel>> from_system(const MicrokernelOptions& options);
  static Result<std::unique_ptr<Microkernel>> from_snapshot(std::string_view snapshot,
                                                            const MicrokernelOptions& options);

  std::string snapshot() const;

  const ParamRegistry& params() const noexcept { return params_; }
  const Catalog& catalog() const noexcept { return catalog_; }
  const InstallPaths& paths() const noexcept { return paths_; }
  std::span<const FrameworkInfo> frameworks() const noexcept { return frameworks_; }

  // Nobody has set any parameter.
  bool untouched() const noexcept { return params_.settings().empty(); }
  // The user's list for a framework; one that admits everything when there is none.
  const Selection& selection(std::string_view framework) const noexcept;
  // A list for one use, with the names that exist. Errc::argument, Errc::not_found; `origin` is for
  // their texts.
  Result<Selection> read_selection(std::string_view framework, std::string_view list,
                                   std::string_view origin) const;
  // Before a component is loaded: declares its parameters, if that was put off. Errc::refused: they
  // are not in order, and so neither is the component.
  Status prepare(const Candidate& candidate) const;
  // <framework>_<name>_priority.
  int priority(const Candidate& candidate) const noexcept;
  // <framework>_verbose.
  int verbosity(std::string_view framework) const noexcept;
  // Turns on the boolean parameter `explain` of every component that has one, unless somebody has
  // set it.
  void ask_for_explanations(std::string_view on_behalf_of);
  // What the program says now, through the tools interface, in place of what it said before.
  // Components that are loaded keep what they have read. Errc::not_found; Errc::argument with what
  // is allowed; Errc::refused: an override file has the last word.
  Status assign(std::string_view name, std::string_view value);
  Watcher* watcher() const noexcept { return watcher_; }
  LoadNote* load_note() const noexcept { return load_note_; }
  // For a component that this process has refused. If it belongs to another installation, one
  // process of each program prints that, once: else nobody knows why others serve in its place.
  void tell_of_mix(const Candidate& refused) const;
  std::vector<std::string> take_warnings();
  // What was wrong but passed over because of MicrokernelOptions::tolerant.
  const std::vector<std::string>& problems() const noexcept { return problems_; }

 private:
  explicit Microkernel(const MicrokernelOptions& options);

  Status declare_built_in(const MicrokernelOptions& options);
  Status declare_table(std::span<const ParamDecl> table);
  Status declare_framework(const FrameworkInfo& framework);
  Status read_sources(const MicrokernelOptions& options);
  Status read_default_files(const std::string& directory, std::string_view stem,
                            ParamSource source);
  Status complete();
  void hear_program(const MicrokernelOptions& options);
  Status hear_environment(const MicrokernelOptions& options);
  Status promise_everything(const MicrokernelOptions& options);
  Status promise_built_in(const MicrokernelOptions& options);
  void promise_components();
  void declare_components();
  void declare_components(const ComponentName& name);
  void declare_component(const Candidate& candidate);
  void declare_component(const Candidate& candidate, const Manifest& manifest);
  Status declare_params(const Candidate& candidate, const Manifest& manifest);
  void declare_facts(const Candidate& candidate);
  void declare_synonym(const Candidate& candidate, std::string_view old_name,
                       std::string_view new_name, bool deprecated);
  void declare_alias(const Candidate& candidate, std::string_view alias);
  Result<Selection> parse_selection(std::string_view framework, std::string_view list,
                                    std::string_view origin) const;
  static std::string adapt_foreign(const Parameter& list, std::span<const std::string> known,
                                   Selection& selection);
  Status apply_selection(std::string_view framework, Selection& selection);
  Status tolerate(Status status);

  std::span<const FrameworkInfo> frameworks_;
  bool tolerant_;
  Watcher* watcher_;
  LoadNote* load_note_;
  mutable std::atomic<bool> speaks_;  // until it has been said
  std::uint64_t environment_;         // a digest of what it says about parameters
  InstallPaths paths_;
  ParamRegistry params_;
  Catalog catalog_;
  std::vector<std::pair<std::string_view, Selection>>
      selections_;  // by framework, in the order of frameworks_
  std::vector<std::string> problems_;
  std::vector<std::string> warnings_;
};

}  // namespace tessera
