// SPDX-License-Identifier: BSD-3-Clause
// ompi-info: installed components, parameters, and the sources of their values.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "core/engine/tables.h"
#include "doctor.h"
#include "framework/help.h"
#include "options.h"
#include "report.h"

namespace {

using namespace tessera;
using ompi_info::Format;
using ompi_info::Options;

// Exit codes: 0 all is well; 1 something in force is wrong (it was shown), or --diff or --doctor
// found something; 2 the question itself was wrong.
constexpr int settings_wrong = 1;
constexpr int question_wrong = 2;

int fail(const Status& status, int code) {
  print_help(status.text());
  return code;
}

Result<std::unique_ptr<Microkernel>> read_installation(const Options& options) {
  MicrokernelOptions setup;
  setup.frameworks = engine_frameworks();
  setup.core_params = engine_params();
  setup.command_line = options.settings;
  setup.tune_files = options.tune_files;
  setup.environment = environ;
  setup.ranks = options.ranks;
  setup.tolerant = true;
  return Microkernel::from_system(setup);
}

void print(const ompi_info::Report& report, Format format) {
  switch (format) {
    case Format::text:
      return print_text(report);
    case Format::json:
      return print_json(report);
    case Format::parsable:
      return print_parsable(report);
    case Format::markdown:
      return print_markdown(report);
  }
}

int answer_diff(const Microkernel& kernel, const Options& options) {
  auto differs = print_diff(kernel, options.diff, options.format);
  if (!differs) return fail(differs.status(), question_wrong);
  return *differs ? settings_wrong : 0;
}

int answer(Microkernel& kernel, const Options& options) {
  if (!options.diff.empty()) return answer_diff(kernel, options);
  if (options.doctor) return print_doctor(kernel, options.format) ? 0 : settings_wrong;
  if (options.machine) {
    const Status status = ompi_info::print_machine(kernel.params(), options.format);
    return status.ok() ? 0 : fail(status, question_wrong);
  }
  if (options.collectives) return print_collectives(kernel, options.format), 0;
  if (options.mpi_t) return print_mpi_t(kernel, options.format), 0;
  if (options.config) return ompi_info::print_config(options.format), 0;
  if (options.path) {
    const Status status = print_path(kernel.paths(), *options.path, options.format);
    return status.ok() ? 0 : fail(status, question_wrong);
  }
  if (!options.why.empty()) {
    const Status status = print_why(kernel, options.why, options.format);
    return status.ok() ? 0 : fail(status, question_wrong);
  }
  auto report = make_report(kernel, options);
  if (!report) return fail(report.status(), question_wrong);
  if (options.dump)
    fmt::print("{}", kernel.params().dump(options.all));
  else if (options.nothing_asked())
    print_summary(*report);
  else
    print(*report, options.format);
  std::fflush(stdout);
  for (const std::string& warning : report->warnings) print_help(warning);
  return 0;
}

int run(const Options& options) {
  auto kernel = read_installation(options);
  if (!kernel) return fail(kernel.status(), settings_wrong);
  const int code = answer(**kernel, options);
  if (code != 0) return code;
  for (const std::string& problem : (*kernel)->problems()) print_help(problem);
  return (*kernel)->problems().empty() ? 0 : settings_wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const auto parsed = ompi_info::parse_options(argc, argv);
  if (!parsed.options) return parsed.exit_code;
  const int code = run(*parsed.options);
  // A full disk must not look like success.
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? code : settings_wrong;
}
