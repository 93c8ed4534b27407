// SPDX-License-Identifier: BSD-3-Clause
// What algorithms may ask for, and finding them.
#include "algorithms.h"

#include <bit>

namespace tessera::coll::basic {

bool commutes(const CallSignature& call) noexcept {
  return call.commutative();
}
bool power_of_two(const CallSignature& call) noexcept {
  return std::has_single_bit(static_cast<unsigned>(call.size));
}
bool even(const CallSignature& call) noexcept {
  return call.size % 2 == 0;
}
bool two_processes(const CallSignature& call) noexcept {
  return call.size == 2;
}

void Algorithm::emit(const Call& call, const Tuning& tuning, Schedule& schedule) const {
  if (tuned_ == nullptr) return plain_(call, schedule);
  const Tuning used{.segment = tuning.segment != 0 ? tuning.segment : usual.segment,
                    .radix = tuning.radix != 0 ? tuning.radix : usual.radix};
  tuned_(call, used, schedule);
}

const Algorithm* find_algorithm(Operation operation, std::string_view name) noexcept {
  for (const Algorithm* each : algorithms()) {
    if (each->operation == operation && name == each->name) return each;
  }
  return nullptr;
}

}  // namespace tessera::coll::basic
