// SPDX-License-Identifier: BSD-3-Clause
// The request of an operation on a window (MPI-5.0 §12.3.5): WindowRequest.
#pragma once

#include "core/object/freed_objects.h"
#include "core/rma/window.h"

namespace tessera {

// Complete when the operation is at the origin. Keeps the window, which may be freed before it.
class WindowRequest final : public Request, public osc::Ticket {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::request); }
  explicit WindowRequest(Win& window) noexcept : window_(Ref<Win>::share(&window)) { begin(); }
  Win& window() const noexcept { return *window_; }

  void hold() noexcept override { ++pending_; }
  void done(Status outcome) noexcept override {
    if (!outcome.ok()) status_.error = outcome;
    if (--pending_ > 0) return;
    const bool abandoned = abandoned_;
    finish();
    if (abandoned) release();
  }
  void free() noexcept override {
    if (complete()) return release();
    abandoned_ = true;
  }

 private:
  Ref<Win> window_;
  int pending_ = 1;  // the call itself
  bool abandoned_ = false;
};

}  // namespace tessera
