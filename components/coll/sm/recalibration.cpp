// SPDX-License-Identifier: BSD-3-Clause
// Measuring the machine again: when, and for whom.
#include "recalibration.h"

#include "module.h"
#include "tessera/clock.h"

namespace tessera::coll::sm {

static MachineFigures without_direct(MachineFigures figures) noexcept {
  figures.single = figures.split = 1;
  return figures;
}

bool Recalibrator::knows_others(const MachineFigures& old) const noexcept {
  return newest_ && (newest_->line_ns >= 2 * old.line_ns || 2 * newest_->line_ns <= old.line_ns);
}

bool Recalibrator::ready(const MachineFigures& old) const noexcept {
  if (given_) return false;
  return when_ == Recalibrate::always || knows_others(old) || now_ns() >= not_before_ns_;
}

MachineFigures Recalibrator::replace(const MachineFigures& old) noexcept {
  constexpr std::uint64_t kShare = 100;
  if (when_ == Recalibrate::shifted && knows_others(old)) return *newest_;
  if (when_ == Recalibrate::always && (pretends_ = !pretends_)) return without_direct(old);
  const std::uint64_t start = now_ns();
  const std::optional<MachineFigures> measured = measure_again(job_);
  const std::uint64_t end = now_ns();
  given_ = !measured;
  newest_ = measured.value_or(old);
  not_before_ns_ = end + kShare * (end - start);
  return *newest_;
}

const MachineFigures& SmModule::figures() const noexcept {
  if (segment_ && segment_->recalibration().figures) return *segment_->recalibration().figures;
  return common_.machine();
}

// The first call after equally many in all processes.
void SmModule::review_figures() noexcept {
  const Recalibrate when = common_.recalibrator().when();
  until_review_ = common_.recalibrator().interval();
  const bool for_plans = !layout_.oversubscribed || when == Recalibrate::always;
  if (state_ != State::ready || when == Recalibrate::never || !for_plans) return;
  Recalibration& own = segment_->recalibration();
  const std::uint64_t review = ++own.reviews;
  if (segment_->measures_in(review)) {
    const auto measure = [&] { return common_.recalibrator().replace(figures()); };
    if (const auto measured = segment_->share_figures(review, measure)) {
      own.figures = *measured;
      choices_ = {};
    }
    if (own.monitor) own.monitor->accept();
  }
  if (comm_.rank() == 0) segment_->announce_review(review + 1, wants_figures(own));
}

// Of rank 0: whether the next review measures. Where no plan has asked for figures yet, none is
// wrong.
bool SmModule::wants_figures(Recalibration& own) noexcept {
  if (common_.recalibrator().when() == Recalibrate::always)
    return common_.recalibrator().ready(figures());
  if (!common_.knows_machine()) return false;
  const LineLoad load = segment_->load_line();
  if (load.value == own.seen) return false;
  own.seen = load.value;
  if (!own.monitor) own.monitor.emplace(figures().line_ns + load.clock_ns);
  return own.monitor->add(load.ns) && common_.recalibrator().ready(figures());
}

}  // namespace tessera::coll::sm
