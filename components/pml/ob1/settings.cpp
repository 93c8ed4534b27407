// SPDX-License-Identifier: BSD-3-Clause
// Settings: reads the component's parameters.
#include "settings.h"

#include <algorithm>
#include <limits>

namespace tessera::ob1 {

static Split split_of(std::string_view text) noexcept {
  if (text == "never") return Split::never;
  if (text == "measured") return Split::measured;
  return text == "always" ? Split::always : Split::automatic;
}

// Bytes from which on a copy by both processes is faster than one by the receiver; infinity if it
// never is.
static double split_from(const MachineFigures& f) noexcept {
  const double calls = 1.0 * f.split_call_ns - f.single_call_ns;
  const double per_byte = 1000.0 / f.single - 1000.0 / f.split;
  if (per_byte <= 0) return std::numeric_limits<double>::infinity();
  return std::max(0.0, calls) / per_byte;
}

// Where the figures are the default ones, 32 KiB was measured: the sender, which has just written
// the bytes, copies its half faster than the figure says.
std::uint64_t Settings::split_threshold_by(const MachineFigures& figures) noexcept {
  constexpr std::uint64_t kMeasured = 32 << 10;
  return in_proportion(kMeasured, split_from(figures), split_from(MachineFigures{}));
}

static std::uint64_t look_interval_by(const MachineFigures& figures) noexcept {
  constexpr std::uint64_t kCalls = 1000, kNsPerUs = 1000;
  return kCalls * figures.call_ns * figures.split / kNsPerUs;
}

Settings Settings::from(const Params& params, const MachineFigures& figures) noexcept {
  Settings settings;
  settings.eager_limit = params.size("eager_limit");
  settings.split = split_of(params.text("split"));
  settings.split_threshold = params.chosen("split_threshold") ? params.size("split_threshold")
                                                              : split_threshold_by(figures);
  settings.look_interval = look_interval_by(figures);
  settings.trial_interval = static_cast<std::uint32_t>(params.integer("trial_interval"));
  settings.explain = params.boolean("explain");
  settings.check = params.boolean("check");
  settings.copy_piece = params.size("copy_piece");
  settings.unexpected_limit = params.size("unexpected_limit");
  return settings;
}

}  // namespace tessera::ob1
