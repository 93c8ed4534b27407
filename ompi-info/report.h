// SPDX-License-Identifier: BSD-3-Clause
// What is to be printed, chosen from a Microkernel: Report.
#pragma once

#include <string>
#include <vector>

#include "framework/microkernel.h"
#include "options.h"
#include "tessera/status.h"

namespace ompi_info {

// Points into the Microkernel it was made from.
struct Report {
  const tessera::Microkernel& kernel;
  std::vector<const tessera::FrameworkInfo*> frameworks;
  std::vector<const tessera::Candidate*> components;
  std::vector<const tessera::Parameter*> params;
  std::vector<std::string> warnings;
  bool filtered = false;  // not everything is shown
};

// Errc::not_found for a framework or component that does not exist, with the nearest match.
tessera::Result<Report> make_report(tessera::Microkernel& kernel, const Options& options);

// Why the component that owns the parameter cannot be used: its verdict, or empty.
std::string owner_problem(const tessera::Microkernel& kernel, const tessera::Parameter& parameter);

// "user basic" ... "developer all".
std::string level_name(int level);

// Each writes to standard output.
void print_summary(const Report& report);  // on one screen
void print_text(const Report& report);
void print_json(const Report& report);
void print_parsable(const Report& report);
void print_markdown(const Report& report);

// The figures of the machine. argument: the parameter that replaces some is wrong.
tessera::Status print_machine(const tessera::ParamRegistry& params, Format format);

// Restrictions and liberties of a parameter in words, each after "; ".
std::string special_marks(const tessera::ParamSpec& spec);

// Which component offers which algorithms for which collective operation.
void print_collectives(const tessera::Microkernel& kernel, Format format);

// What the tool interface lists: control and performance variables, events, categories.
void print_mpi_t(const tessera::Microkernel& kernel, Format format);

// How the installation was built.
void print_config(Format format);
// Its folders, or the one of this name alone. Errc::not_found with the nearest match.
tessera::Status print_path(const tessera::InstallPaths& paths, const std::string& name,
                           Format format);

// What differs between the values in force and those that a file gives; the result is whether
// anything does. Errc::argument, Errc::not_found, Errc::system: the file cannot be read.
tessera::Result<bool> print_diff(const tessera::Microkernel& kernel, const std::string& file,
                                 Format format);

// Errc::not_found with the nearest match.
tessera::Status print_why(const tessera::Microkernel& kernel, const std::string& name,
                          Format format);

}  // namespace ompi_info
