// SPDX-License-Identifier: BSD-3-Clause
// Whether a call that waits may have been made where it was.
#include "api/env/wait_mistakes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <string_view>

#include "api/api.h"
#include "api/env/world.h"

namespace tessera::api {
namespace {

void tell_once(std::atomic<bool>& told, const WaitNote& note, std::string_view what) noexcept {
  if (told.exchange(true)) return;
  const std::string line =
      fmt::format("{}: rank {} of the job {}\n", note.function, world.engine->job().my_id(), what);
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

// Sessions have threads of their own, and with the lock every thread may call.
bool is_on_wrong_thread() noexcept {
  return world.running() && world.thread_level < MPI_THREAD_SERIALIZED &&
         ::pthread_equal(::pthread_self(), world.main_thread) == 0 &&
         !world.engine->progress().locking() && !world.sessions_seen;
}

}  // namespace

bool& InReduction::inside() noexcept {
  thread_local bool inside = false;
  return inside;
}

void look_at_wait(const WaitNote& note) noexcept {
  static constinit std::atomic<bool> told_thread{false};
  static constinit std::atomic<bool> told_reduction{false};
  if (InReduction::inside()) {
    tell_once(
        told_reduction, note,
        "waits in this call inside the function of a reduction operation (MPI_Op_create), "
        "which must not communicate; the operation that it belongs to cannot go on meanwhile");
  } else if (is_on_wrong_thread()) {
    tell_once(told_thread, note,
              fmt::format("waits in this call on another thread than that of MPI_Init, which has "
                          "provided {}; ask MPI_Init_thread for MPI_THREAD_SERIALIZED or "
                          "MPI_THREAD_MULTIPLE",
                          world.thread_level == MPI_THREAD_SINGLE ? "MPI_THREAD_SINGLE"
                                                                  : "MPI_THREAD_FUNNELED"));
  }
}

}  // namespace tessera::api
