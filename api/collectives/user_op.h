// SPDX-License-Identifier: BSD-3-Clause
// A reduction operation of the user.
#pragma once

#include "api/api.h"
#include "core/object/freed_objects.h"
#include "tessera/data.h"

namespace tessera::api {

// Calls a function of the user, in pieces where it takes its length as an int and there is more. It
// must not fail.
class UserOp final : public Op {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::op); }
  UserOp(MPI_User_function* function, bool commutes) noexcept : narrow_(function) {
    commutative_ = commutes;
  }
  UserOp(MPI_User_function_c* function, bool commutes) noexcept : wide_(function) {
    commutative_ = commutes;
  }

  bool accepts(const Datatype&) const noexcept override { return true; }
  Status apply(const void* in, void* inout, Count count,
               const Datatype& type) const noexcept override;

 private:
  MPI_User_function* narrow_ = nullptr;
  MPI_User_function_c* wide_ = nullptr;
};

}  // namespace tessera::api
