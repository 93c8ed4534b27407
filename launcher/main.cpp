// SPDX-License-Identifier: BSD-3-Clause
// mpiexec: from the command line to a job.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "core/coll/job_rules.h"
#include "core/engine_tables.h"
#include "core/usable_cpus.h"
#include "framework/help.h"
#include "framework/microkernel.h"
#include "launcher/command_line.h"
#include "launcher/front.h"
#include "launcher/hosts.h"
#include "launcher/job_order.h"
#include "launcher/runner.h"

namespace tessera::launcher {
namespace {

constexpr int kWrongUse = 2;

int complain(const char* text, int status) {
  std::fprintf(stderr, "mpiexec: %s\n", text);
  return status;
}

// Descriptors opened later must not take the numbers of streams that were closed.
void open_missing_streams() noexcept {
  for (int stream = 0; stream < 3; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0 || open("/dev/null", O_RDWR) >= 0) continue;
    memfd_create("nothing", 0);  // a bare root has no /dev/null
  }
}

// The number of ranks where none was said: per machine, slots of the host files, usable CPUs.
Status fill_in_ranks(CommandLine& line) {
  const auto slots = check_hosts(line);
  if (!slots.ok()) return slots.status();
  App& app = line.apps.front();
  if (app.ranks == 0) app.ranks = line.ranks_per_machine;
  if (app.ranks == 0) app.ranks = slots.value();
  if (app.ranks == 0) app.ranks = usable_cpus();
  return {};
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

// Reads parameters and components once for all ranks, and says once what is wrong with them.
Result<std::string> take_snapshot(const CommandLine& line) {
  MicrokernelOptions options;
  options.frameworks = engine_frameworks();
  options.core_params = engine_params();
  options.command_line = line.params;
  options.tune_files = line.tune_files;
  options.environment = environ;
  for (const App& app : line.apps) options.ranks += app.ranks;
  auto kernel = Microkernel::from_system(options);
  if (!kernel.ok()) return kernel.status();
  for (const std::string& warning : kernel.value()->take_warnings()) {
    if (!line.quiet) print_help(warning);
  }
  if (auto rules = coll::users_rules(*kernel.value()); !rules.ok()) return rules.status();
  return kernel.value()->snapshot();
}

Status find_programs(JobOrder& order) {
  for (const App& app : order.line.apps) {
    auto program = Program::prepare(app, order.line.environment);
    if (!program.ok()) return program.status();
    order.programs.push_back(std::move(program).value());
    const std::string& other = order.programs.back()->other_mpi();
    if (!other.empty() && !order.line.quiet)
      complain(("'" + app.words.front() + "' will use " + other +
                ", which does not know this mpiexec: its processes will not find each other")
                   .c_str(),
               0);
  }
  return {};
}

int status_of_missing(const Status& failure) noexcept {
  if (failure.code() == Errc::not_found) return 127;
  return failure.code() == Errc::refused ? 126 : kWrongUse;
}

int start_job(CommandLine line, char** words) {
  for (const std::string& warning : line.warnings) {
    if (!line.quiet) complain(warning.c_str(), 0);
  }
  if (const Status status = fill_in_timeout(line); !status.ok())
    return complain(status.text(), kWrongUse);
  if (const Status status = fill_in_ranks(line); !status.ok())
    return complain(status.text(), kWrongUse);
  JobOrder order;
  order.line = std::move(line);
  if (const Status status = find_programs(order); !status.ok())
    return complain(status.text(), status_of_missing(status));
  auto snapshot = take_snapshot(order.line);
  if (!snapshot.ok()) {
    print_help(snapshot.status().text());
    return kWrongUse;
  }
  order.snapshot = std::move(snapshot).value();
  order.signals = take_over_signals();
  return run_behind_front(order.signals, words,
                          [&order](pid_t front) { return Runner(order, front).run(); });
}

// mpiexec --tessera-spawn-server SOCKET NUMBER: for a process that is alone and orders others. The
// caller waits until this one has gone into the background and takes orders.
int serve(int socket, std::uint64_t number, char** words) {
  JobOrder order;
  order.line.rank0_reads = false;
  auto snapshot = take_snapshot(order.line);
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
