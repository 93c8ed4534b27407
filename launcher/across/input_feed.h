// SPDX-License-Identifier: BSD-3-Clause
// The standard input of mpiexec on its way to rank 0 of another host: InputFeed.
#pragma once
//
// Contract. All engines but srun lose input, or the job, when standard input holds megabytes. There
// mpiexec and the carrier of rank 0 pass it on themselves: the carrier connects (carrier/input.h),
// and a thread of mpiexec sends it what it reads, at the pace of rank 0. The business card goes by
// a variable of the engine's environment, which other users cannot read and no command line shows.
// A terminal is read in the foreground only. What is left unread when the job ends is lost, as it
// is with the engines.
//
#include <memory>
#include <string>

#include "launcher/carrier/listener.h"
#include "tessera/status.h"

namespace tessera::launcher::across {

class InputFeed {
 public:
  static Result<std::unique_ptr<InputFeed>> open();
  // NAME=VALUE, for the environment of the engine.
  std::string variable() const;
  // Once, and after the engine has been forked.
  void start();

 private:
  explicit InputFeed(carrier::Listener listener) : listener_(std::move(listener)) {}
  carrier::Listener listener_;
};

}  // namespace tessera::launcher::across
