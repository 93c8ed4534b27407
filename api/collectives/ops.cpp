// SPDX-License-Identifier: BSD-3-Clause
// Reduction operations of the user, and reductions within one process (MPI-5.0 §6.9.5, §6.9.7).
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "api/arguments.h"
#include "api/collectives/op_handle.h"
#include "api/collectives/user_op.h"
#include "api/env/wait_mistakes.h"

using namespace tessera;
using namespace tessera::api;

namespace tessera::api {

Status UserOp::apply(const void* in, void* inout, Count count,
                     const Datatype& type) const noexcept {
  MPI_Datatype handle = handle_of(static_cast<const TypeObject&>(type));
  // A callback may not change its first argument; MPI's prototype does not say so.
  char* left = static_cast<char*>(const_cast<void*>(in));
  char* right = static_cast<char*>(inout);
  const InReduction in_reduction;
  if (wide_ != nullptr) {
    MPI_Count length = count;
    wide_(left, right, &length, &handle);
    return {};
  }
  for (Count done = 0; done < count;) {
    int length = static_cast<int>(std::min<Count>(count - done, std::numeric_limits<int>::max()));
    const Count piece = length;
    narrow_(left + done * type.extent(), right + done * type.extent(), &length, &handle);
    done += piece;
  }
  return {};
}

}  // namespace tessera::api

namespace {

int raise_not_op(const char* function, MPI_Op op) {
  if (!world.active()) return raise_not_active(function);
  return raise(function, MPI_ERR_OP,
               fmt::format("argument `op` is no operation: {}; it must be a predefined one or from "
                           "MPI_Op_create",
                           why_none(op, ObjectKind::op)));
}

template <class Function>
int create(const char* function, Function* user_fn, int commute, MPI_Op* op) {
  if (world.over()) return raise_not_active(function);
  if (user_fn == nullptr) {
    return raise(function, MPI_ERR_ARG,
                 "argument `user_fn` is a null pointer; it must be a function");
  }
  if (op == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("op"));
  *op = handle_of<MPI_Op>(new UserOp(user_fn, commute != 0));
  return MPI_SUCCESS;
}

int reduce_local(const char* function, const void* inbuf, void* inoutbuf, Count count,
                 MPI_Datatype datatype, MPI_Op op) {
  Arguments arguments(function, no_comm());
  const TypeObject* type = find_type(datatype);
  const Op* object = find_op(op);
  if (arguments.comm() == nullptr || !arguments.count(count) || !arguments.type(type) ||
      !arguments.room(count, *type) || !arguments.buffer(inbuf, count, *type, "inbuf") ||
      !arguments.buffer(inoutbuf, count, *type, "inoutbuf") ||
      !arguments.that(inbuf != inoutbuf || inbuf == nullptr || count == 0 || type->size() == 0,
                      MPI_ERR_BUFFER,
                      "arguments `inbuf` and `inoutbuf` are the same; they must be two buffers")) {
    return arguments.raised();
  }
  if (object == nullptr) return raise_not_op(function, op);
  const Status done = object->apply(inbuf, inoutbuf, count, *type);
  return done.ok() ? MPI_SUCCESS : arguments.raised(done);
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Op_create)
extern "C" int PMPI_Op_create(MPI_User_function* user_fn, int commute, MPI_Op* op) {
  return create("MPI_Op_create", user_fn, commute, op);
}

TESSERA_WEAK_ALIAS(MPI_Op_create_c)
extern "C" int PMPI_Op_create_c(MPI_User_function_c* user_fn, int commute, MPI_Op* op) {
  return create("MPI_Op_create_c", user_fn, commute, op);
}

TESSERA_WEAK_ALIAS(MPI_Op_free)
extern "C" int PMPI_Op_free(MPI_Op* op) {
  if (op == nullptr) return raise("MPI_Op_free", MPI_ERR_ARG, null_pointer("op"));
  const Op* object = find_op(*op);
  if (object == nullptr) return raise_not_op("MPI_Op_free", *op);
  if (is_predefined(*op)) {
    return raise("MPI_Op_free", MPI_ERR_OP, "argument `op` is predefined and cannot be freed");
  }
  object->release();
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Op_commutative)
extern "C" int PMPI_Op_commutative(MPI_Op op, int* commute) {
  const Op* object = find_op(op);
  if (object == nullptr || world.over()) return raise_not_op("MPI_Op_commutative", op);
  if (commute == nullptr) return raise("MPI_Op_commutative", MPI_ERR_ARG, null_pointer("commute"));
  *commute = object->commutative() ? 1 : 0;
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Reduce_local)
extern "C" int PMPI_Reduce_local(const void* inbuf, void* inoutbuf, int count,
                                 MPI_Datatype datatype, MPI_Op op) {
  return reduce_local("MPI_Reduce_local", inbuf, inoutbuf, count, datatype, op);
}

TESSERA_WEAK_ALIAS(MPI_Reduce_local_c)
extern "C" int PMPI_Reduce_local_c(const void* inbuf, void* inoutbuf, MPI_Count count,
                                   MPI_Datatype datatype, MPI_Op op) {
  return reduce_local("MPI_Reduce_local_c", inbuf, inoutbuf, count, datatype, op);
}
