// SPDX-License-Identifier: BSD-3-Clause
// Type signatures: the sequence of basic datatypes, reduced to numbers.
#pragma once
//
// The hash is that of a polynomial (modulo 2^64) over what the basic datatypes are to this machine,
// so it depends on the sequence alone and not on how the type was made, and the hash of a
// concatenation follows from those of its parts. Names of one number, such as MPI_INT and
// MPI_INT32_T, count as one: different hashes mean data that do not match.
//
#include <cstdint>

#include "core/datatype/basic.h"
#include "tessera/data.h"

namespace tessera {

struct Signature {
  Count elements = 0;  // basic datatypes
  std::uint64_t hash = 0;
  std::uint64_t factor = 1;  // the base to the power of `elements`
  Kind kind = 0;             // of all elements; 0: there are several kinds, or no elements

  static Signature of(Kind kind) noexcept {
    const Basic* basic = find_basic(kind);
    const std::uint64_t letter =
        basic != nullptr ? static_cast<std::uint64_t>(basic->number) + 1 : kind;
    return {1, letter, 0x9e37'79b9'7f4a'7c15, kind};
  }

  friend Signature operator+(const Signature& a, const Signature& b) noexcept {
    if (a.elements == 0) return b;
    if (b.elements == 0) return a;
    return {a.elements + b.elements, a.hash * b.factor + b.hash, a.factor * b.factor,
            a.kind == b.kind ? a.kind : Kind{0}};
  }

  // The signature `n` times, by doubling.
  Signature times(Count n) const noexcept {
    Signature result;
    Signature power = *this;
    for (; n > 0; n >>= 1, power = power + power) {
      if ((n & 1) != 0) result = result + power;
    }
    return result;
  }
};

}  // namespace tessera
