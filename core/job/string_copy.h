// SPDX-License-Identifier: BSD-3-Clause
// Whether this processor's string instruction stalls where string_copy_stalls() (tessera/copy.h)
// says that one may.
#pragma once

namespace tessera {

// Tried at the first question.
bool string_copies_stall_here() noexcept;

// From now on the answer is this one, whatever the processor is: for tests.
void assume_string_copies_stall(bool stall) noexcept;

}  // namespace tessera
