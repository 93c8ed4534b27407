// SPDX-License-Identifier: BSD-3-Clause
// The progress agent: a thread that serves others while the program computes.
#pragma once
//
// Contract. start() and stop() are called by a thread that is not in the engine, one at a time.
// From start() on the engine's lock is in use, also after stop(): at the first start() no other
// thread is in the engine. It runs what arriving bytes start, and never calls an error handler.
//
// To the engine the agent is one more thread in a call that waits (progress.h): it sleeps in the
// kernel until something arrives, and serves that. While the program calls MPI it stands aside, as
// a thread that sleeps beside it: a thread that waits in MPI serves others itself, and two that
// wake up for one message cost it more than the message does (docs/decisions/0097). It comes back
// when no thread has been in MPI between two looks, kNapUs apart; where one waits for long it looks
// more and more rarely, and is rung when that thread has slept. It also leaves when that thread is
// asked what it waits for: only there its callers can be seen.
//
#include <atomic>
#include <cstdint>
#include <thread>

#include "core/progress/progress.h"

namespace tessera {

class ProgressAgent {
 public:
  // `question`: of mpiexec to this process, or null.
  ProgressAgent(AdaptiveProgress& progress, const WaitQuestion* question) noexcept
      : progress_(progress), question_(question) {}
  ~ProgressAgent() { stop(); }
  ProgressAgent(const ProgressAgent&) = delete;
  ProgressAgent& operator=(const ProgressAgent&) = delete;

  Status start() noexcept;  // does nothing when it runs already
  void stop() noexcept;

  static void ring(std::atomic<std::uint32_t>& bell) noexcept;

 private:
  static constexpr std::int64_t kNapUs = 250;
  // Where ranks share CPUs: the agents of all of them wake up there.
  static constexpr std::int64_t kNapInTurnsUs = 1'000;
  static constexpr std::int64_t kLongestNapUs = 16'000;

  void serve() noexcept;
  void stand_aside() noexcept;
  std::int64_t nap_while_entered(std::int64_t us, std::int64_t shortest) noexcept;
  void nap(std::int64_t us) noexcept;

  bool others_are_asked() const noexcept {
    return question_ != nullptr && question_->pending() && progress_.others_wait();
  }

  AdaptiveProgress& progress_;
  const WaitQuestion* question_;
  std::thread thread_;
  std::atomic<std::uint32_t> bell_{0};
  std::atomic<bool> ending_{false};
};

}  // namespace tessera
