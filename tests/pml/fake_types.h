// SPDX-License-Identifier: BSD-3-Clause
// Datatypes for tests of the pml: contiguous bytes, and a vector with gaps.
#pragma once
#include <cstddef>
#include <vector>

#include "tessera/data.h"

namespace tessera::test {

// One byte, predefined.
class ByteType final : public Datatype {
 public:
  ByteType() noexcept {
    size_ = extent_ = true_extent_ = 1;
    contiguous_ = committed_ = predefined_ = true;
  }
};

// `block` bytes of data followed by a gap: an element of `stride` bytes. Counts its references.
class StridedType final : public Datatype {
 public:
  StridedType(Count block, Aint stride) noexcept {
    size_ = block;
    extent_ = stride;
    true_extent_ = block;
    committed_ = true;
  }
  bool disposed() const noexcept { return disposed_; }

 private:
  void dispose() const noexcept override { disposed_ = true; }
  mutable bool disposed_ = false;
};

const Datatype& bytes() noexcept;  // the ByteType

// The data bytes of `count` elements of `type` at `buffer`.
std::vector<std::byte> packed(const Datatype& type, const void* buffer, Count count);

}  // namespace tessera::test
