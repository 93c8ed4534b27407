// SPDX-License-Identifier: BSD-3-Clause
// Runs the schedules of all processes of an operation in memory and verifies what a schedule
// promises.
#pragma once

#include <functional>
#include <string>

#include "tools/schedules/model.h"

namespace tessera::coll::schedules {

using Emitter = std::function<Status(const Call&, Schedule&)>;

// Empty, or what is wrong. Checked are, per process: no cycle; no access outside the memories; no
// write to the send buffer; steps that touch the same bytes, one writing, are ordered; sends to one
// process are ordered, and receives. Then over all: every message is received once, with the bytes
// sent; the run comes to its end although a send is done only when its receive was posted; the
// receive memories hold what is expected. In an intercommunicator the first `first_side` processes
// form one group.
std::string check(std::vector<Process>& processes, const Emitter& emit, int first_side = 0);

// How many of the processes [first, last) (default: all) finish if process `absent` does nothing.
int finishers_without(std::vector<Process>& processes, const Emitter& emit, int absent,
                      int first_side = 0, int first = 0, int last = 1 << 30);

}  // namespace tessera::coll::schedules
