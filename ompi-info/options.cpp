// SPDX-License-Identifier: BSD-3-Clause
// The command line of ompi-info.
#include "options.h"

#include <CLI/CLI.hpp>

namespace ompi_info {
namespace {

constexpr int usage_error = 2;

void add_filters(CLI::App& app, Options& options) {
  app.add_option("word", options.words, "Only what has all these words in its name or description");
  app.add_option("-f,--framework", options.framework, "Only this framework ('core' for parameters of none)")
      ->type_name("NAME");
  app.add_option("-c,--component", options.component, "Only this component: NAME or FRAMEWORK/NAME")
      ->type_name("NAME");
  app.add_option("-l,--level", options.level,
                 "Only parameters up to this level: 1-3 user, 4-6 tuner, 7-9 developer")
      ->check(CLI::Range(1, 9))
      ->type_name("1..9");
  app.add_flag_function(
      "-a,--all", [](std::int64_t) {}, "Everything, as without it: for the sake of habit");
  app.add_flag("--changed", options.changed, "Only parameters that somebody set");
  app.add_option("-w,--why", options.why, "Who said what about one parameter, and who won")
      ->type_name("PARAM");
}

void add_formats(CLI::App& app, Options& options) {
  const auto choose = [&options](Format format) {
    return [&options, format](std::int64_t) { options.format = format; };
  };
  auto* json = app.add_flag_function("--json", choose(Format::json), "Print everything as one JSON object");
  auto* parsable =
      app.add_flag_function("--parsable,--parseable", choose(Format::parsable),
                            "Print one fact per line: kind, name, field, value, separated by tabs "
                            "(\\t \\n \\r \\\\ inside)");
  auto* markdown =
      app.add_flag_function("--markdown", choose(Format::markdown), "Print tables for documents");
  json->excludes(parsable, markdown);
  parsable->excludes(markdown);
  app.get_option("--why")->excludes(parsable, markdown);
  app.add_flag("--dump", options.dump, "Print a parameter file that gives the values in force now");
}

void add_settings(CLI::App& app, Options& options) {
  app.add_option("--mca", options.settings, "Set a parameter, as for mpiexec")
      ->type_name("NAME VALUE")
      ->allow_extra_args(false);
  app.add_option("--tune", options.tune_files, "Read a parameter file, as for mpiexec")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

// Users of other MPIs write -mca; the parser would take it for three options of one letter.
std::vector<std::string> arguments_reversed(int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) {
    const std::string argument = argv[i];
    arguments.push_back(argument == "-mca" || argument == "-tune" ? "-" + argument : argument);
  }
  return arguments;
}

}  // namespace

ParsedOptions parse_options(int argc, const char* const* argv) {
  Options options;
  CLI::App app("Lists frameworks, components and parameters. Nothing that is listed is run.", "ompi-info");
  app.set_version_flag("-V,--version", "ompi-info (Tessera) " TESSERA_VERSION);
  add_filters(app, options);
  add_formats(app, options);
  add_settings(app, options);
  try {
    app.parse(arguments_reversed(argc, argv));
  } catch (const CLI::ParseError& error) {
    return {std::nullopt, app.exit(error) == 0 ? 0 : usage_error};
  }
  return {std::move(options), 0};
}

}  // namespace ompi_info
