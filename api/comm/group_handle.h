// SPDX-License-Identifier: BSD-3-Clause
// From MPI_Group to Group and back.
#pragma once

#include "api/handle.h"
#include "core/comm/group.h"

namespace tessera::api {

// The group of a handle; null for MPI_GROUP_NULL and for what is no group.
Group* find_group(MPI_Group handle) noexcept;

// The handle of a group, which takes over the caller's reference; an empty one is MPI_GROUP_EMPTY.
MPI_Group hand_over(Group* group) noexcept;

// What a function does to which find_group() said no.
[[gnu::cold]] int raise_not_group(const char* function, MPI_Group handle,
                                  const char* name = "group") noexcept;

}  // namespace tessera::api
