// SPDX-License-Identifier: BSD-3-Clause
// Parameters, programs and places of a job that is about to start.
#include "launcher/prepare.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>

#include "core/coll/job_rules.h"
#include "core/engine/tables.h"
#include "framework/help.h"
#include "framework/microkernel.h"
#include "framework/text.h"

namespace tessera::launcher {

void open_missing_streams() noexcept {
  for (int stream = 0; stream < 3; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0 || open("/dev/null", O_RDWR) >= 0) continue;
    memfd_create("nothing", 0);  // a bare root has no /dev/null
  }
}

int complain(const char* text, int status) {
  std::fprintf(stderr, "mpiexec: %s\n", text::printable(text).c_str());
  return status;
}

void complain_all(const CommandLine& line, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    if (!line.quiet) complain(warning.c_str(), 0);
  }
}

Result<std::string> take_snapshot(const CommandLine& line, std::uint32_t ranks, Settings* tuned) {
  MicrokernelOptions options;
  options.frameworks = engine_frameworks();
  options.core_params = engine_params();
  options.command_line = line.params;
  options.tune_files = line.tune_files;
  options.environment = environ;
  options.ranks = ranks;
  auto kernel = Microkernel::from_system(options);
  if (!kernel.ok()) return kernel.status();
  for (const std::string& warning : kernel.value()->take_warnings()) {
    if (!line.quiet) print_help(warning);
  }
  if (auto rules = coll::users_rules(*kernel.value()); !rules.ok()) return rules.status();
  for (const ParamSetting& setting : kernel.value()->params().settings())
    if (tuned != nullptr && setting.source == ParamSource::tune_file && setting.when.empty())
      tuned->emplace_back(setting.name, setting.value);
  return kernel.value()->snapshot();
}

Status find_programs(JobOrder& order) {
  for (const App& app : order.line.apps) {
    order.programs.emplace_back();
    if (app.ranks == 0) continue;
    auto program = Program::prepare(app, order.line.environment);
    if (!program.ok()) return program.status();
    order.programs.back() = std::move(program).value();
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
  constexpr int kWrongUse = 2;
  if (failure.code() == Errc::not_found) return 127;
  return failure.code() == Errc::refused ? 126 : kWrongUse;
}

void show_places(const JobOrder& order, const Arrangement& places) {
  std::fputs(places.map_and_allocation(order.line, order.part.ids).c_str(), stdout);
  std::fflush(stdout);
  std::fputs(places.bindings(order.part.ids).c_str(), stderr);
}

}  // namespace tessera::launcher
