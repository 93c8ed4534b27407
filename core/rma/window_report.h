// SPDX-License-Identifier: BSD-3-Clause
// What this process waits for, and has, of windows: for the report that mpiexec asks for.
#pragma once

#include "core/progress/wait_report.h"
#include "core/rma/one_sided.h"

namespace tessera {

// Ranks are those of the window, or osc::kAll.
class WindowSurveyor {
 public:
  virtual void waits(ReportedWait::Kind kind, const Win& window, int rank) noexcept = 0;
  virtual void holds(ReportedHold::Kind kind, const Win& window, int rank) noexcept = 0;

 protected:
  ~WindowSurveyor() = default;
};

void survey_windows(const OneSided& windows, WindowSurveyor& surveyor) noexcept;

}  // namespace tessera
