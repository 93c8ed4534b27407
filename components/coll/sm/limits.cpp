// SPDX-License-Identifier: BSD-3-Clause
// What coll/sm carries out.
#include "limits.h"

#include <string>

namespace tessera::coll::sm {

Limits::Limits(const Params& params) : direct_limit_(params.size("direct_limit")) {
  most_.fill(kByRules);
  for (const Operation operation : kWithLimit) {
    const std::string name = std::string(coll::name(operation)) + "_limit";
    if (params.chosen(name))
      most_[static_cast<std::size_t>(operation)] = static_cast<Count>(params.size(name));
  }
}

bool Limits::admit(const Call& call, const Layout& layout) const noexcept {
  const Count most = most_[static_cast<std::size_t>(call.operation)];
  if (most != kByRules) return amount(call) <= most;
  return rules_ != nullptr && rules_->chosen(number_, call, layout) != nullptr;
}

}  // namespace tessera::coll::sm
