// SPDX-License-Identifier: BSD-3-Clause
// The engine's datatype.
#pragma once

#include <cstdint>

#include "tessera/data.h"

namespace tessera {

class TypeObject : public Datatype {
 public:
  // A predefined type: `size` bytes of data in `extent` bytes.
  TypeObject(std::uint16_t handle, const char* name, Count size, Aint extent) noexcept
      : handle_(handle), name_(name) {
    size_ = size;
    extent_ = true_extent_ = extent;
    dense_ = size == extent;
    committed_ = predefined_ = true;
  }
  std::uint16_t handle() const noexcept { return handle_; }  // 0 unless predefined
  const char* name() const noexcept { return name_; }

 protected:
  void dispose() const noexcept override {}

 private:
  std::uint16_t handle_ = 0;
  const char* name_ = "";
};

}  // namespace tessera
