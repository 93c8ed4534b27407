// SPDX-License-Identifier: BSD-3-Clause
// The table of mpiexec's options.
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "framework/text.h"
#include "launcher/options/parts.h"

namespace tessera::launcher {
namespace {

Status count_into(std::uint32_t& place, const OptionUse& use) {
  const auto count = parse_count(use.values[0]);
  if (!count.ok()) return bad_value(use, count.status().text());
  place = count.value();
  return {};
}

Status ranks(const OptionUse& use) {
  return count_into(use.app.ranks, use);
}
Status ranks_per_machine(const OptionUse& use) {
  return count_into(use.line.ranks_per_machine, use);
}

Status working_directory(const OptionUse& use) {
  use.app.directory = use.values[0];
  return {};
}

Status parameter(const OptionUse& use) {
  if (use.values[0].substr(0, 1) == "-")
    return bad_value(use, "NAME VALUE must follow, and '" + use.values[0] + "' is no name");
  use.line.params.emplace_back(use.values[0], use.values[1]);
  return {};
}

Status search_path(const OptionUse& use) {
  use.app.search_path = use.values[0];
  return {};
}

Status command_file(const OptionUse& use) {
  use.line.command_file = use.values[0];
  return use.values[0].empty() ? bad_value(use, "the name of a file, not an empty one") : Status();
}

Status report_pid(const OptionUse& use) {
  use.line.report_pid = use.values[0];
  return use.values[0].empty() ? bad_value(use, "'-', '+' or a file") : Status();
}

// Programs before the program.
Status under(const OptionUse& use, std::initializer_list<const char*> words) {
  use.app.wrapper.insert(use.app.wrapper.end(), words.begin(), words.end());
  return {};
}
Status under_valgrind(const OptionUse& use) {
  return under(use, {"valgrind", "-q"});
}
// A program that ends well has no thread left of which to print anything.
Status under_gdb(const OptionUse& use) {
  return under(use, {"gdb", "-q", "-batch", "-return-child-result", "-ex", "run", "-ex",
                     "thread apply all bt", "--args"});
}

Status tune_file(const OptionUse& use) {
  use.line.tune_files.push_back(use.values[0]);
  return {};
}

Status explain(const OptionUse& use) {
  use.line.params.emplace_back("core_explain", use.values.empty() ? "all" : use.values[0]);
  return {};
}

bool is_variable_name(std::string_view name) noexcept {
  return !name.empty() && name.find('=') == std::string_view::npos;
}

// All variables whose names begin so.
void export_prefix(EnvironmentRules& rules, std::string_view prefix) {
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view name = std::string_view(*variable).substr(0, strcspn(*variable, "="));
    if (name.substr(0, prefix.size()) == prefix) rules.names.emplace_back(name);
  }
}

// NAME, NAME=VALUE or NAME*.
Status export_variable(const OptionUse& use) {
  const std::string_view text = use.values[0];
  const std::string_view name = text.substr(0, text.find('='));
  if (!is_variable_name(name))
    return bad_value(use, "NAME or NAME=VALUE, not '" + use.values[0] + "'");
  if (name.size() == text.size() && name.back() == '*') {
    export_prefix(use.app.environment, name.substr(0, name.size() - 1));
  } else if (name.size() == text.size()) {
    const std::string variable(name);
    if (getenv(variable.c_str()) == nullptr) {
      use.line.warnings.push_back("option " + std::string(use.spelled) +
                                  ": there is no variable '" + variable + "' to pass on");
    }
    use.app.environment.names.push_back(variable);
  } else {
    use.app.environment.set.emplace_back(name, text.substr(name.size() + 1));
  }
  return {};
}

Status set_variable(EnvironmentRules& rules, const OptionUse& use) {
  if (!is_variable_name(use.values[0]))
    return bad_value(use, "'" + use.values[0] + "' is not a name");
  rules.set.emplace_back(use.values[0], use.values[1]);
  return {};
}

Status job_variable(const OptionUse& use) {
  return set_variable(use.line.environment, use);
}
Status app_variable(const OptionUse& use) {
  return set_variable(use.app.environment, use);
}

void list_only(EnvironmentRules& rules, std::string_view names) {
  rules.base = EnvironmentRules::Base::listed;
  for (std::string_view name : text::split(names, ',')) {
    if (!name.empty()) rules.names.emplace_back(name);
  }
}

Status job_list(const OptionUse& use) {
  return list_only(use.line.environment, use.values[0]), Status();
}
Status app_list(const OptionUse& use) {
  return list_only(use.app.environment, use.values[0]), Status();
}
Status job_none(const OptionUse& use) {
  return list_only(use.line.environment, ""), Status();
}
Status app_none(const OptionUse& use) {
  return list_only(use.app.environment, ""), Status();
}

Status job_all(const OptionUse& use) {
  use.line.environment.base = EnvironmentRules::Base::all;
  return {};
}

Status app_all(const OptionUse& use) {
  use.app.environment.base = EnvironmentRules::Base::all;
  return {};
}

Status timeout(const OptionUse& use) {
  const std::string& text = use.values[0];
  const auto [stop, error] =
      std::from_chars(text.data(), text.data() + text.size(), use.line.timeout_s);
  if (error == std::errc() && stop == text.data() + text.size() && use.line.timeout_s > 0)
    return {};
  return bad_value(use, "'" + text + "' is not a number of seconds above 0");
}

Status on_hang(const OptionUse& use) {
  constexpr std::pair<std::string_view, OnHang> kWays[] = {{"report", OnHang::report},
                                                           {"abort", OnHang::abort},
                                                           {"stop", OnHang::stop},
                                                           {"ignore", OnHang::ignore}};
  for (const auto& [name, way] : kWays)
    if (use.values[0] == name) return use.line.on_hang = way, Status();
  return bad_value(use, "'report', 'abort', 'stop' or 'ignore', not '" + use.values[0] + "'");
}

Status hang_report(const OptionUse& use) {
  if (use.values[0].empty()) return bad_value(use, "the name of a file, not an empty one");
  use.line.hang_report = use.values[0];
  return {};
}

Status hang_graph(const OptionUse& use) {
  if (use.values[0].empty()) return bad_value(use, "the name of a file, not an empty one");
  use.line.hang_graph = use.values[0];
  return {};
}

// A single dash has Hydra's meaning: ranks go round the hosts. Two dashes, and -H, have Open MPI's:
// slots are what there is.
bool limits(std::string_view spelled) noexcept {
  return spelled == "-H" || spelled.starts_with("--");
}

Status host_list(const OptionUse& use) {
  use.line.hosts.push_back(use.values[0]);
  use.line.slots_are_limits |= limits(use.spelled);
  return {};
}

Status host_file(const OptionUse& use) {
  use.line.host_files.push_back(use.values[0]);
  use.line.slots_are_limits |= limits(use.spelled);
  return {};
}

Status launcher(const OptionUse& use) {
  use.line.launcher = use.values[0];
  return {};
}

Status launcher_exec(const OptionUse& use) {
  use.line.launcher_exec = use.values[0];
  return {};
}

constexpr Option kWhat[] = {
    {"n np c", "N", ranks,
     "Number of ranks; default: the CPUs this job may use. More ranks than CPUs is fine. Also "
     "-n4."},
    {"wdir wd", "DIR", working_directory,
     "Start the program in DIR; a relative program name is taken from there."},
    {"path", "PATHS", search_path,
     "Look for the program in these folders, separated by ':', before PATH."},
    {"configfile app file", "FILE", command_file,
     "Read the command line from FILE: a line for each program, with its options."},
    {"gdb", "", under_gdb,
     "Run each rank under gdb, which prints where it is when a signal ends it."},
    {"valgrind", "", under_valgrind, "Run each rank under valgrind -q."},
    {"timeout", "S", timeout,
     "End the job after S seconds, saying where each rank was (also MPIEXEC_TIMEOUT)."},
};

constexpr Option kParameters[] = {
    {"mca gmca omca", "NAME VALUE", parameter,
     "Set a parameter for the whole job; `ompi-info` lists them."},
    {"tune am", "FILE", tune_file, "Read parameters from FILE."},
    {"explain", "[WHAT]", explain,
     "Say what was chosen and why: all (the default), summary, select (components), coll "
     "(collective operations), json: sets core_explain."},
};

constexpr Option kEnvironment[] = {
    {"x", "NAME[=VALUE]", export_variable,
     "Give the program an environment variable: with VALUE, or as mpiexec has it. NAME* stands for "
     "all variables whose names begin with NAME."},
    {"env", "NAME VALUE", app_variable, "Set a variable for this program."},
    {"genv", "NAME VALUE", job_variable, "Set a variable for all programs."},
    {"genvall", "", job_all, "Pass on the whole environment of mpiexec: the default."},
    {"genvlist", "NAMES", job_list, "Pass on only the variables in this comma list."},
    {"genvnone", "", job_none, "Pass on no variables but those set here."},
    {"envlist", "NAMES", app_list, "As genvlist, for this program alone."},
    {"envall", "", app_all, "As genvall, for this program alone."},
    {"envnone", "", app_none, "As genvnone, for this program alone."},
};

constexpr Option kFailure[] = {
    {"check", "", check,
     "Look for mistakes of the program, which costs time: sets coll_check, osc_check and "
     "pml_ob1_check, and puts libtessera-check.so before MPI (leaks, buffers in use, threads, "
     "reduction operations)."},
    {"enable-recovery", "", set_flag<&CommandLine::recovers>,
     "Go on when a rank dies: calls that need it fail with MPI_ERR_PROC_ABORTED."},
    {"disable-recovery", "", set_flag<&CommandLine::recovers, false>,
     "End the job when a rank dies (the default)."},
    {"on-hang", "WHAT", on_hang,
     "When ranks wait for each other for ever: report (the default), and then abort, or stop for a "
     "debugger; or ignore."},
    {"hang-report", "FILE", hang_report,
     "Write that report as JSON to FILE, and its graph to FILE.dot (also MPIEXEC_HANG_REPORT, for "
     "jobs on this machine)."},
    {"hang-graph", "FILE", hang_graph,
     "Draw who waits for whom as SVG in FILE, or for Graphviz when its name ends in .dot."},
};

constexpr Option kHosts[] = {
    {"host hosts H", "LIST", host_list,
     "Hosts to run on, as a,b:2,node[01-04]; those beyond this machine through an engine."},
    {"hostfile machinefile f default-hostfile", "FILE", host_file,
     "The same from a file; its slots are the default of -n."},
    {"ppn N npernode perhost", "N", ranks_per_machine, "Ranks per machine: the default of -n."},
    {"launcher bootstrap", "NAME", launcher,
     "The engine for other hosts: slurm, hydra, prte, openmpi; or how it reaches them: ssh, rsh."},
    {"launcher-exec bootstrap-exec launch-agent", "PROGRAM", launcher_exec,
     "The program that the engine calls in place of ssh."},
};

constexpr Option kInformation[] = {
    {"help h", "", set_flag<&CommandLine::help>, "This text."},
    {"version V info", "", set_flag<&CommandLine::version>, "The version."},
    {"quiet q", "", set_flag<&CommandLine::quiet>,
     "Print no warnings about options and parameters."},
    {"verbose v", "", set_flag<&CommandLine::verbose>, "Say which processes were started."},
    {"print-all-exitcodes", "", set_flag<&CommandLine::print_exit_codes>,
     "Say at the end how each rank ended."},
    {"report-pid", "WHERE", report_pid,
     "Print the process id of mpiexec: - for standard output, + for standard error, or a file."},
    {"tessera-options", "", set_flag<&CommandLine::table>,
     "This table with tabs: group, names, values, effect, text."},
};

}  // namespace

std::span<const OptionGroup> option_groups() noexcept {
  static const OptionGroup kGroups[] = {{"What to run", kWhat},
                                        {"Parameters", kParameters},
                                        {"Environment", kEnvironment},
                                        {"Input and output", output_options()},
                                        {"Places of ranks", placement_options()},
                                        {"Hosts", kHosts},
                                        {"Failure", kFailure},
                                        {"Information", kInformation},
                                        {"Of other launchers", foreign_options()}};
  return kGroups;
}

}  // namespace tessera::launcher
