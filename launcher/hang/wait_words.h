// SPDX-License-Identifier: BSD-3-Clause
// The words of which sentences about waits are made.
#pragma once

#include <string>
#include <vector>

#include "launcher/hang/verdict.h"

namespace tessera::launcher {

std::string list_of(const std::vector<std::uint32_t>& ranks);  // "ranks 0-2, 5"
std::string name_of_comm(const KnownComm* comm);
std::string tag_text(std::int32_t tag);  // "tag 7", "any tag"
std::string name_of_window(const KnownComm& window);
std::string rank_text(const ReportedWait& wait, const char* where = "communicator");

bool is_shown(const WaitGraph& graph, std::uint32_t rank, const ReportedWait& wait,
              WaitsShown shown);
// Waits of a process on a window for several others, one each, are told with the first of them.
bool is_told_before(const WaitGraph& graph, std::uint32_t rank, const ReportedWait& wait,
                    WaitsShown shown);
// Of the kinds that belong to windows.
std::string window_wait(const WaitGraph& graph, std::uint32_t rank, const ReportedWait& wait,
                        WaitsShown shown);

}  // namespace tessera::launcher
