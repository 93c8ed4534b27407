// SPDX-License-Identifier: BSD-3-Clause
// Error handlers (MPI 5.0, section 9.3).
#include <fmt/format.h>

#include "api/comm/comm_handle.h"
#include "api/errors/errhandler_handle.h"
#include "api/errors/error.h"
#include "api/errors/error_codes.h"

using namespace tessera;
using namespace tessera::api;

namespace tessera::api {

Errhandler* find_errhandler(MPI_Errhandler handle) noexcept {
  // Never destroyed: communicators may refer to them until the very end.
  static Errhandler& fatal = *new Errhandler(Errhandler::Action::fatal);
  static Errhandler& abort = *new Errhandler(Errhandler::Action::abort);
  static Errhandler& return_code = *new Errhandler(Errhandler::Action::return_code);
  if (handle == MPI_ERRORS_ARE_FATAL) return &fatal;
  if (handle == MPI_ERRORS_ABORT) return &abort;
  if (handle == MPI_ERRORS_RETURN) return &return_code;
  return find_object_always<Errhandler, ObjectKind::errhandler>(handle);
}

MPI_Errhandler handle_of(Errhandler& handler) noexcept {
  switch (handler.action()) {
    case Errhandler::Action::fatal:
      return MPI_ERRORS_ARE_FATAL;
    case Errhandler::Action::abort:
      return MPI_ERRORS_ABORT;
    case Errhandler::Action::return_code:
      return MPI_ERRORS_RETURN;
    case Errhandler::Action::call:
      break;
  }
  return handle_of<MPI_Errhandler>(&handler);
}

}  // namespace tessera::api

namespace {

template <class Function>
int create(const char* function, HandlerOf of, Function* user_function,
           MPI_Errhandler* errhandler) {
  if (of != HandlerOf::session && world.over()) return raise_not_active(function);
  if (user_function == nullptr) {
    return raise(function, MPI_ERR_ARG,
                 "the error handler function is a null pointer; it must be a function");
  }
  if (errhandler == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("errhandler"));
  *errhandler =
      handle_of(*new Errhandler(of, reinterpret_cast<Errhandler::Function>(user_function)));
  return MPI_SUCCESS;
}

// `comm` hears of it; MPI_COMM_SELF where the function has no communicator.
int raise_not_errhandler(const char* function, MPI_Errhandler handle, MPI_Comm comm = no_comm()) {
  return raise(function, comm, MPI_ERR_ERRHANDLER,
               fmt::format("argument `errhandler` is no error handler: {}; it must be a predefined "
                           "one or from MPI_Comm_create_errhandler",
                           why_none(handle, ObjectKind::errhandler)));
}

int set_on_comm(const char* function, MPI_Comm comm, MPI_Errhandler errhandler) {
  Comm* object = find_comm(comm);
  if (object == nullptr) return raise_not_comm(function, comm);
  Errhandler* handler = find_errhandler(errhandler);
  if (handler == nullptr) return raise_not_errhandler(function, errhandler, comm);
  if (handler->of() != HandlerOf::any && handler->of() != HandlerOf::communicator) {
    return raise(function, comm, MPI_ERR_ERRHANDLER,
                 "argument `errhandler` was made for another kind of object; "
                 "MPI_Comm_create_errhandler makes those for communicators");
  }
  object->set_errhandler(Ref<Errhandler>::share(handler));
  return MPI_SUCCESS;
}

int get_from_comm(const char* function, MPI_Comm comm, MPI_Errhandler* errhandler) {
  const Comm* object = find_comm(comm);
  if (object == nullptr) return raise_not_comm(function, comm);
  if (errhandler == nullptr) return raise(function, comm, MPI_ERR_ARG, null_pointer("errhandler"));
  Errhandler& handler = object->errhandler();
  if (!handler.predefined()) handler.retain();  // the caller will free the handle
  *errhandler = handle_of(handler);
  return MPI_SUCCESS;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Comm_create_errhandler)
extern "C" int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function* comm_errhandler_fn,
                                           MPI_Errhandler* errhandler) {
  return create("MPI_Comm_create_errhandler", HandlerOf::communicator, comm_errhandler_fn,
                errhandler);
}

TESSERA_WEAK_ALIAS(MPI_Win_create_errhandler)
extern "C" int PMPI_Win_create_errhandler(MPI_Win_errhandler_function* win_errhandler_fn,
                                          MPI_Errhandler* errhandler) {
  return create("MPI_Win_create_errhandler", HandlerOf::window, win_errhandler_fn, errhandler);
}

TESSERA_WEAK_ALIAS(MPI_File_create_errhandler)
extern "C" int PMPI_File_create_errhandler(MPI_File_errhandler_function* file_errhandler_fn,
                                           MPI_Errhandler* errhandler) {
  return create("MPI_File_create_errhandler", HandlerOf::file, file_errhandler_fn, errhandler);
}

TESSERA_WEAK_ALIAS(MPI_Session_create_errhandler)
extern "C" int PMPI_Session_create_errhandler(
    MPI_Session_errhandler_function* session_errhandler_fn, MPI_Errhandler* errhandler) {
  return create("MPI_Session_create_errhandler", HandlerOf::session, session_errhandler_fn,
                errhandler);
}

TESSERA_WEAK_ALIAS(MPI_Comm_set_errhandler)
extern "C" int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) {
  return set_on_comm("MPI_Comm_set_errhandler", comm, errhandler);
}

TESSERA_WEAK_ALIAS(MPI_Comm_get_errhandler)
extern "C" int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* errhandler) {
  return get_from_comm("MPI_Comm_get_errhandler", comm, errhandler);
}

TESSERA_WEAK_ALIAS(MPI_Comm_call_errhandler)
extern "C" int PMPI_Comm_call_errhandler(MPI_Comm comm, int errorcode) {
  constexpr const char* function = "MPI_Comm_call_errhandler";
  if (find_comm(comm) == nullptr) return raise_not_comm(function, comm);
  if (!ErrorCodes::instance().class_of(errorcode)) {
    return raise(function, comm, MPI_ERR_ARG,
                 fmt::format("argument `errorcode` is {}, which is not an error code", errorcode));
  }
  call_handler(function, object_of(comm), errorcode);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Errhandler_free)
extern "C" int PMPI_Errhandler_free(MPI_Errhandler* errhandler) {
  if (errhandler == nullptr)
    return raise("MPI_Errhandler_free", MPI_ERR_ARG, null_pointer("errhandler"));
  Errhandler* handler = find_errhandler(*errhandler);
  if (handler == nullptr) return raise_not_errhandler("MPI_Errhandler_free", *errhandler);
  if (!handler->predefined()) handler->release();
  *errhandler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // the names of MPI-1

TESSERA_WEAK_ALIAS(MPI_Errhandler_create)
extern "C" int PMPI_Errhandler_create(MPI_Handler_function* handler_fn,
                                      MPI_Errhandler* errhandler) {
  return create("MPI_Errhandler_create", HandlerOf::communicator, handler_fn, errhandler);
}

TESSERA_WEAK_ALIAS(MPI_Errhandler_set)
extern "C" int PMPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler) {
  return set_on_comm("MPI_Errhandler_set", comm, errhandler);
}

TESSERA_WEAK_ALIAS(MPI_Errhandler_get)
extern "C" int PMPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* errhandler) {
  return get_from_comm("MPI_Errhandler_get", comm, errhandler);
}
