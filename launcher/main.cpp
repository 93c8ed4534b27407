// SPDX-License-Identifier: BSD-3-Clause
// mpiexec: from the command line to a job.
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "core/machine/usable_cpus.h"
#include "framework/help.h"
#include "launcher/across/start.h"
#include "launcher/command_line.h"
#include "launcher/front.h"
#include "launcher/job_order.h"
#include "launcher/placement/arrange.h"
#include "launcher/prepare.h"
#include "launcher/runner.h"

namespace tessera::launcher {
namespace {

constexpr int kWrongUse = 2;

// Where the job runs: here, or on hosts of an engine.
Result<across::Plan> find_target(CommandLine& line) {
  across::take_engine_parameters(line);
  auto target = across::plan_job(line, getenv, across::find_on_path);
  if (!target.ok()) return target;
  if (!target->warning.empty() && !line.quiet) complain(target->warning.c_str(), 0);
  line.placement.slots_by_rank = target->slots_by_rank;
  return target;
}

// The number of ranks where none was said: per machine, of --map-by, slots of the hosts, usable
// CPUs. Then who gets which CPUs.
Status fill_in_ranks(CommandLine& line, across::Plan& target, Arrangement& places) {
  App& app = line.apps.front();
  if (app.ranks == 0 && line.ranks_per_machine > 0) app.ranks = target.ranks;
  if (app.ranks == 0) app.ranks = places.default_ranks();
  if (app.ranks == 0) app.ranks = target.ranks;
  if (app.ranks == 0) app.ranks = usable_cpus();
  std::uint32_t ranks = 0;
  for (const App& one : line.apps) ranks += one.ranks;
  if (line.reader && *line.reader >= ranks)
    return Status::failure(Errc::argument, "option --stdin: there is no rank " +
                                               std::to_string(*line.reader) + " among " +
                                               std::to_string(ranks));
  if (line.universe == 0) line.universe = target.slots > 0 ? target.slots : usable_cpus();
  return places.make_plan(line, target.slots);
}

Status report_pid(const std::string& where, pid_t shown) {
  if (where.empty()) return {};
  const bool named = where != "-" && where != "+";
  std::FILE* const file = named ? std::fopen(where.c_str(), "w") : where == "-" ? stdout : stderr;
  bool written = file != nullptr && std::fprintf(file, "%d\n", shown) > 0;
  if (file != nullptr) written = (named ? std::fclose(file) : std::fflush(file)) == 0 && written;
  if (written) return {};
  return Status::failure(Errc::system,
                         "option --report-pid: cannot write '" + where + "': " + strerror(errno));
}

Status fill_in_timeout(CommandLine& line) {
  const char* const text = getenv("MPIEXEC_TIMEOUT");
  if (text == nullptr || *text == 0 || line.timeout_s > 0) return {};
  const std::string_view number(text);
  const auto [stop, error] =
      std::from_chars(number.data(), number.data() + number.size(), line.timeout_s);
  if (error == std::errc() && stop == number.data() + number.size() && line.timeout_s > 0)
    return {};
  return Status::failure(Errc::argument, "MPIEXEC_TIMEOUT='" + std::string(text) +
                                             "' is not a number of seconds above 0");
}

// Where mpiexec sees all ranks.
void fill_in_hang_report(CommandLine& line) {
  const char* const file = getenv("MPIEXEC_HANG_REPORT");
  if (line.hang_report.empty() && file != nullptr) line.hang_report = file;
}

// Ranks, places, programs and parameters. Not 0: the job cannot start, why has been said, and this
// is the exit status.
int prepare(JobOrder& order, across::Plan& target, Settings& tuned, pid_t shown) {
  CommandLine& line = order.line;
  auto places = Arrangement::read(target.engine ? PlacementRequest() : line.placement);
  if (!places.ok()) return complain(places.status().text(), kWrongUse);
  if (const Status status = fill_in_ranks(line, target, places.value()); !status.ok())
    return complain(status.text(), kWrongUse);
  complain_all(line, places.value().plan().notes);
  if (const Status status = find_programs(order); !status.ok())
    return complain(status.text(), status_of_missing(status));
  auto snapshot = take_snapshot(line, order.ranks(), &tuned);
  if (!snapshot.ok()) {
    print_help(snapshot.status().text());
    return kWrongUse;
  }
  order.snapshot = std::move(snapshot).value();
  show_places(order, places.value());
  order.plan = std::move(places.value().plan());
  const Status reported = report_pid(line.report_pid, shown);
  return reported.ok() ? 0 : complain(reported.text(), kWrongUse);
}

int run_here(JobOrder& order, across::Plan& target, pid_t front) {
  Settings tuned;
  {
    const SignalsEndProcess while_files_are_read(order.signals);
    const int status = prepare(order, target, tuned, front);
    if (status != 0 || order.line.placement.dry_run) return status;
  }
  fill_in_hang_report(order.line);
  return Runner(order, front).run();
}

int run_across(JobOrder& order, across::Plan& target) {
  Settings tuned;
  const int status = prepare(order, target, tuned, getpid());
  return status != 0 ? status : across::start_engine(order, target, tuned);
}

// The process that runs the job is made first and reads the parameters itself: as a copy of one
// that has read them it would copy that one's memory page by page.
int start_job(CommandLine line, char** words) {
  complain_all(line, line.warnings);
  if (const Status status = fill_in_timeout(line); !status.ok())
    return complain(status.text(), kWrongUse);
  auto target = find_target(line);
  if (!target.ok()) return complain(target.status().text(), kWrongUse);
  JobOrder order;
  order.line = std::move(line);
  if (target->engine) return run_across(order, *target);
  order.signals = take_over_signals();
  return run_behind_front(order.signals, words,
                          [&](pid_t front) { return run_here(order, *target, front); });
}

// mpiexec --tessera-spawn-server SOCKET NUMBER: for a process that is alone and orders others. The
// caller waits until this one has gone into the background and takes orders.
int serve(int socket, std::uint64_t number, char** words) {
  JobOrder order;
  order.line.reader.reset();
  order.line.universe = usable_cpus();
  auto snapshot = take_snapshot(order.line, 0);
  if (!snapshot.ok()) return print_help(snapshot.status().text()), kWrongUse;
  order.snapshot = std::move(snapshot).value();
  auto spawn_server = std::make_unique<SpawnServer>();
  if (!spawn_server->open(number)) return complain("cannot take orders: no address for them", 1);
  spawn_server->serve_owner(socket);
  if (fork() != 0) _exit(0);
  order.signals = take_over_signals();
  return run_behind_front(order.signals, words, [&](pid_t front) {
    return Runner(order, front, std::move(spawn_server), number).run();
  });
}

// -1: these are other words.
int serve_if_asked(int count, char** words) {
  if (count != 4 || std::string_view(words[1]) != "--tessera-spawn-server") return -1;
  return serve(std::atoi(words[2]), std::strtoull(words[3], nullptr, 16), words);
}

int run(int count, char** words) {
  open_missing_streams();
  if (const int served = serve_if_asked(count, words); served >= 0) return served;
  auto line = parse({words + 1, static_cast<std::size_t>(count - 1)});
  if (!line.ok()) return complain(line.status().text(), kWrongUse);
  if (line.value().help) return std::fputs(help_text().c_str(), stdout) < 0;
  if (line.value().table) return std::fputs(option_table().c_str(), stdout) < 0;
  if (line.value().version) return std::puts("mpiexec (Tessera) " TESSERA_VERSION) < 0;
  return start_job(std::move(line).value(), words);
}

}  // namespace
}  // namespace tessera::launcher

int main(int count, char** words) {
  try {
    return tessera::launcher::run(count, words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mpiexec: %s\n", error.what());
    return 1;
  }
}
