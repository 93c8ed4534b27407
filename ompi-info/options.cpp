// SPDX-License-Identifier: BSD-3-Clause
// The command line of ompi-info.
#include "options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>

#include "framework/text.h"

namespace ompi_info {
namespace {

constexpr int usage_error = 2;

void add_filters(CLI::App& app, Options& options) {
  app.add_option("word", options.words,
                 "Only entries with all these words in their name or description");
  app.add_option("-f,--framework", options.framework,
                 "Only this framework ('core' for parameters of none)")
      ->type_name("NAME");
  app.add_option("-c,--component", options.component, "Only this component: NAME or FRAMEWORK/NAME")
      ->type_name("NAME");
  app.add_option("--param", options.param,
                 "The same by two names, either of which may be 'all': --param btl tcp")
      ->expected(2)
      ->type_name("FRAMEWORK NAME");
  app.add_option("-l,--level", options.level,
                 "Only parameters up to this level: 1-3 user, 4-6 tuner, 7-9 developer")
      ->check(CLI::Range(1, 9).description(""))
      ->type_name("1..9");
  app.add_flag("-a,--all", options.all,
               "All frameworks, components and parameters; with --dump, also parameters that have "
               "their defaults");
  app.add_flag("--changed", options.changed,
               "Only parameters that a file, a variable or an option sets");
}

// Questions of their own; each has its own answer.
void add_questions(CLI::App& app, Options& options) {
  auto* why = app.add_option("-w,--why", options.why,
                             "Every source that sets a parameter, in order of precedence")
                  ->type_name("PARAM");
  auto* diff =
      app.add_option("--diff", options.diff,
                     "Differences between the values in force and those of FILE; exit code 1 "
                     "if there are any")
          ->type_name("FILE");
  auto* doctor = app.add_flag(
      "--doctor", options.doctor,
      "Properties of this machine that matter to MPI programs, and what to do about them");
  auto* machine = app.add_flag("--machine", options.machine,
                               "Measure what it costs here to move data and to wake processes");
  auto* collectives =
      app.add_flag("--collectives", options.collectives,
                   "Collective operations, and the components and algorithms for each");
  auto* mpi_t = app.add_flag("--mpi-t", options.mpi_t,
                             "What tools find through MPI_T: control and performance variables, "
                             "events, categories");
  auto* config = app.add_flag("--config", options.config,
                              "How this installation was built: versions, compilers, options");
  auto* path =
      app.add_option(
             "--path", options.path,
             "The folders of this installation, or the one of this name alone (--path libdir)")
          ->expected(0, 1)
          ->type_name("[NAME]");
  why->excludes(diff, doctor, machine, collectives, mpi_t, config, path);
  diff->excludes(doctor, collectives, mpi_t, config, path);
  doctor->excludes(collectives, mpi_t, config, path);
  collectives->excludes(mpi_t, config, path);
  mpi_t->excludes(config, path);
  config->excludes(path);
  machine->excludes(diff, doctor, collectives, config, path);
}

void add_formats(CLI::App& app, Options& options) {
  const auto choose = [&options](Format format) {
    return [&options, format](std::int64_t) { options.format = format; };
  };
  auto* json =
      app.add_flag_function("--json", choose(Format::json), "Print everything as one JSON object");
  auto* parsable =
      app.add_flag_function("--parsable,--parseable", choose(Format::parsable),
                            "Print one fact per line: kind, name, field, value, separated by tabs "
                            "(\\t \\n \\r \\\\ inside)");
  auto* markdown =
      app.add_flag_function("--markdown", choose(Format::markdown), "Print tables for documents");
  json->excludes(parsable, markdown);
  parsable->excludes(markdown);
  for (const char* name : {"--why", "--diff", "--doctor"})
    app.get_option(name)->excludes(parsable, markdown);
  app.get_option("--mpi-t")->excludes(markdown);
  for (const char* name : {"--config", "--path", "--machine"})
    app.get_option(name)->excludes(json, markdown);
  auto* dump = app.add_flag("--dump", options.dump,
                            "Print a parameter file that gives the values in force now");
  dump->excludes(json, parsable, markdown);
  for (const char* name : {"--why", "--diff", "--doctor", "--machine", "--collectives", "--mpi-t",
                           "--config", "--path"})
    app.get_option(name)->excludes(dump);
}

void add_settings(CLI::App& app, Options& options) {
  app.add_option("--mca", options.settings, "Set a parameter, as for mpiexec")
      ->type_name("NAME VALUE")
      ->allow_extra_args(false);
  app.add_option("--tune", options.tune_files, "Read a parameter file, as for mpiexec")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--ranks", options.ranks,
                 "Answer for a job of so many ranks: parameter files may have sections for that")
      ->check(CLI::Range(1, 65536).description(""))
      ->type_name("N");
}

// Which options exclude which is said when somebody tries; in the help it would bury the rest.
class Formatter final : public CLI::Formatter {
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_type_size() == 0 ? "" : " " + option->get_type_name();
  }
};

// The option that an unknown one was probably meant to be.
std::string hint(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  for (const std::string& argument : arguments)
    if (argument.starts_with("--") &&
        std::find(known.begin(), known.end(), argument) == known.end())
      return tessera::text::did_you_mean(argument, known);
  return {};
}

void complain(const CLI::App& app, const CLI::ParseError& error,
              const std::vector<std::string>& arguments) {
  const bool unknown = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  std::fprintf(stderr, "ompi-info: %s%s; `ompi-info --help` explains\n", error.what(),
               unknown ? hint(app, arguments).c_str() : "");
}

constexpr const char* footer =
    "Exit codes: 0 all is well; 1 something in force is wrong (it is shown), --diff found "
    "differences, or --doctor a\n"
    "problem; 2 the question was wrong: an unknown option, parameter, framework or component, or a "
    "file that cannot be read.";

// Users of other MPIs write -mca; the parser would take it for three options of one letter.
std::vector<std::string> arguments_reversed(int argc, const char* const* argv) {
  constexpr std::array<std::string_view, 6> words = {"-mca",  "-tune",   "-param",
                                                     "-path", "-config", "-all"};
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) {
    const std::string argument = argv[i];
    const bool word = std::find(words.begin(), words.end(), argument) != words.end();
    arguments.push_back(word ? "-" + argument : argument);
  }
  return arguments;
}

// --param FRAMEWORK COMPONENT is --framework and --component; `all all` is --all.
void take_param(Options& options) {
  if (options.param.size() != 2) return;
  const std::string &framework = options.param[0], &component = options.param[1];
  if (framework != "all") options.framework = framework;
  if (component != "all")
    options.component = (framework != "all" ? framework + "/" : std::string()) + component;
  options.all = options.all || (framework == "all" && component == "all");
}

}  // namespace

ParsedOptions parse_options(int argc, const char* const* argv) {
  Options options;
  CLI::App app(
      "Lists frameworks, components and parameters. It reads manifests and runs no code of a "
      "component.",
      "ompi-info");
  app.formatter(std::make_shared<Formatter>());
  app.footer(footer);
  app.set_version_flag("-V,--version", "ompi-info (Tessera) " TESSERA_VERSION);
  add_filters(app, options);
  add_questions(app, options);
  add_formats(app, options);
  add_settings(app, options);
  try {
    app.parse(arguments_reversed(argc, argv));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return {std::nullopt, app.exit(error)};  // help, version
    complain(app, error, arguments_reversed(argc, argv));
    return {std::nullopt, usage_error};
  }
  take_param(options);
  return {std::move(options), 0};
}

}  // namespace ompi_info
