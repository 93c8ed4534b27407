// SPDX-License-Identifier: BSD-3-Clause
// Starts one rank's process.
#pragma once
//
// Contract. The process dies with the one that started it, has the signal mask and limits given
// here, and inherits only the three standard streams and the job's memory object. It is made with
// vfork(2): no page tables are copied, and that the program could not be executed is known on
// return.
//
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "tessera/status.h"

namespace tessera::launcher {

struct ProcessOrder {
  const char* path;
  char* const* arguments;
  char* const* script_arguments;  // when the file needs /bin/sh, see Program
  char* const* environment;
  const char* directory;  // null: stay
  int streams[3];         // become 0, 1, 2; may be those already
  int inherited;          // kept open, under its number
  const sigset_t* mask;
  const rlimit* files;              // RLIMIT_NOFILE
  const cpu_set_t* cpus = nullptr;  // to which the process is bound; null: to none
  std::size_t cpu_bytes = 0;        // of that set
};

// system: there is no process. refused, not_found: the program could not be executed, or not_found
// its directory. argument: it cannot be bound to these CPUs.
Result<pid_t> spawn(const ProcessOrder& order) noexcept;

}  // namespace tessera::launcher
