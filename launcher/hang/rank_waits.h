// SPDX-License-Identifier: BSD-3-Clause
// What the ranks have written down, as the judge reads it.
#pragma once

#include <string>

#include "core/job/segment.h"
#include "core/progress/wait_report.h"
#include "launcher/hang/wait_graph.h"

namespace tessera::launcher {

// From what every waiting rank notes by itself: little, and enough to see whether more is worth
// asking for. A rank may be taken for stuck that is not, never the other way round.
RankWait rough_wait(const RankPage& page, const Blocked& blocked);

// From a full report, whose numbers are not trusted. `active` where it cannot be judged: a thread
// that may call MPI is awake outside, or a list was cut.
RankWait full_wait(const RankPage& page, const WaitReport& report);

// The same for people, who want to see as well what cannot be judged.
RankWait told_wait(const RankPage& page, const WaitReport& report);

// Of a rank that is in no call: it waits where no thread of it can ever go on.
RankWait outside_wait(const RankPage& page);

// Two reports of the same standstill.
bool same_standstill(const RankWait& one, const RankWait& other) noexcept;

}  // namespace tessera::launcher
