// SPDX-License-Identifier: BSD-3-Clause
// Where the figures of the machine come from: parameters, measurement, defaults.
#pragma once

#include <sched.h>

#include <string_view>

#include "tessera/machine.h"
#include "tessera/status.h"

namespace tessera {
class Job;
}

namespace tessera::machine {

// Replaces the figures that `text` names: "line_ns=100,stream=8000". argument: a name nobody knows,
// or a value that is no number from 1 to 4294967295; the text is fit for the user, and `figures` as
// before.
Status replace(std::string_view text, MachineFigures& figures);

// The same for all processes of the node, which call it with the same text before any of them asks
// for figures.
Status replace_for_job(std::string_view text, const Job& job);

// Takes some milliseconds and a thread of its own, which runs on one of the `others`: processors
// where other processes of the job may run. Figures that it cannot measure stay as they are.
void measure(MachineFigures& figures, const cpu_set_t& others) noexcept;

// `found` where it is plausible, `usual` elsewhere: beyond a factor of 16, other programs had the
// processors during all of a measurement, and what came out is their time slices. Bytes of caches
// are as they are.
MachineFigures plausible(const MachineFigures& found, const MachineFigures& usual) noexcept;

// The caches of a processor, from the system.
void read_caches(MachineFigures& figures) noexcept;

}  // namespace tessera::machine
