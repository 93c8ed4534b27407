// SPDX-License-Identifier: BSD-3-Clause
// Help topics of jobs of several MPI systems.
#pragma once

#include "framework/help.h"

namespace tessera::topics {

inline constexpr HelpTopic<2> system_lost{
    "system-lost", "{0} is lost: {1}. This system ends too.",
    "Look for the reason in the output of that system: a process of it was killed, called "
    "MPI_Abort, or could not go on; or the network between the two failed."};

inline constexpr HelpTopic<1> server_lost{
    "server-lost",
    "the server of this job of several MPI systems, at {0}, has gone before the end. This system "
    "ends too.",
    "Look for the reason in the output of `impirun -server`. It must run until all systems have "
    "ended."};

}  // namespace tessera::topics
