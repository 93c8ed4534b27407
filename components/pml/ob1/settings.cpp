// SPDX-License-Identifier: BSD-3-Clause
// Settings: reads the component's parameters.
#include "settings.h"

namespace tessera::ob1 {

static Split split_of(std::string_view text) noexcept {
  if (text == "never") return Split::never;
  if (text == "measured") return Split::measured;
  return text == "always" ? Split::always : Split::automatic;
}

Settings Settings::from(const Params& params) noexcept {
  Settings settings;
  settings.eager_limit = params.size("eager_limit");
  settings.split = split_of(params.text("split"));
  settings.split_threshold = params.size("split_threshold");
  settings.trial_interval = static_cast<std::uint32_t>(params.integer("trial_interval"));
  settings.explain = params.boolean("explain");
  settings.copy_piece = params.size("copy_piece");
  settings.unexpected_limit = params.size("unexpected_limit");
  return settings;
}

}  // namespace tessera::ob1
