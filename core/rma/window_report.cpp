// SPDX-License-Identifier: BSD-3-Clause
// What modules tell of their windows, in the words of a report.
#include "core/rma/window_report.h"

namespace tessera {
namespace {

using What = osc::Waiting::What;
using Stands = osc::Standing::Kind;
using Wait = ReportedWait::Kind;
using Hold = ReportedHold::Kind;

// Of one window; `waiting`: what is waited for there, or null.
class Survey final : public osc::Surveyor {
 public:
  Survey(const Win& window, const osc::Waiting* waiting, WindowSurveyor& to) noexcept
      : window_(window), waiting_(waiting), to_(to) {}

  void see(const osc::Standing& standing) noexcept override {
    switch (standing.kind) {
      case Stands::holds_exclusive:
        return to_.holds(Hold::exclusive_lock, window_, standing.rank);
      case Stands::holds_shared:
        return to_.holds(Hold::shared_lock, window_, standing.rank);
      case Stands::posted:
        return to_.holds(Hold::exposure, window_, standing.rank);
      case Stands::awaited:
        if (waits(What::posts)) to_.waits(Wait::post, window_, standing.rank);
    }
  }

  void tell() noexcept {
    window_.module().survey(*this);
    for (const int target : window_.epochs().started_targets())
      to_.holds(Hold::exposure, window_, target);
    if (waiting_ != nullptr && !waits(What::posts)) tell_wait();
  }

 private:
  bool waits(What what) const noexcept { return waiting_ != nullptr && waiting_->what() == what; }

  void tell_wait() noexcept {
    const int rank = waiting_->rank();
    switch (waiting_->what()) {
      case What::exclusive_lock:
        return to_.waits(Wait::exclusive_lock, window_, rank);
      case What::shared_lock:
        return to_.waits(Wait::shared_lock, window_, rank);
      case What::completions:
        for (const int origin : window_.epochs().origins())
          to_.waits(Wait::completion, window_, origin);
        return;
      case What::arrivals:
        return to_.waits(Wait::arrival, window_, osc::kAll);
      case What::posts:
      case What::answer:
        return to_.waits(Wait::answer, window_, rank);
    }
  }

  const Win& window_;
  const osc::Waiting* waiting_;
  WindowSurveyor& to_;
};

}  // namespace

void survey_windows(const OneSided& windows, WindowSurveyor& surveyor) noexcept {
  const osc::Waiting* const waiting = windows.waiting();
  windows.each([&](const Win& window) {
    const bool here = waiting != nullptr && &waiting->window() == &window;
    if (window.freed()) {
      if (here) surveyor.waits(Wait::arrival, window, osc::kAll);
      return;
    }
    Survey(window, here ? waiting : nullptr, surveyor).tell();
  });
}

}  // namespace tessera
