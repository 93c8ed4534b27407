// SPDX-License-Identifier: BSD-3-Clause
// Start and end of the engine, which the World Model and sessions share.
#pragma once
//
// The first user starts it. When the last one has left, the engine comes to rest, ready for the
// next session, which may begin after MPI_Finalize too. It is taken down when the process ends:
// within a job it cannot be started a second time, since the other processes keep what they know
// about it.
//
#include "api/env/world.h"

namespace tessera::api {

enum class EngineUser { world_model, session };

// Until leave_engine(). Any thread may call. refused: the engine was taken down already; the text
// is fit for the user.
[[nodiscard]] Status hold_engine(EngineUser user, bool threads);

// The World Model is about to leave: where no session goes on, a failure tells of collective calls
// that did not match.
[[nodiscard]] Status end_collectives() noexcept;

// The last user waits until all that was sent has left, and once in the World Model for all
// processes. The World Model also ends (world.h). On failure nothing has changed.
[[nodiscard]] Status leave_engine(EngineUser user);

}  // namespace tessera::api
