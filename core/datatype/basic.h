// SPDX-License-Identifier: BSD-3-Clause
// The basic datatypes: what one of them is to arithmetic, to the compiler and
// in external32.
#pragma once

#include <cstdint>
#include <span>

#include "tessera/data.h"

namespace tessera {

constexpr int kNumbers = static_cast<int>(Number::l128) + 1;

// The groups for which the standard defines reductions (MPI-5.0 §6.9.2). It
// defines none for MPI_CHAR, whose group is c_char.
enum class BasicGroup : std::uint8_t {
  none,
  character,
  c_char,
  integer,
  fortran_integer,
  floating,
  logical,
  complex,
  byte,
  address
};

// The last four digits of a predefined handle's value; for pairs without a
// name, a value of ours (see pairs()).
using Kind = std::uint16_t;

struct Basic {
  Kind kind;
  const char* name;
  Number number;
  BasicGroup group;
  std::uint8_t size;       // bytes
  std::uint8_t alignment;  // as member of a struct
  std::uint8_t external;   // bytes in external32 (MPI-5.0 table 14.2)
};

// A value and an index, for MPI_MINLOC and MPI_MAXLOC; laid out as a struct of
// C.
struct PairType {
  Kind kind;         // 0x280 and up where the pair has no name
  const char* name;  // null: reached by MPI_Type_get_value_index only
  Kind value;
  Kind index;
};

// All of them. Types that this compiler lacks (MPI_REAL2, MPI_COMPLEX4) are
// absent.
std::span<const Basic> basics() noexcept;
std::span<const PairType> pairs() noexcept;

// Null if there is no such basic datatype.
const Basic* find_basic(Kind kind) noexcept;

}  // namespace tessera
