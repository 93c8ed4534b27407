// SPDX-License-Identifier: BSD-3-Clause
// In which buffer argument of a call an address lies.
#pragma once
//
// Contract. Knows the buffers of blocking sends, receives, exchanges and collective operations,
// from what lies beside their notes: no call writes down a buffer for this. A handler of faults may
// call it; it reads the arrays of counts that the call was given.
//
#include <cstdint>

#include "core/progress/progress.h"

namespace tessera::api {

// "sendbuf"; null where the address lies in none, or the buffers of this call are not known. What
// is sent is never written.
const char* buffer_at(std::uintptr_t address, bool written, const WaitNote& note) noexcept;

}  // namespace tessera::api
