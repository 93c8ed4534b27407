// SPDX-License-Identifier: BSD-3-Clause
// Error handlers of sessions (MPI-5.0 §9.3.4).
#include <fmt/format.h>

#include "api/env/session_handle.h"
#include "api/errors/errhandler_handle.h"
#include "api/errors/error_codes.h"

using namespace tessera;
using namespace tessera::api;

TESSERA_WEAK_ALIAS(MPI_Session_set_errhandler)
extern "C" int PMPI_Session_set_errhandler(MPI_Session session, MPI_Errhandler errhandler) {
  constexpr const char* function = "MPI_Session_set_errhandler";
  Session* object = find_session(session);
  if (object == nullptr) return raise_not_session(function, session);
  int code = MPI_SUCCESS;
  Errhandler* handler =
      right_errhandler(function, object_of(session), errhandler, HandlerOf::session, code);
  if (handler != nullptr) object->set_errhandler(Ref<Errhandler>::share(handler));
  return code;
}

TESSERA_WEAK_ALIAS(MPI_Session_get_errhandler)
extern "C" int PMPI_Session_get_errhandler(MPI_Session session, MPI_Errhandler* errhandler) {
  constexpr const char* function = "MPI_Session_get_errhandler";
  const Session* object = find_session(session);
  if (object == nullptr) return raise_not_session(function, session);
  if (errhandler == nullptr)
    return raise(function, object_of(session), MPI_ERR_ARG, null_pointer("errhandler"));
  Errhandler& handler = object->errhandler();
  if (!handler.predefined()) handler.retain();  // the caller will free the handle
  *errhandler = handle_of(handler);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Session_call_errhandler)
extern "C" int PMPI_Session_call_errhandler(MPI_Session session, int errorcode) {
  constexpr const char* function = "MPI_Session_call_errhandler";
  if (find_session(session) == nullptr) return raise_not_session(function, session);
  if (!ErrorCodes::instance().class_of(errorcode)) {
    return raise(function, object_of(session), MPI_ERR_ARG,
                 fmt::format("argument `errorcode` is {}, which is not an error code", errorcode));
  }
  call_handler(function, object_of(session), errorcode);
  return MPI_SUCCESS;
}
