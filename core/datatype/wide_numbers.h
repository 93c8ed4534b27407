// SPDX-License-Identifier: BSD-3-Clause
// Names for the 128-bit numbers, which standard C++ does not know.
#pragma once

namespace tessera {

__extension__ typedef __int128 Int128;
__extension__ typedef __float128 Float128;

}  // namespace tessera
