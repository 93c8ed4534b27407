// SPDX-License-Identifier: BSD-3-Clause
// The table of mpiexec's options.
#include <stdlib.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "framework/text.h"
#include "launcher/command_line.h"

namespace tessera::launcher {
namespace {

Status bad_value(const OptionUse& use, std::string_view why) {
  return Status::failure(Errc::argument,
                         "option " + std::string(use.spelled) + ": " + std::string(why));
}

Status ignore(const OptionUse&) {
  return {};
}

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

Status directory(const OptionUse& use) {
  use.app.directory = use.values[0];
  return {};
}

Status parameter(const OptionUse& use) {
  use.line.params.emplace_back(use.values[0], use.values[1]);
  return {};
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

// NAME or NAME=VALUE.
Status export_variable(const OptionUse& use) {
  const std::string_view text = use.values[0];
  const std::string_view name = text.substr(0, text.find('='));
  if (!is_variable_name(name))
    return bad_value(use, "NAME or NAME=VALUE, not '" + use.values[0] + "'");
  if (name.size() == text.size()) {
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

Status tag_stream(const OptionUse& use) {
  use.line.tags = Tags::job_rank_stream;
  return {};
}

Status tag_rank(const OptionUse& use) {
  use.line.tags = Tags::rank;
  return {};
}

template <bool CommandLine::*Flag, bool Value = true>
Status set_flag(const OptionUse& use) {
  use.line.*Flag = Value;
  return {};
}

Status standard_input(const OptionUse& use) {
  const std::string& who = use.values[0];
  if (who != "0" && who != "none")
    return bad_value(use, "'0' or 'none', not '" + who + "'; only rank 0 can read it");
  use.line.rank0_reads = who == "0";
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

// Everything is found from where mpiexec itself lies; a folder that is not there is a slip all the
// same.
Status prefix(const OptionUse& use) {
  struct stat facts {};
  const std::string& folder = use.values[0];
  if (stat(folder.c_str(), &facts) != 0)
    return bad_value(use, "'" + folder + "': " + strerror(errno));
  return S_ISDIR(facts.st_mode) ? Status() : bad_value(use, "'" + folder + "' is no directory");
}

Status host_list(const OptionUse& use) {
  for (std::string_view host : text::split(use.values[0], ',')) {
    if (!host.empty()) use.line.hosts.emplace_back(host);
  }
  return {};
}

Status host_file(const OptionUse& use) {
  use.line.host_files.push_back(use.values[0]);
  return {};
}

constexpr Option kWhat[] = {
    {"n np c", "N", ranks,
     "Number of ranks; default: the CPUs this job may use. More ranks than CPUs is fine."},
    {"wdir wd", "DIR", directory,
     "Start the program in DIR; a relative program name is taken from there."},
    {"timeout", "S", timeout,
     "End the job after S seconds, saying where each rank was (also MPIEXEC_TIMEOUT)."},
};

constexpr Option kParameters[] = {
    {"mca gmca", "NAME VALUE", parameter,
     "Set a parameter for the whole job; `ompi-info` lists them."},
    {"tune am", "FILE", tune_file, "Read parameters from FILE."},
    {"explain", "[WHAT]", explain,
     "Say what was chosen and why (all, or a part of it): sets core_explain."},
};

constexpr Option kEnvironment[] = {
    {"x", "NAME[=VALUE]", export_variable,
     "Give the program a variable: this value, or the one of mpiexec."},
    {"env", "NAME VALUE", app_variable, "Set a variable for this program."},
    {"genv", "NAME VALUE", job_variable, "Set a variable for all programs."},
    {"genvall", "", job_all, "Pass on the whole environment of mpiexec: the default."},
    {"genvlist", "NAMES", job_list,
     "Pass on only the variables in this comma list; genvnone: none at all."},
    {"genvnone", "", job_none, "Pass on no variables but those set here."},
    {"envlist", "NAMES", app_list, "As genvlist, for this program alone."},
    {"envall", "", app_all, "As genvall, for this program alone."},
    {"envnone", "", app_none, "As genvnone, for this program alone."},
};

constexpr Option kOutput[] = {
    {"tag-output", "", tag_stream, "Begin each line of output with [job,rank]<stream>:"},
    {"l prepend-rank", "", tag_rank, "Begin each line of output with [rank]"},
    {"merge-stderr-to-stdout", "", set_flag<&CommandLine::merge_streams>,
     "Send both streams to standard output."},
    {"stdin s", "WHO", standard_input, "Who reads the standard input: 0 (the default) or none."},
    {"quiet q", "", set_flag<&CommandLine::quiet>, "Print no warnings about parameters."},
    {"verbose v", "", set_flag<&CommandLine::verbose>, "Say which processes were started."},
};

constexpr Option kFailure[] = {
    {"enable-recovery", "", set_flag<&CommandLine::recovers>,
     "Go on when a rank dies: calls that need it fail with MPI_ERR_PROC_ABORTED."},
    {"disable-recovery", "", set_flag<&CommandLine::recovers, false>,
     "End the job when a rank dies (the default)."},
    {"on-hang", "WHAT", on_hang,
     "When ranks wait for each other for ever: report (the default), and then abort, or stop for a "
     "debugger; or ignore."},
    {"hang-report", "FILE", hang_report,
     "Write that report as JSON to FILE, and its graph to FILE.dot."},
};

constexpr Option kHosts[] = {
    {"host hosts H", "LIST", host_list, "Hosts to run on; in this version only this machine."},
    {"hostfile machinefile f", "FILE", host_file,
     "The same from a file; its slots are the default of -n."},
    {"ppn N npernode perhost", "N", ranks_per_machine, "Ranks per machine: the default of -n."},
};

constexpr Option kInformation[] = {
    {"help h", "", set_flag<&CommandLine::help>, "This text."},
    {"version V", "", set_flag<&CommandLine::version>, "The version."},
};

constexpr Option kIgnored[] = {
    {"oversubscribe", "", ignore, ""},
    {"nooversubscribe", "", ignore, ""},
    {"allow-run-as-root", "", ignore, ""},
    {"map-by", "X", ignore, ""},
    {"rank-by", "X", ignore, ""},
    {"bind-to", "X", ignore, ""},
    {"membind", "X", ignore, ""},
    {"bynode byslot bycore bysocket bind-to-core bind-to-socket bind-to-none", "", ignore, ""},
    {"use-hwthread-cpus", "", ignore, ""},
    {"cpus-per-proc cpus-per-rank npersocket", "N", ignore, ""},
    {"report-bindings display-map display-allocation", "", ignore, ""},
    {"prefix", "DIR", prefix, ""},
    {"launcher bootstrap rmk topolib iface nameserver usize", "X", ignore, ""},
    {"launcher-exec bootstrap-exec", "X", ignore, ""},
    {"disable-auto-cleanup disable-hostname-propagation order-nodes pmi-port skip-launch-node", "",
     ignore, ""},
    {"report-state-on-timeout get-stack-traces", "", ignore, ""},
    {"print-all-exitcodes show-progress", "", ignore, ""},
    // The library supports what it supports; mpi_memory_alloc_kinds says so.
    {"memory-alloc-kinds", "KINDS", ignore, ""},
};

constexpr OptionGroup kGroups[] = {
    {"What to run", kWhat},
    {"Parameters", kParameters},
    {"Environment", kEnvironment},
    {"Input and output", kOutput},
    {"Hosts", kHosts},
    {"Failure", kFailure},
    {"Information", kInformation},
    {"", kIgnored},
};

}  // namespace

std::span<const OptionGroup> option_groups() noexcept {
  return kGroups;
}

}  // namespace tessera::launcher
