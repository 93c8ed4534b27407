// SPDX-License-Identifier: BSD-3-Clause
// What of this machine matters to MPI programs: findings, each with a verdict and the next step.
#pragma once
//
// Contract. Every check looks at one fact, changes nothing, opens no device, and never fails: what
// cannot be found out is a note that says so. `problem` is what makes jobs fail or crawl; `note` is
// what is worth knowing.
//
#include <string>
#include <string_view>
#include <vector>

#include "framework/microkernel.h"
#include "options.h"

namespace ompi_info {

enum class Health { ok, note, problem };

struct Finding {
  std::string_view name;  // stable, for scripts
  Health health = Health::ok;
  std::string value;      // what was found
  std::string_view why;   // why it matters
  std::string next = {};  // what to do; empty when nothing need be done
};

// What is written in a small file, without the newline at its end; empty when it cannot be read.
std::string first_line(const std::string& path);

Finding check_cpus();
Finding check_topology();
Finding check_load();
Finding check_huge_pages();
Finding check_overcommit();
Finding check_memory_lock();
Finding check_open_files();
Finding check_processes();
Finding check_shared_memory();
Finding check_single_copy();
Finding check_doorbell();
Finding check_interfaces();
Finding check_components(const tessera::Microkernel& kernel);
Finding check_settings(const tessera::Microkernel& kernel);

// Makes all checks and prints them. False when there is a problem.
bool print_doctor(const tessera::Microkernel& kernel, Format format);

}  // namespace ompi_info
