// SPDX-License-Identifier: BSD-3-Clause
// The progress agent: a thread that serves others while the program computes.
#pragma once
//
// Contract. start() and stop() are called by a thread that is not in the engine, one at a time.
// From start() on the engine's lock is in use, also after stop(): at the first start() no other
// thread is in the engine. To the engine the agent is one more thread in a call that waits
// (progress.h): it sleeps in the kernel until something arrives, and serves that. It runs what
// arriving bytes start, and never calls an error handler.
//
#include <thread>

#include "core/progress/progress.h"

namespace tessera {

class ProgressAgent {
 public:
  explicit ProgressAgent(AdaptiveProgress& progress) noexcept : progress_(progress) {}
  ~ProgressAgent() { stop(); }
  ProgressAgent(const ProgressAgent&) = delete;
  ProgressAgent& operator=(const ProgressAgent&) = delete;

  Status start() noexcept;  // does nothing when it runs already
  void stop() noexcept;

 private:
  AdaptiveProgress& progress_;
  std::thread thread_;
  bool ending_ = false;  // under the engine's lock
};

}  // namespace tessera
