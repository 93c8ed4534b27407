// SPDX-License-Identifier: BSD-3-Clause
// Components may bring a datatype of single bytes of their own; all other types are the engine's.
#pragma once

#include "core/datatype/predefined.h"
#include "core/datatype/type_object.h"

namespace tessera {

// The type as the engine has it.
inline const TypeObject& engine_type(const Datatype& type) noexcept {
  const auto* const own = dynamic_cast<const TypeObject*>(&type);
  return own != nullptr ? *own : as_object(byte_type());
}

}  // namespace tessera
