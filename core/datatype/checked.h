// SPDX-License-Identifier: BSD-3-Clause
// Whole numbers that know when they left the range of 64 bits.
#pragma once

#include "tessera/data.h"

namespace tessera {

class Checked {
 public:
  Checked(Count value) noexcept : value_(value) {}  // NOLINT: implicit by design
  bool ok() const noexcept { return ok_; }
  Count value() const noexcept { return value_; }

  friend Checked operator+(Checked a, Checked b) noexcept {
    Checked r(0);
    r.ok_ = !__builtin_add_overflow(a.value_, b.value_, &r.value_) && a.ok_ && b.ok_;
    return r;
  }
  friend Checked operator-(Checked a, Checked b) noexcept {
    Checked r(0);
    r.ok_ = !__builtin_sub_overflow(a.value_, b.value_, &r.value_) && a.ok_ && b.ok_;
    return r;
  }
  friend Checked operator*(Checked a, Checked b) noexcept {
    Checked r(0);
    r.ok_ = !__builtin_mul_overflow(a.value_, b.value_, &r.value_) && a.ok_ && b.ok_;
    return r;
  }

 private:
  Count value_;
  bool ok_ = true;
};

}  // namespace tessera
