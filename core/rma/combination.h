// SPDX-License-Identifier: BSD-3-Clause
// What an accumulate does, from an operation and the type of an element.
#pragma once

#include "core/datatype/type_object.h"
#include "tessera/osc.h"

namespace tessera {

// `op` is predefined, `op_number` its handle value. Whether it fits the type is not asked.
osc::Combination combination_of(const Op& op, std::uint16_t op_number, const TypeObject& element);

}  // namespace tessera
