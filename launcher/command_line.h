// SPDX-License-Identifier: BSD-3-Clause
// What the user asked mpiexec for: CommandLine, and its parser.
#pragma once
//
// Contract. parse() knows the spellings of both families of launchers that users have in their
// scripts (one or two dashes, `--name value` or `--name=value`); options.cpp is the table of them.
// Several programs are separated by ':'. Options about a program or its environment hold for the
// program that follows; all others for the whole job, wherever they stand. Nothing is printed here.
//
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/count.h"
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
  std::uint32_t ranks = 0;         // 0: not said
  std::vector<std::string> words;  // program and arguments
  std::string directory;           // empty: the current one
  EnvironmentRules environment;
};

// How lines of output are marked.
enum class Tags : std::uint8_t {
  none,
  job_rank_stream,
  rank
};  // "text", "[1,0]<stdout>:text", "[0] text"

// What mpiexec does when the job hangs; all but `ignore` say so.
enum class OnHang : std::uint8_t { report, abort, stop, ignore };

struct CommandLine {
  std::vector<App> apps;
  EnvironmentRules environment;
  std::vector<std::pair<std::string, std::string>> params;  // --mca NAME VALUE
  std::vector<std::string> tune_files;
  std::vector<std::string> hosts;
  std::vector<std::string> host_files;
  std::uint32_t ranks_per_machine = 0;  // 0: not said
  double timeout_s = 0;                 // 0: none
  OnHang on_hang = OnHang::report;
  std::string hang_report;  // the file that gets the verdict as JSON; empty: none
  Tags tags = Tags::none;
  bool merge_streams = false;         // standard error into standard output
  bool rank0_reads = true;            // rank 0 gets the standard input of mpiexec
  std::vector<std::string> warnings;  // for the user, one line each, without a prefix
  bool recovers = false;              // survivors go on when a rank dies
  bool quiet = false;
  bool verbose = false;
  bool help = false;
  bool version = false;
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
  std::string_view
      names;  // without dashes, separated by blanks; the first one is shown in the help
  std::string_view
      values;  // names of its values, separated by blanks; "[WHAT]" is optional and only after '='
  Status (*apply)(const OptionUse& use);
  std::string_view help;  // empty: for the sake of other launchers' command lines only
};
struct OptionGroup {
  std::string_view title;
  std::span<const Option> options;
};
std::span<const OptionGroup> option_groups() noexcept;

std::string help_text();

}  // namespace tessera::launcher
