// SPDX-License-Identifier: BSD-3-Clause
// Numbers for datatypes.
#include "type_cache.h"

namespace tessera::osc::am {

SentTypes::Entry& SentTypes::find(const Datatype& type) {
  const auto found = types_.find(&type);
  if (found != types_.end()) return found->second;
  type.hold();
  return types_.emplace(&type, Entry{next_++, std::make_unique<FlatType>(type), {}}).first->second;
}

void SentTypes::clear() noexcept {
  for (auto& [type, entry] : types_) type->drop();
  types_.clear();
}

}  // namespace tessera::osc::am
