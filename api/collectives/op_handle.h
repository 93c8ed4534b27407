// SPDX-License-Identifier: BSD-3-Clause
// From MPI_Op to Op and back.
#pragma once

#include "api/handle.h"
#include "core/op/predefined.h"

namespace tessera::api {

// The operation of a handle; null for MPI_OP_NULL and for what is no operation.
inline const Op* find_op(MPI_Op handle) noexcept {
  if (is_predefined(handle)) [[likely]]
    return predefined_op(number_of(handle));
  return find_object<const Op, ObjectKind::op>(handle);
}

}  // namespace tessera::api
