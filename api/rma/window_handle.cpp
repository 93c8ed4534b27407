// SPDX-License-Identifier: BSD-3-Clause
// How reports name a window, and which class a failure of the core has there.
#include "api/rma/window_handle.h"

#include <fmt/format.h>

#include "api/comm/comm_handle.h"

namespace tessera::api {
namespace {

std::string where(const Win& window) {
  const std::string name = window.name().empty() ? fmt::format("of {} process{}", window.size(),
                                                               window.size() == 1 ? "" : "es")
                                                 : window.name();
  const auto in_job = static_cast<int>(world.engine->job().my_id());
  const std::string job =
      in_job == window.rank() ? "" : fmt::format(" (rank {} of the job)", in_job);
  return fmt::format("window {}, rank {}{}", name, window.rank(), job);
}

int class_of(Status failure, int argument_class) noexcept {
  switch (failure.code()) {
    case Errc::refused:
      return MPI_ERR_RMA_SYNC;
    case Errc::argument:
      return argument_class;
    case Errc::no_space:
      return MPI_ERR_NO_MEM;
    default:
      return MPI_SUCCESS;
  }
}

}  // namespace

ErrorContext object_of(Win& window) {
  // A user's function gets the address of the handle; raise() makes one of what stands here.
  return handled_by(window.errhandler(), handle_of(window), where(window));
}

int raise_not_window(const char* function, MPI_Win handle) noexcept {
  if (!world.active()) return raise_not_active(function);
  if (handle == MPI_WIN_NULL)
    return raise(function, MPI_ERR_WIN, "the window is MPI_WIN_NULL; it must be a window");
  return raise(
      function, MPI_ERR_WIN,
      fmt::format("argument `win` is no window: {}; it must be one that MPI_Win_create or a "
                  "sister of it returned",
                  why_none(handle, ObjectKind::window)));
}

int raise(const char* function, Win& window, int error_class, std::string_view text) noexcept {
  return raise(function, object_of(window), error_class, text);
}

int raise(const char* function, Win& window, Status failure, int argument_class) noexcept {
  const int special = class_of(failure, argument_class);
  if (special == MPI_SUCCESS) return raise(function, object_of(window), failure);
  return raise(function, object_of(window), special, failure.text());
}

}  // namespace tessera::api
