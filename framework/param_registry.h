// SPDX-License-Identifier: BSD-3-Clause
// All parameters with their values and the sources that set them: ParamRegistry.
#pragma once
//
// Contract. Life cycle, on the thread that initialises the library:
//   1. declare() what exists; add_*() what was said, in any order; sources speak in any order too;
//   2. resolve() gives every declared parameter its value: the strongest source wins, within one
//   source the later
//      setting wins (two different values on the command line are an error). It may be repeated
//      after further declarations or settings, e.g. once for the search path and again when the
//      manifests are known;
//   3. take_warnings() reports, once, names nobody knows, deprecated names and values that an
//   override file defeats.
// A setting whose name nobody declared is kept: it may be declared later. Nothing is printed here.
// Declarations can be put off: promise() names an owner, and its parameters are declared, and given
// their values, when somebody asks for a name that may be one of them. So a process whose settings
// another one has checked declares the parameters of the components that it uses, and no others.
// Asking may therefore change the registry, and may find no memory (std::bad_alloc): it is for one
// thread at a time, const or not. What was handed out stays where it is.
// mpiexec reads all files once and passes serialise() to the ranks; they restore() it and add their
// environment.
//
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/param_condition.h"
#include "framework/param_value.h"
#include "tessera/status.h"

namespace tessera {

// Who spoke; a greater value is stronger.
enum class ParamSource : std::uint8_t {
  default_value,
  system_file,          // <prefix>/etc/tessera/mca-params.{yaml,conf}
  user_file,            // ~/.tessera/mca-params.{yaml,conf}
  tune_file,            // --tune FILE
  foreign_environment,  // OMPI_MCA_<name>; unknown names among these are none of our business and
                        // ignored
  environment,          // TESSERA_MCA_<name>
  command_line,         // --mca <name> <value>
  program,              // the running program, through the tools interface
  override_file,  // <prefix>/etc/tessera/mca-params-override.{yaml,conf}: the site's last word
};

// "command line", "environment", ... stable words, used in machine-readable output.
std::string_view source_name(ParamSource source) noexcept;

// One thing somebody said.
struct ParamSetting {
  std::string name;  // as written; may be a synonym
  std::string value;
  ParamSource source = ParamSource::default_value;
  std::string where;  // file:line, or the environment variable, or the option; empty for none
  std::string when;   // the condition of the file's section (param_condition.h); empty: always

  bool operator==(const ParamSetting&) const = default;
};

// For people: "command line", "environment variable TESSERA_MCA_btl", "user file
// /home/u/.tessera/mca-params.yaml:3".
std::string describe_source(ParamSource source, std::string_view where);

// A declared parameter after resolve().
struct Parameter {
  ParamSpec spec;
  ParamValue value;
  std::string text;  // the value as it was written
  ParamSource source = ParamSource::default_value;
  std::string where;
  std::vector<ParamSetting>
      heard;  // every source that spoke, the winner first; empty when only the default did
  std::vector<ParamSetting>
      elsewhere;  // said for other machines or numbers of ranks, or for communicators
  std::vector<std::string> synonyms;  // other names under which it can be set
  std::string error;  // why the winner's value cannot be used; then `value` is the default

  bool chosen() const noexcept { return source != ParamSource::default_value; }
};

// A name that nobody declared.
struct UnknownParam {
  ParamSetting setting;
  std::string nearest;  // a declared name that was probably meant, or empty
};

class ParamRegistry {
 public:
  // What the conditions of sections are judged by; before resolve().
  void set_context(ParamContext context) { context_ = std::move(context); }
  const ParamContext& context() const noexcept { return context_; }

  // Errc::refused when the name is taken or the declaration unsound (see read_default).
  Status declare(ParamSpec spec);

  // `declare` will declare the parameters called <owner> or <owner>_*: when one of them is looked
  // for, or all are. Several promises for one owner are kept in order.
  void promise(std::string owner, std::function<void()> declare);
  // Keeps the promises for one owner; all promises.
  void declare_owner(std::string_view owner) const;
  void declare_all() const;

  // `name` becomes another way to set `target`. A deprecated one is reported by take_warnings()
  // when used.
  Status declare_synonym(std::string_view name, std::string_view target, bool deprecated);

  void add_assignment(std::string_view name, std::string_view value, ParamSource source,
                      std::string_view where);

  // Takes back what this source has said of a parameter.
  void withdraw(std::string_view name, ParamSource source);

  // Reads a parameter file (see param_file.h). Errc::not_found when it does not exist;
  // Errc::argument with file:line for bad syntax, and then nothing of it was added.
  Status add_file(const std::string& path, ParamSource source);

  // TESSERA_MCA_* and OMPI_MCA_* of `envp` (null-terminated, as environ). Exact repetitions are
  // heard once.
  void add_environment(const char* const* envp);
  // A number that is equal for environments from which add_environment() hears the same.
  static std::uint64_t digest_of(const char* const* envp) noexcept;

  // Gives all declared parameters their values. Errc::argument with the text of the first bad
  // value; all parameters are resolved nevertheless (those with a bad value hold their default),
  // errors() has all texts.
  Status resolve();
  const std::vector<std::string>& errors() const noexcept { return errors_; }

  // Null when the name (or synonym) is not declared.
  const Parameter* find(std::string_view name) const;

  // The parameters of one owner; an empty component stands for the framework itself.
  std::vector<const Parameter*> owned_by(std::string_view framework,
                                         std::string_view component) const;
  // Whether any setting has a name that begins so. Declares nothing.
  bool mentions(std::string_view prefix) const noexcept;

  // For callers that declared the parameter themselves; another name or type is a programming error
  // and aborts.
  std::int64_t integer(std::string_view name) const;
  std::uint64_t size(std::string_view name) const;
  double real(std::string_view name) const;
  bool boolean(std::string_view name) const;
  const std::string& text(std::string_view name) const;  // text and list

  // All of them: keeps all promises.
  const std::map<std::string, Parameter, std::less<>>& parameters() const {
    declare_all();
    return parameters_;
  }
  std::span<const ParamSetting> settings() const noexcept { return settings_; }

  // Names set by somebody but declared by nobody (OMPI_MCA_ ones excepted), in the order heard,
  // each name once.
  std::vector<UnknownParam> unknown() const;
  // Errc::refused naming the first unknown one, when mca_strict is declared and true; otherwise ok.
  Status check_strict() const;
  // Texts of one or two lines, for people; each is handed out once.
  std::vector<std::string> take_warnings();

  // What sections of files say for communicators of this name: canonical names and checked values.
  // Only what no stronger source says for all is among it.
  std::vector<ParamSetting> of_communicator(std::string_view name) const;

  // The uniform parameters that differ from their defaults, one line each: name, value in one
  // notation, source, separated by tabs.
  std::string uniform_values() const;

  // All settings with their provenance as text; restore() adds them. Errc::argument for text of
  // another origin.
  std::string serialise() const;
  Status restore(std::string_view text);

  // A YAML parameter file that, read back, gives every parameter the value it has now: those that
  // are not default, or all of them.
  std::string dump(bool all = false) const;

 private:
  struct Synonym {
    std::string target;
    bool deprecated = false;
  };

  struct Promise {
    std::string owner;
    std::function<void()> declare;  // empty: kept
  };

  const Parameter* declared(std::string_view name) const noexcept;
  void keep(Promise& promise) const;
  void declare_for(std::string_view name) const;
  void declare_mentioned() const;
  std::string_view canonical(std::string_view name) const noexcept;
  const ParamValue& value_of(std::string_view name, ParamType type) const;
  bool foreign_and_unknown(const ParamSetting& setting) const noexcept;
  bool applies(const ParamSetting& setting) const;
  void collect_settings();
  void settle_late();
  void settle(Parameter& parameter);
  void adopt(Parameter& parameter, const ParamSetting& winner);
  void check_for_communicators(Parameter& parameter);
  void reject(Parameter& parameter, const ParamSetting& winner, std::string_view why);
  void warn(std::string text);
  void warn_unknown();
  void warn_deprecated();
  void warn_defeated();

  ParamContext context_;
  std::map<std::string, Parameter, std::less<>> parameters_;
  std::map<std::string, Synonym, std::less<>> synonyms_;
  mutable std::vector<Promise> promises_;
  std::vector<Parameter*> late_;  // declared by promises, without their values yet
  bool keeping_ = false;
  std::vector<ParamSetting> settings_;
  std::vector<std::string> errors_;
  std::vector<std::string> warned_;  // given out already
  std::vector<std::string> pending_;
};

}  // namespace tessera
