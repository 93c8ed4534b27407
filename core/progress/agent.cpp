// SPDX-License-Identifier: BSD-3-Clause
// The progress agent: waits for its own end, and so serves whatever arrives meanwhile.
#include "core/progress/agent.h"

#include <signal.h>

#include <exception>

namespace tessera {

// Signals are the program's own threads' business.
Status ProgressAgent::start() noexcept {
  if (thread_.joinable()) return {};
  progress_.enable_lock();
  ending_ = false;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  Status started;
  try {
    thread_ = std::thread([this] {
      const EngineGuard guard(progress_);
      progress_.wait_until([this] { return ending_; });
    });
  } catch (const std::exception& failure) {
    started = Status::failure(Errc::system, failure.what());
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

// Leaving the engine wakes those whose conditions have come to hold.
void ProgressAgent::stop() noexcept {
  if (!thread_.joinable()) return;
  {
    const EngineGuard guard(progress_);
    ending_ = true;
  }
  thread_.join();
}

}  // namespace tessera
