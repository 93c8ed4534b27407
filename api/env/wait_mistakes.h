// SPDX-License-Identifier: BSD-3-Clause
// Mistakes that a call is looked at for when it waits for long.
#pragma once
//
// Contract. A process says on standard error, once for each mistake, that a call waits
//
//   - on another thread than that of MPI_Init, although the thread level has no other;
//   - inside the function of a reduction operation of the program, which must not communicate.
//
// The job goes on: the wait may end. Calls that do not wait are not looked at, so that nothing lies
// on their path.
//
#include <utility>

#include "core/progress/progress.h"

namespace tessera::api {

// An AdaptiveProgress::Onlooker.
void look_at_wait(const WaitNote& note) noexcept;

// For the time that a function of a reduction operation runs, on its thread.
class InReduction {
 public:
  InReduction() noexcept : inside_(inside()), outer_(std::exchange(inside_, true)) {}
  ~InReduction() { inside_ = outer_; }
  InReduction(const InReduction&) = delete;
  InReduction& operator=(const InReduction&) = delete;

  static bool& inside() noexcept;  // of this thread

 private:
  bool& inside_;
  bool outer_;
};

}  // namespace tessera::api
