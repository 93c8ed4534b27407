// SPDX-License-Identifier: BSD-3-Clause
// From MPI_Win to Win and back, and how calls on windows report errors.
#pragma once

#include "api/env/world.h"
#include "api/errors/error.h"
#include "api/handle.h"
#include "core/rma/window.h"

namespace tessera::api {

// The window of a handle; null for MPI_WIN_NULL, for what is no window, and for a freed one.
inline Win* find_window(MPI_Win handle) noexcept {
  Win* const window = find_object<Win, ObjectKind::window>(handle);
  return window != nullptr && !window->freed() ? window : nullptr;
}

inline MPI_Win handle_of(Win& window) noexcept {
  return handle_of<MPI_Win>(static_cast<Object*>(&window));
}

// The window's error handler hears of it; "window of 4 processes, rank 2".
ErrorContext object_of(Win& window);

// What a function does to which find_window() said no.
[[gnu::cold]] int raise_not_window(const char* function, MPI_Win handle) noexcept;

[[gnu::cold]] int raise(const char* function, Win& window, int error_class,
                        std::string_view text) noexcept;
// A failure of epochs is one of class MPI_ERR_RMA_SYNC; `argument` stands for `argument_class`.
[[gnu::cold]] int raise(const char* function, Win& window, Status failure,
                        int argument_class = MPI_ERR_RMA_RANGE) noexcept;

inline int result(const char* function, Win& window, Status status,
                  int argument_class = MPI_ERR_RMA_RANGE) noexcept {
  return status.ok() ? MPI_SUCCESS : raise(function, window, status, argument_class);
}

}  // namespace tessera::api
