// SPDX-License-Identifier: BSD-3-Clause
// The parts of this machine by name, and whether this process is restricted to one:
// HardwareResource.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// A kind of resource that the machine has, as a URI in the spelling of hwloc: "hwloc://Package".
struct HardwareResource {
  std::string name;
  int instance = -1;  // the only one that this process may run on, by its number; -1: several
};

// By the present affinity mask of the caller, from hwloc, which is loaded for this call; empty
// where it cannot be had. Takes some milliseconds. May throw std::bad_alloc. (MPI 5.0,
// MPI_Get_hw_resource_info)
std::vector<HardwareResource> hardware_resources();

// Whether this is a name that hardware_resources() may give.
bool names_hardware(std::string_view name) noexcept;

}  // namespace tessera
