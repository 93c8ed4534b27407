// SPDX-License-Identifier: BSD-3-Clause
// Handles of groups.
#include "api/comm/group_handle.h"

#include <fmt/format.h>

#include "api/env/world.h"
#include "api/errors/error.h"

namespace tessera::api {

Group* find_group(MPI_Group handle) noexcept {
  static Group& empty = *Group::empty();  // never destroyed
  if (handle == MPI_GROUP_EMPTY && !world.over()) return &empty;
  return find_object<Group, ObjectKind::group>(handle);
}

MPI_Group hand_over(Group* group) noexcept {
  if (group->size() > 0) return handle_of<MPI_Group>(group);
  group->release();
  return MPI_GROUP_EMPTY;
}

int raise_not_group(const char* function, MPI_Group handle, const char* name) noexcept {
  if (!world.active()) return raise_not_active(function);
  return raise(function, MPI_ERR_GROUP,
               fmt::format("argument `{}` is no group: {}; MPI_Comm_group and functions on groups "
                           "return groups",
                           name, why_none(handle, ObjectKind::group)));
}

}  // namespace tessera::api
