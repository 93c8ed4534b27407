// SPDX-License-Identifier: BSD-3-Clause
// Arguments of point-to-point calls that are not right at a glance.
#include "api/p2p/point_to_point.h"

namespace tessera::api {
namespace {

template <class Call>
int examined(const Call& call) {
  Arguments arguments(call.function, call.comm);
  const bool good = arguments.comm() != nullptr && right(arguments, call, find_type(call.datatype));
  return good ? MPI_SUCCESS : arguments.raised();
}

}  // namespace

int examine(const SendCall& call) {
  return examined(call);
}

int examine(const RecvCall& call) {
  return examined(call);
}

}  // namespace tessera::api
