// SPDX-License-Identifier: BSD-3-Clause
// The engine's own performance variables and events, as constants.
#include <array>

#include "core/engine/tables.h"

namespace tessera {
namespace {

constexpr std::array variables = {
    VariableDecl{"state", VariableClass::state, "", 1,
                 "Whether MPI is running in this process: inactive before it starts and after it "
                 "ended, running in between."},
    VariableDecl{"idle_polls", VariableClass::counter, "polls", 5,
                 "Rounds of progress inside a waiting call that found nothing."},
    VariableDecl{"yields", VariableClass::counter, "calls", 5,
                 "Times that a waiting call gave its CPU to another process (sched_yield)."},
    VariableDecl{"sleeps", VariableClass::counter, "calls", 5,
                 "Times that a waiting call blocked in the kernel."},
    VariableDecl{"sleep_time", VariableClass::timer, "seconds", 5,
                 "Time that waiting calls spent blocked in the kernel."},
    VariableDecl{"communicators", VariableClass::level, "communicators", 4,
                 "Communicators of this process, predefined and internal ones included."},
    VariableDecl{"windows", VariableClass::level, "windows", 4, "Windows of this process."},
    VariableDecl{"files", VariableClass::level, "files", 4, "Files that this process has open."},
    VariableDecl{"files_opened", VariableClass::counter, "files", 4,
                 "Files that this process has opened."},
    VariableDecl{"collectives", VariableClass::counter, "calls", 3,
                 "Collective operations on communicators that this process called: blocking, "
                 "nonblocking and persistent ones."},
    VariableDecl{"peers_lost", VariableClass::counter, "processes", 2,
                 "Processes whose death or disconnection this process has noticed."},
};

// In the order of kPeerLost, kTransportChosen.
constexpr std::array events = {
    EventDecl{"peer_lost", "process", 2,
              "A process has died, or its connection broke. Element: its number in the job."},
    EventDecl{"transport_chosen", "process,transport:btl", 4,
              "The first message to a process is about to leave. Elements: its number in the job, "
              "and the btl component that carries messages to it."},
};

}  // namespace

std::span<const VariableDecl> engine_variables() noexcept {
  return variables;
}
std::span<const EventDecl> engine_events() noexcept {
  return events;
}

}  // namespace tessera
