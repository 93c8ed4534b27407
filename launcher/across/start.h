// SPDX-License-Identifier: BSD-3-Clause
// A job across hosts: from what mpiexec was asked for to the end of the engine.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "launcher/across/plan.h"
#include "launcher/job_order.h"

namespace tessera::launcher::across {

// The path of a program on the PATH, or empty.
std::string find_on_path(const std::string& program);

// Takes what is meant for engines out of the parameters: Open MPI's plm_rsh_agent is
// --launcher-exec.
void take_engine_parameters(CommandLine& line);

// The exit status for mpiexec. `order` is complete but for the signals; `parameters` were read from
// files that were named for this run.
int start_engine(JobOrder& order, const Plan& plan,
                 const std::vector<std::pair<std::string, std::string>>& parameters);

}  // namespace tessera::launcher::across
