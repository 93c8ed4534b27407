// SPDX-License-Identifier: BSD-3-Clause
// Which hosts of a job do not answer any more.
#pragma once
//
// Contract. Hydra fails when it finds the connection to one of its processes closed, and passes
// nothing on from then on: what carriers say of the lost host may be lost with it. mpiexec then has
// the same engine run true(1) on each host alone. A host where that does not end well within five
// seconds does not answer. Where mpiexec cannot ask, or is told to end meanwhile, nobody is named.
//
#include <string>
#include <vector>

#include "launcher/across/engine.h"
#include "launcher/front.h"

namespace tessera::launcher::across {

// The exit status of Hydra when it has failed itself. Programs may end with it as well.
inline constexpr int kHydraFailed = 255;

// Names of `shares` in their order. `agent` is Request::agent. This process has no other children
// then, and has adopted orphans.
std::vector<std::string> unanswering_hosts(const Engine& engine, const std::string& agent,
                                           const std::vector<Share>& shares,
                                           const std::vector<std::string>& environment,
                                           const SignalSetting& signals);

}  // namespace tessera::launcher::across
