// SPDX-License-Identifier: BSD-3-Clause
#include "impi/wire/bytes.h"

namespace tessera::impi {

// Not inline: GCC 12 then sees an overflow where there is none.
void append(Bytes& to, ByteView from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace tessera::impi
