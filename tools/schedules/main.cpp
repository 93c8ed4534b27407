// SPDX-License-Identifier: BSD-3-Clause
// tessera-schedule: looking at the schedules of collective algorithms without running them.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "tools/schedules/commands.h"
#include "tools/schedules/price.h"

namespace {

using tessera::coll::schedules::Options;

void add_algorithm(CLI::App& command, Options& options, bool required) {
  command.add_option("operation", options.operation, "for example allreduce")->required();
  auto* algorithm = command.add_option("algorithm", options.algorithm, "for example ring");
  if (required) algorithm->required();
}

void add_call(CLI::App& command, Options& options) {
  command.add_option("--root", options.root, "root (0)");
  command.add_flag("--in-place", options.in_place, "MPI_IN_PLACE");
  command.add_flag("--ordered", options.ordered, "an operation that does not commute");
  command.add_option("--segment", options.segment,
                     "bytes sent at a time, for algorithms with segments");
  command.add_option("--radix", options.radix, "children or partners, for algorithms with a radix")
      ->check(CLI::NonNegativeNumber);
}

void add_one_call(CLI::App& command, Options& options) {
  add_algorithm(command, options, true);
  add_call(command, options);
  command.add_option("-n,--ranks", options.ranks, "number of ranks (8)");
  command.add_option("--bytes", options.bytes, "of the vector or block, as in 64K (8 per rank)");
  command.add_option("--count", options.count, "instead of --bytes: elements of 8 bytes");
}

void add_machine(CLI::App& command, Options& options) {
  command.add_option("--machine", options.machine, "a shipped machine or a YAML file")
      ->default_str("cluster");
}

void add_check(CLI::App& app, Options& options) {
  CLI::App& check = *app.add_subcommand(
      "check", "verify schedules; exit status 1 and the first failure if one is wrong");
  add_algorithm(check, options, false);
  check.add_option("-n,--ranks", options.ranks, "as in 1..40 or 64,100")->default_str("1..17");
  check.add_option("--roots", options.roots, "all, some (first, middle, last) or a list")
      ->default_str("all");
  check.add_option("--counts", options.counts,
                   "elements (0, 1, few, and one that cannot be divided)");
  check.add_flag("--quick", options.quick, "fewer combinations of flags");
}

void add_price(CLI::App& app, Options& options) {
  CLI::App& price = *app.add_subcommand(
      "price", "what algorithms cost on a machine; algorithm 'best': which wins where");
  add_algorithm(price, options, false);
  add_call(price, options);
  add_machine(price, options);
  price.add_option("-n,--ranks", options.ranks, "list or range; ranges double")
      ->default_str("2..1024");
  price.add_option("--bytes", options.bytes, "list or range; ranges double")->default_str("8");
  price.add_option("--steps", options.effort, "the most steps simulated for one price")
      ->check(CLI::Range(1e3, 1e9));
  price.add_option("--plot", options.plot, "an SVG file for curves, or with 'best' for a map");
  price.add_flag("--json", options.json, "JSON instead of a table");
}

int dispatch(const CLI::App& app, Options& options) {
  using namespace tessera::coll::schedules;  // NOLINT: the commands
  const auto otherwise = [](std::string& text, const char* value) {
    if (text.empty()) text = value;
  };
  otherwise(options.machine, "cluster");
  if (app.got_subcommand("list")) return run_list(options);
  if (app.got_subcommand("machines")) return run_machines();
  if (app.got_subcommand("show")) return run_show(options);
  if (app.got_subcommand("draw")) return run_draw(options);
  if (app.got_subcommand("check")) {
    otherwise(options.ranks, "1..17");
    otherwise(options.roots, "all");
    return run_check(options);
  }
  otherwise(options.ranks, "2..1024");
  otherwise(options.bytes, "8");
  if (options.effort == 0) options.effort = kUsualEffort;
  return run_price(options);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Schedules of collective algorithms: show, draw, check and price them",
               "tessera-schedule");
  app.require_subcommand(0, 1);
  app.set_help_all_flag("--help-all", "Help of all commands");
  app.add_subcommand("list", "operations and algorithms")
      ->add_option("operation", options.operation);
  app.add_subcommand("machines", "machine descriptions that are shipped");
  add_one_call(*app.add_subcommand("show", "the steps of each rank"), options);
  app.get_subcommand("show")->add_option("--rank", options.rank, "only this rank");
  CLI::App& draw = *app.add_subcommand("draw", "a picture: ranks as lanes, time to the right");
  add_one_call(draw, options);
  add_machine(draw, options);
  draw.add_option("-o,--output", options.output, "the SVG file")->required();
  add_check(app, options);
  add_price(app, options);
  try {
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) return std::printf("%s", app.help().c_str()) < 0 ? 3 : 0;
    return dispatch(app, options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const tessera::coll::schedules::BadInput& error) {
    std::fprintf(stderr, "schedule: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "schedule: failed: %s\n", error.what());
    return 3;
  }
}
