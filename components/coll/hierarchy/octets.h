// SPDX-License-Identifier: BSD-3-Clause
// The type of packed data in inner calls.
#pragma once

#include "tessera/data.h"

namespace tessera::coll::hierarchy {

class Octet final : public Datatype {
 public:
  Octet() noexcept {
    size_ = extent_ = true_extent_ = 1;
    contiguous_ = committed_ = predefined_ = true;
  }
};

inline const Datatype* octets() noexcept {
  static const Octet type;
  return &type;
}

}  // namespace tessera::coll::hierarchy
