// SPDX-License-Identifier: BSD-3-Clause
// Handles as integers (MPI 5.0, section 19.3.4): the integer of a predefined handle is its value.
#include "api/api.h"
#include "api/env/handle_numbers.h"
#include "api/handle.h"

using namespace tessera::api;

namespace {

template <class Handle>
int to_int(Handle handle) {
  return HandleNumbers::instance().number(number_of(handle));
}

// For an integer that to_int() never returned: the null handle of the kind.
template <class Handle>
Handle from_int(int number, Handle null) {
  const std::uintptr_t handle = HandleNumbers::instance().handle(number);
  return handle == 0 ? null : reinterpret_cast<Handle>(handle);
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Comm_toint)
extern "C" int PMPI_Comm_toint(MPI_Comm comm) {
  return to_int(comm);
}
TESSERA_WEAK_ALIAS(MPI_Comm_fromint)
extern "C" MPI_Comm PMPI_Comm_fromint(int comm) {
  return from_int(comm, MPI_COMM_NULL);
}

TESSERA_WEAK_ALIAS(MPI_Errhandler_toint)
extern "C" int PMPI_Errhandler_toint(MPI_Errhandler errhandler) {
  return to_int(errhandler);
}
TESSERA_WEAK_ALIAS(MPI_Errhandler_fromint)
extern "C" MPI_Errhandler PMPI_Errhandler_fromint(int errhandler) {
  return from_int(errhandler, MPI_ERRHANDLER_NULL);
}

TESSERA_WEAK_ALIAS(MPI_File_toint)
extern "C" int PMPI_File_toint(MPI_File file) {
  return to_int(file);
}
TESSERA_WEAK_ALIAS(MPI_File_fromint)
extern "C" MPI_File PMPI_File_fromint(int file) {
  return from_int(file, MPI_FILE_NULL);
}

TESSERA_WEAK_ALIAS(MPI_Group_toint)
extern "C" int PMPI_Group_toint(MPI_Group group) {
  return to_int(group);
}
TESSERA_WEAK_ALIAS(MPI_Group_fromint)
extern "C" MPI_Group PMPI_Group_fromint(int group) {
  return from_int(group, MPI_GROUP_NULL);
}

TESSERA_WEAK_ALIAS(MPI_Info_toint)
extern "C" int PMPI_Info_toint(MPI_Info info) {
  return to_int(info);
}
TESSERA_WEAK_ALIAS(MPI_Info_fromint)
extern "C" MPI_Info PMPI_Info_fromint(int info) {
  return from_int(info, MPI_INFO_NULL);
}

TESSERA_WEAK_ALIAS(MPI_Message_toint)
extern "C" int PMPI_Message_toint(MPI_Message message) {
  return to_int(message);
}
TESSERA_WEAK_ALIAS(MPI_Message_fromint)
extern "C" MPI_Message PMPI_Message_fromint(int message) {
  return from_int(message, MPI_MESSAGE_NULL);
}

TESSERA_WEAK_ALIAS(MPI_Op_toint)
extern "C" int PMPI_Op_toint(MPI_Op op) {
  return to_int(op);
}
TESSERA_WEAK_ALIAS(MPI_Op_fromint)
extern "C" MPI_Op PMPI_Op_fromint(int op) {
  return from_int(op, MPI_OP_NULL);
}

TESSERA_WEAK_ALIAS(MPI_Request_toint)
extern "C" int PMPI_Request_toint(MPI_Request request) {
  return to_int(request);
}
TESSERA_WEAK_ALIAS(MPI_Request_fromint)
extern "C" MPI_Request PMPI_Request_fromint(int request) {
  return from_int(request, MPI_REQUEST_NULL);
}

TESSERA_WEAK_ALIAS(MPI_Session_toint)
extern "C" int PMPI_Session_toint(MPI_Session session) {
  return to_int(session);
}
TESSERA_WEAK_ALIAS(MPI_Session_fromint)
extern "C" MPI_Session PMPI_Session_fromint(int session) {
  return from_int(session, MPI_SESSION_NULL);
}

TESSERA_WEAK_ALIAS(MPI_Type_toint)
extern "C" int PMPI_Type_toint(MPI_Datatype datatype) {
  return to_int(datatype);
}
TESSERA_WEAK_ALIAS(MPI_Type_fromint)
extern "C" MPI_Datatype PMPI_Type_fromint(int datatype) {
  return from_int(datatype, MPI_DATATYPE_NULL);
}

TESSERA_WEAK_ALIAS(MPI_Win_toint)
extern "C" int PMPI_Win_toint(MPI_Win win) {
  return to_int(win);
}
TESSERA_WEAK_ALIAS(MPI_Win_fromint)
extern "C" MPI_Win PMPI_Win_fromint(int win) {
  return from_int(win, MPI_WIN_NULL);
}
