// SPDX-License-Identifier: BSD-3-Clause
// Translating an order into an engine's.
#include "launcher/across/start.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "core/job/segment.h"
#include "framework/terminal.h"
#include "framework/text.h"
#include "launcher/across/engine_process.h"
#include "launcher/across/environment.h"
#include "launcher/across/input_feed.h"
#include "launcher/across/lost_hosts.h"
#include "launcher/across/silence.h"
#include "launcher/carrier/carrier_order.h"
#include "launcher/carrier/input.h"
#include "launcher/prepare.h"

namespace tessera::launcher::across {
namespace {

constexpr int kWrongUse = 2;
constexpr double kTimeForCarriers_s = 10;  // they end the job themselves when its time is up

using Parameters = std::vector<std::pair<std::string, std::string>>;

// As the shell names it, where that is right: behind automounters getcwd(3) gives paths that other
// hosts do not have.
std::string current_directory() {
  const char* const said = getenv("PWD");
  struct stat here {
  }, there{};
  if (said != nullptr && *said == '/' && stat(".", &here) == 0 && stat(said, &there) == 0 &&
      here.st_dev == there.st_dev && here.st_ino == there.st_ino)
    return said;
  char* const path = getcwd(nullptr, 0);
  const std::string text = path != nullptr ? path : "";
  free(path);
  return text;
}

// tessera-carrier beside mpiexec, with the same suffix: the path by which other hosts find it, too.
std::string carrier_program() {
  constexpr std::string_view kMpiexec = "mpiexec";
  std::error_code failed;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", failed);
  const std::string name = own.filename();
  const std::string suffix = name.starts_with(kMpiexec) ? name.substr(kMpiexec.size()) : "";
  return own.parent_path() / ("tessera-carrier" + suffix);
}

std::string directory_of(const Program& program) {
  if (program.directory() == nullptr) return current_directory();
  const std::string given = program.directory();
  return given[0] == '/' ? given : current_directory() + "/" + given;
}

// A name with '=' would be a variable to env(1).
std::vector<std::string> command_of(const Program& program) {
  std::vector<std::string> words;
  const std::string path = program.path();
  if (path.find('=') != std::string::npos) words = {"/bin/sh", "-c", "exec \"$0\" \"$@\""};
  words.push_back(path);
  for (char* const* word = program.arguments() + 1; *word != nullptr; ++word)
    words.emplace_back(*word);
  return words;
}

std::vector<std::string> as_variables(const Parameters& parameters) {
  std::vector<std::string> variables;
  for (const auto& [name, value] : parameters)
    variables.push_back("TESSERA_MCA_" + name + "=" + value);
  return variables;
}

// 0 where the user has told the engine himself when it gives hosts up.
int silence_of(const Engine& engine, const Parameters& parameters) {
  const char* const own = engine.kind == Kind::prte ? "PRTE_MCA_oob_tcp_keepalive_time"
                                                    : "OMPI_MCA_oob_tcp_keepalive_time";
  return getenv(own) != nullptr ? 0 : silence_s(parameters);
}

Request request_of(JobOrder& order, const Plan& plan, const std::vector<std::string>& environment,
                   const Parameters& parameters) {
  const CommandLine& line = order.line;
  const std::vector<std::string> settings = as_variables(parameters);
  Request request;
  request.shares = plan.shares;
  request.per_host = plan.per_host;
  request.in_turn = goes_in_turn(line);
  if (line.placement.binding == Binding::object) request.bind = name_of(line.placement.bind_level);
  request.tagged = line.output.tags != Tags::none;
  request.rank0_reads = line.reader.has_value();
  request.oversubscribes = line.oversubscribes;
  request.root = geteuid() == 0;
  request.mpi_type = getenv("SLURM_MPI_TYPE") != nullptr;
  request.agent = line.launcher_exec;
  request.silence_s = silence_of(*plan.engine, parameters);
  for (std::size_t i = 0; i < order.programs.size(); ++i) {
    Program& program = *order.programs[i];
    char* const* const wanted = program.environment({});
    Part part{line.apps[i].ranks,
              words_of_env(directory_of(program), environment, wanted, settings)};
    const std::vector<std::string> command = command_of(program);
    part.words.insert(part.words.end(), command.begin(), command.end());
    request.parts.push_back(std::move(part));
    if (i == 0) request.exports = names_to_export(environment, wanted);
  }
  return request;
}

// Hydra 4.0 gives up when rank 0 reads slowly, mpirun of Open MPI 4.1 (15 of 25 jobs) when it
// leaves megabytes unread, and prterun 3.0 loses megabytes that it reads. srun does none of it.
bool feeds_input(const CommandLine& line, const Plan& plan) noexcept {
  return plan.carried && line.reader && plan.engine->kind != Kind::slurm;
}

// One process of each host, a carrier, which starts the ranks of its host.
Result<Request> request_of_carriers(JobOrder& order, const Plan& plan, const Parameters& parameters,
                                    const std::vector<std::string>& environment,
                                    std::uint64_t job_id) {
  carrier::CarrierOrder told;
  told.line = order.line;
  told.directory = current_directory();
  told.shares = plan.shares;
  told.job_id = job_id;
  told.in_turn = goes_in_turn(order.line);
  told.nodes = plan.nodes;
  told.line.params = parameters;
  if (const auto columns = terminal_columns(STDERR_FILENO))
    told.line.environment.set.emplace_back(kColumnsVariable, std::to_string(*columns));
  auto word = carrier::encode(told);
  if (!word.ok()) return word.status();
  Request request;
  for (const Share& share : plan.shares) request.shares.push_back({share.host, 1});
  request.in_order = true;
  const bool feeds = feeds_input(order.line, plan);
  request.rank0_reads = order.line.reader.has_value() && !feeds;
  request.oversubscribes = true;
  request.mpi_type = getenv("SLURM_MPI_TYPE") != nullptr;
  request.agent = order.line.launcher_exec;
  request.root = geteuid() == 0;
  request.exports = names_to_export(environment, environ);
  if (feeds) request.exports.emplace_back(carrier::kInputVariable);
  request.silence_s = silence_of(*plan.engine, parameters);
  request.parts.push_back(
      {static_cast<std::uint32_t>(plan.shares.size()), {carrier_program(), *word}});
  return request;
}

void name_lost_hosts(const std::vector<std::string>& hosts) {
  for (const std::string& host : hosts)
    std::fprintf(stderr,
                 "mpiexec: %s does not answer any more: it has died, or the network to it is cut\n",
                 host.c_str());
}

}  // namespace

std::string find_on_path(const std::string& program) {
  const char* const path = getenv("PATH");
  for (std::string_view folder : text::split(path != nullptr ? path : "/usr/bin:/bin", ':')) {
    const std::string candidate = std::string(folder.empty() ? "." : folder) + "/" + program;
    struct stat facts {};
    if (stat(candidate.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
        access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return {};
}

void take_engine_parameters(CommandLine& line) {
  std::erase_if(line.params, [&line](const auto& parameter) {
    const auto& [name, value] = parameter;
    if (name == "rmaps_rank_file_path" || name == "orte_rankfile") {
      if (line.placement.rank_file.empty()) line.placement.rank_file = value;
    } else if (name == "rmaps_rank_file_physical") {
      line.placement.kernel_numbers = value != "0" && value != "false";
    } else if (name == "rmaps" && value == "seq") {
      line.placement.in_sequence = true;
    } else if (name == "plm_rsh_agent" || name == "plm_ssh_agent") {
      if (line.launcher_exec.empty()) line.launcher_exec = value;
    } else {
      return false;
    }
    return true;
  });
}

int start_engine(JobOrder& order, const Plan& plan, const Parameters& tuned) {
  const std::vector<std::string> environment = for_engine(environ);
  Parameters parameters = tuned;  // the later ones win
  parameters.insert(parameters.end(), order.line.params.begin(), order.line.params.end());
  const std::uint64_t job_id = JobSegment::random_id();
  Result<Request> made = plan.carried
                             ? request_of_carriers(order, plan, parameters, environment, job_id)
                             : request_of(order, plan, environment, parameters);
  if (!made.ok()) return complain(made.status().text(), kWrongUse);
  const Request& request = *made;
  EngineOrder engine;
  engine.words = command_of(*plan.engine, request);
  engine.environment = environment;
  engine.reads = request.rank0_reads;
  engine.merge_streams = order.line.output.merge_streams && !plan.carried;
  engine.timeout_s = order.line.timeout_s;
  if (plan.carried && engine.timeout_s > 0) engine.timeout_s += kTimeForCarriers_s;
  engine.name = name_of(plan.engine->kind);
  if (plan.carried && plan.engine->kind != Kind::hydra) engine.marked_job = job_id;
  engine.zero_needs_mark = plan.carried && plan.engine->kind == Kind::prte;
  if (order.line.placement.dry_run)
    return std::printf("%s\n", quoted(engine.words).c_str()) < 0 ? 1 : 0;
  if (order.line.verbose) std::fprintf(stderr, "mpiexec: %s\n", quoted(engine.words).c_str());
  std::unique_ptr<InputFeed> input;
  if (feeds_input(order.line, plan)) {
    auto opened = InputFeed::open();
    if (!opened.ok()) return complain(opened.status().text(), 1);
    input = std::move(*opened);
    engine.input = input.get();
    engine.environment.push_back(input->variable());
  }
  const SignalSetting signals = take_over_signals();
  const int code = run_engine(engine, signals);
  if (plan.carried && plan.engine->kind == Kind::hydra && code == kHydraFailed)
    name_lost_hosts(
        unanswering_hosts(*plan.engine, request.agent, plan.shares, environment, signals));
  return code;
}

}  // namespace tessera::launcher::across
