// SPDX-License-Identifier: BSD-3-Clause
// What is done before ranks start, by mpiexec and by carriers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "launcher/job_order.h"
#include "launcher/placement/arrange.h"

namespace tessera::launcher {

using Settings = std::vector<std::pair<std::string, std::string>>;

// Descriptors opened later must not take the numbers of streams that were closed.
void open_missing_streams() noexcept;

// "mpiexec: TEXT" on standard error; returns `status`.
int complain(const char* text, int status);
void complain_all(const CommandLine& line, const std::vector<std::string>& warnings);

// Reads parameters and components once for all ranks of this host, in a job of `ranks`, and says
// once what is wrong with them. `tuned` gets what files say that were named for this run.
Result<std::string> take_snapshot(const CommandLine& line, std::uint32_t ranks,
                                  Settings* tuned = nullptr);

// Programs without ranks here are left out.
Status find_programs(JobOrder& order);
int status_of_missing(const Status& failure) noexcept;

// What is printed before ranks start.
void show_places(const JobOrder& order, const Arrangement& places);

}  // namespace tessera::launcher
