// SPDX-License-Identifier: BSD-3-Clause
// Questions that the functions of dynamic processes ask alike.
#include "api/dynamic/meeting.h"

#include "core/impi/spanned.h"
#include "core/job/failures.h"

namespace tessera::api {

bool right_meeting(Arguments& arguments, int root) noexcept {
  if (arguments.comm() == nullptr || !arguments.intra() ||
      !arguments.member(root, arguments.comm()->size(), MPI_ERR_ROOT, "root"))
    return false;
  const Status one = impi::within_one_system(*arguments.comm(), "processes that come later");
  return one.ok() || arguments.fail(MPI_ERR_UNSUPPORTED_OPERATION, one.text());
}

std::string info_value(MPI_Info info, const char* key) {
  const Info* const object = find_info(info);
  return object != nullptr ? object->get(key).value_or("") : std::string();
}

int raise_meeting(const Arguments& arguments, const Comm& comm, int error_class,
                  const Status& failure) noexcept {
  const Group& group = *comm.group();
  world.engine->progress().notice_failures();  // the root may have told of what this one missed
  const bool died = failure == Errc::peer_failed &&
                    any_failed({group.members(), static_cast<std::size_t>(group.size())});
  if (died || failure == Errc::no_memory) return arguments.raised(failure);
  const int shown = failure == Errc::argument ? MPI_ERR_ARG : error_class;
  return raise(arguments.function(), arguments.handle(), shown, failure.text());
}

}  // namespace tessera::api
