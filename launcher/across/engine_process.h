// SPDX-License-Identifier: BSD-3-Clause
// The process of an engine, and mpiexec waiting in front of it.
#pragma once
//
// Contract. mpiexec passes signals on to the engine and takes its exit status. The engine is asked
// to end (SIGTERM) when mpiexec dies by whatever signal; where it does not end within ten seconds
// of a request to, it is killed, and with it all its descendants on this machine. What it has
// started on other hosts is its own to end. Of a job with marks (end_mark.h) standard error passes
// through mpiexec: two seconds after a mark of a bad end the engine is killed, and the mark has the
// exit status. prterun may end with 0 although it has lost a host; a good end has a mark, too.
//
#include <cstdint>
#include <string>
#include <vector>

#include "launcher/front.h"

namespace tessera::launcher::across {

class InputFeed;

struct EngineOrder {
  std::vector<std::string> words;        // its path first
  std::vector<std::string> environment;  // NAME=VALUE
  bool reads = true;                     // it gets the standard input of mpiexec
  InputFeed* input = nullptr;            // passes it on instead, from the engine's start on
  bool merge_streams = false;            // standard error goes to standard output
  double timeout_s = 0;                  // 0: none
  std::string name;                      // for people
  std::uint64_t marked_job = 0;          // carriers of this job write marks; 0: nobody does
  bool zero_needs_mark = false;          // the engine may end with 0 although the job has not
};

// The exit status for mpiexec. Signals are blocked already (take_over_signals).
int run_engine(const EngineOrder& order, const SignalSetting& signals);

}  // namespace tessera::launcher::across
