// SPDX-License-Identifier: BSD-3-Clause
// When processes of the job give up a host that does not answer, before parameters are read.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tessera::launcher::across {

// btl_tcp_silence in seconds, 0..86400, of these parameters, the last first, or of the environment;
// 20, its default, where what they say is no such number (ranks refuse it).
int silence_s(const std::vector<std::pair<std::string, std::string>>& parameters);

}  // namespace tessera::launcher::across
