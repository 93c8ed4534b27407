// SPDX-License-Identifier: BSD-3-Clause
// Whether this processor's string instruction stalls where string_copy_stalls() (tessera/copy.h)
// says that one may.
#pragma once

namespace tessera {

// The first call tries it, which takes some ten microseconds.
bool string_copies_stall_here() noexcept;

// Sets the answer, whatever the processor is: for tests.
void assume_string_copies_stall(bool stall) noexcept;

}  // namespace tessera
