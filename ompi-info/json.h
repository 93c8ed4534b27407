// SPDX-License-Identifier: BSD-3-Clause
// Pieces of JSON that several outputs share.
#pragma once

#include <nlohmann/json.hpp>

#include "framework/microkernel.h"

namespace ompi_info {

using Json = nlohmann::ordered_json;  // fields in the order they are written here

Json param_json(const tessera::Microkernel& kernel, const tessera::Parameter& parameter);

// To standard output; bytes that are not UTF-8 are replaced.
void print(const Json& object);

}  // namespace ompi_info
