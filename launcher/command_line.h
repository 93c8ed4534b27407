// SPDX-License-Identifier: BSD-3-Clause
// What the user asked mpiexec for: CommandLine, and its parser.
#pragma once
//
// Contract. parse() knows the spellings of both families of launchers that users have in their
// scripts (one or two dashes, `--name value` or `--name=value`); options.cpp is the table of them.
// Several programs are separated by ':'. Options about a program or its environment hold for the
// program that follows; all others for the whole job, wherever they stand. Nothing is printed here.
// Each option is obeyed, or ignored with a line in `warnings` that says why, or refused by name.
//
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/count.h"
#include "launcher/output_request.h"
#include "launcher/placement/request.h"
#include "tessera/status.h"

namespace tessera::launcher {

// Which variables of mpiexec's environment a program gets, and which are set in addition. Rules of
// a program come after those of the job.
struct EnvironmentRules {
  enum class Base : std::uint8_t { unsaid, all, listed };  // listed with no names: nothing
  Base base = Base::unsaid;
  std::vector<std::string> names;  // those listed, and those exported by -x NAME
  std::vector<std::pair<std::string, std::string>> set;  // later ones win
};

struct App {
  std::uint32_t ranks = 0;           // 0: not said
  std::vector<std::string> words;    // program and arguments
  std::vector<std::string> wrapper;  // while parsing: words that come before them
  std::string directory;             // empty: the current one
  std::string search_path;           // before PATH; empty: none
  EnvironmentRules environment;
};

// What mpiexec does when the job hangs; all but `ignore` say so.
enum class OnHang : std::uint8_t { report, abort, stop, ignore };

struct CommandLine {
  std::vector<App> apps;
  EnvironmentRules environment;
  std::vector<std::pair<std::string, std::string>> params;  // --mca NAME VALUE
  std::vector<std::string> tune_files;
  std::vector<std::string> hosts;  // lists as written
  std::vector<std::string> host_files;
  bool slots_are_limits = false;  // more ranks than slots need --oversubscribe
  bool oversubscribes = false;
  std::string launcher;                 // the engine for other hosts, or how it reaches them
  std::string launcher_exec;            // its program for remote shells
  std::uint32_t ranks_per_machine = 0;  // 0: not said
  std::uint32_t universe = 0;           // MPI_UNIVERSE_SIZE, unless ranks outnumber it
  double timeout_s = 0;                 // 0: none
  OnHang on_hang = OnHang::report;
  std::string hang_report;  // the file that gets the verdict as JSON; empty: none
  std::string hang_graph;   // likewise: as a picture, for Graphviz when it ends in .dot
  PlacementRequest placement;
  OutputRequest output;
  std::optional<std::uint32_t> reader = 0;  // the rank that gets the standard input; none: nobody
  std::string report_pid;                   // '-', '+' or a file; empty: not asked
  bool print_exit_codes = false;
  std::string command_file;           // while parsing: whose words come next
  std::vector<std::string> warnings;  // for the user, one line each, without a prefix
  bool recovers = false;              // survivors go on when a rank dies
  bool checks = false;                // --check
  bool quiet = false;
  bool verbose = false;
  bool help = false;
  bool version = false;
  bool table = false;  // of options, for documents and tests
};

// `words` are the arguments after the program name. The failure's text is one line without a
// prefix.
Result<CommandLine> parse(std::span<char* const> words);

// One row of the table of options.
struct OptionUse {
  CommandLine& line;
  App& app;
  std::string_view spelled;  // as the user wrote it, with its dashes
  std::span<const std::string> values;
};
struct Option {
  enum class Effect : std::uint8_t { obeyed, ignored, refused };

  std::string_view
      names;  // without dashes, separated by blanks; the first one is shown in the help
  std::string_view
      values;  // names of its values, separated by blanks; "[WHAT]" is optional and only after '='
  Status (*apply)(const OptionUse& use);  // checks the values of one that is ignored; may be null
  std::string_view help;                  // the effect; or the reason, said on standard error
  Effect effect = Effect::obeyed;
};
struct OptionGroup {
  std::string_view title;
  std::span<const Option> options;
};
std::span<const OptionGroup> option_groups() noexcept;

std::string help_text();

// A line per option with tabs: group, names, values, "obeyed", "ignored" or "refused", and text.
std::string option_table();

}  // namespace tessera::launcher
