// SPDX-License-Identifier: BSD-3-Clause
// What the functions on topologies share.
#pragma once

#include "api/arguments.h"
#include "core/comm/topology.h"

namespace tessera::api {

// The topology of the communicator if it is of this kind; null, with the report kept, if not.
const Topology* topology_of(Arguments& arguments, Topology::Kind kind) noexcept;

// An array that is read or written, null only if it has no elements.
bool right_array(Arguments& arguments, const void* array, int elements, const char* name) noexcept;

}  // namespace tessera::api
