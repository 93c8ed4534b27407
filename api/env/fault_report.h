// SPDX-License-Identifier: BSD-3-Clause
// Says in which MPI call the program crashed.
#pragma once
//
// Contract. Where the program has left SIGSEGV and SIGBUS alone, a handler names the MPI function
// in which the fault happened, with what the processor and the note of a wait tell of its cause, on
// standard error, and gets out of the way: the fault happens again under the default action, so
// that exit status and core dump are those of the fault itself. A handler that the program sets
// before or after stays as it is, and so does a stack for handlers; a thread without one gets one.
// Of a fault in the program's own code, callbacks included, nothing is said.
//
namespace tessera::api {

// `rank` is that in the job; once per process, on the thread that starts MPI.
void report_faults(unsigned rank) noexcept;

}  // namespace tessera::api
