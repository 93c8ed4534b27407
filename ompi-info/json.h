// SPDX-License-Identifier: BSD-3-Clause
// Pieces of JSON that several outputs share.
#pragma once

#include "framework/json.h"
#include "framework/microkernel.h"

namespace ompi_info {

using tessera::Json;

Json param_json(const tessera::Microkernel& kernel, const tessera::Parameter& parameter);

// To standard output.
void print(const Json& object);

}  // namespace ompi_info
