// SPDX-License-Identifier: BSD-3-Clause
// How many CPUs the processes of this job may really use.
#pragma once

#include <cstdint>

namespace tessera {

// The CPUs of the affinity mask of the caller, cut to the quota of its control group (rounded up);
// at least 1. Reads two to a handful of small files; never fails: what cannot be read does not
// limit.
std::uint32_t usable_cpus() noexcept;

}  // namespace tessera
