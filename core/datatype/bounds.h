// SPDX-License-Identifier: BSD-3-Clause
// Lower and upper bounds of datatypes. Source: MPI-1.1 §3.12.3; MPI-5.0
// §5.1.6-5.1.8.
#pragma once
//
// Bounds follow from the type map: the lowest and highest byte of the data,
// unless the map has markers, then the lowest lower marker and the highest
// upper one, however deep they lie. Without an upper marker the extent is
// rounded up to a multiple of the strictest alignment in the map.
// MPI_Type_create_resized replaces all markers.
//
#include "core/datatype/checked.h"

namespace tessera {

struct Bounds {
  bool data = false;  // whether there is any; else low and high are 0
  Aint low = 0;
  Aint high = 0;
  bool lower_marker = false;
  bool upper_marker = false;
  Aint lower = 0;
  Aint upper = 0;
  Aint alignment = 1;

  Aint lb() const noexcept { return lower_marker ? lower : low; }
  // Rounded up; fails where 64 bits do not hold it.
  Checked ub() const noexcept;

  // Takes in another map, shifted by all of [first, last] bytes; false if a
  // bound leaves the 64 bits.
  [[nodiscard]] bool include(const Bounds& other, Checked first, Checked last) noexcept;
};

}  // namespace tessera
