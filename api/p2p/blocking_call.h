// SPDX-License-Identifier: BSD-3-Clause
// What surrounds a call that waits for other processes: the engine's lock, and the note that says
// what is waited for.
#pragma once

#include "api/env/world.h"

namespace tessera::api {

class BlockingCall {
 public:
  BlockingCall(const char* function, const Comm& comm) noexcept : BlockingCall(function, &comm) {}
  // Without a communicator.
  explicit BlockingCall(const char* function) noexcept : BlockingCall(function, nullptr) {}

 private:
  BlockingCall(const char* function, const Comm* comm) noexcept
      : guard_(world.engine->progress()),
        note_{function, -1, -1, comm, 0, nullptr},
        scope_(world.engine->progress(), note_) {}

  EngineGuard guard_;
  WaitNote note_;
  WaitScope scope_;
};

}  // namespace tessera::api
