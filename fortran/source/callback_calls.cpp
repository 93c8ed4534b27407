// SPDX-License-Identifier: BSD-3-Clause
// The procedures that take procedures, and attributes.
#include "fortran/source/attributes.h"
#include "fortran/source/callbacks.h"
#include "fortran/source/names.h"

using namespace tessera::fortran;

namespace {

int used_up(const char* procedure) {
  return refuse(MPI_COMM_SELF, MPI_ERR_INTERN,
                std::string(procedure) +
                    ", called from Fortran: too many different procedures are registered; register "
                    "fewer and let them tell their cases apart");
}

template <class Handle, class Create, class Copy>
void create_keyval(Create create, Copy* null_copy, Keyval keys, Fint* keyval, Fint* ierror) {
  auto* copy = is_null_copy(keys.copy) ? null_copy : &Attribute<Handle>::copy;
  finish(ierror, create(copy, &Attribute<Handle>::destroy, keyval, kept(keys)));
}

template <class Value, class Get, class Handle>
void get_attribute(Get get, Handle object, Fint keyval, Value* value, Fint* flag, Fint* ierror) {
  void* attribute = nullptr;
  int found = 0;
  const int code = get(object, keyval, &attribute, &found);
  if (code == MPI_SUCCESS) {
    if (found != 0) *value = static_cast<Value>(value_of(keyval, attribute));
    *flag = logical(found);
  }
  finish(ierror, code);
}

template <class Set, class Handle>
void set_attribute(Set set, Handle object, Fint keyval, MPI_Aint value, Fint* ierror) {
  void* cell = new_cell(value);
  const int code = set(object, keyval, cell);
  if (code != MPI_SUCCESS) free_cell(cell);
  finish(ierror, code);
}

template <class Function, class Create>
void create_handler(const char* name, Create create, Function* function, Fint* errhandler,
                    Fint* ierror) {
  if (function == nullptr) return finish(ierror, used_up(name));
  Out<MPI_Errhandler> errhandler_(errhandler);
  const int code = create(function, errhandler_);
  if (code == MPI_SUCCESS) errhandler_.store();
  finish(ierror, code);
}

template <class Function, class Create>
void create_operation(const char* name, Create create, Function* function, const Fint* commute,
                      Fint* op, Fint* ierror) {
  if (function == nullptr) return finish(ierror, used_up(name));
  Out<MPI_Op> op_(op);
  const int code = create(function, truth(commute), op_);
  if (code == MPI_SUCCESS) op_.store();
  finish(ierror, code);
}

template <class Count, class Register>
void register_datarep(Register enter, const char* datarep, std::size_t length,
                      DataRepresentation procedures, Fint* ierror) {
  const auto read =
      is_null_conversion(procedures.read) ? nullptr : &DataRepresentation::convert<Count, true>;
  const auto write =
      is_null_conversion(procedures.write) ? nullptr : &DataRepresentation::convert<Count, false>;
  finish(ierror, enter(text(datarep, length).c_str(), read, write, &DataRepresentation::call_extent,
                       kept(procedures)));
}

}  // namespace

#define TESSERA_ATTRIBUTES(kind, Kind, Handle, KIND)                                            \
  extern "C" void F(kind##_create_keyval)(Procedure copy, Procedure destroy, Fint * keyval,     \
                                          const MPI_Aint* extra, Fint* ierror) {                \
    create_keyval<Handle>(MPI_##Kind##_create_keyval, MPI_##KIND##_NULL_COPY_FN,                \
                          Keyval{copy, destroy, *extra, false}, keyval, ierror);                \
  }                                                                                             \
  F08(kind##_create_keyval)                                                                     \
  extern "C" void F(kind##_get_attr)(const Fint* object, const Fint* keyval, MPI_Aint* value,   \
                                     Fint* flag, Fint* ierror) {                                \
    get_attribute(MPI_##Kind##_get_attr, handle<Handle>(object), *keyval, value, flag, ierror); \
  }                                                                                             \
  F08(kind##_get_attr)                                                                          \
  extern "C" void F(kind##_set_attr)(const Fint* object, const Fint* keyval,                    \
                                     const MPI_Aint* value, Fint* ierror) {                     \
    set_attribute(MPI_##Kind##_set_attr, handle<Handle>(object), *keyval, *value, ierror);      \
  }                                                                                             \
  F08(kind##_set_attr)

TESSERA_ATTRIBUTES(comm, Comm, MPI_Comm, COMM)
TESSERA_ATTRIBUTES(type, Type, MPI_Datatype, TYPE)
TESSERA_ATTRIBUTES(win, Win, MPI_Win, WIN)

extern "C" void F(keyval_create)(Procedure copy, Procedure destroy, Fint* keyval, const Fint* extra,
                                 Fint* ierror) {
  create_keyval<MPI_Comm>(MPI_Comm_create_keyval, MPI_COMM_NULL_COPY_FN,
                          Keyval{copy, destroy, *extra, true}, keyval, ierror);
}

extern "C" void F(attr_get)(const Fint* comm, const Fint* keyval, Fint* value, Fint* flag,
                            Fint* ierror) {
  get_attribute(MPI_Comm_get_attr, handle<MPI_Comm>(comm), *keyval, value, flag, ierror);
}

extern "C" void F(attr_put)(const Fint* comm, const Fint* keyval, const Fint* value, Fint* ierror) {
  set_attribute(MPI_Comm_set_attr, handle<MPI_Comm>(comm), *keyval, *value, ierror);
}

extern "C" void F(comm_create_errhandler)(Procedure procedure, Fint* errhandler, Fint* ierror) {
  create_handler("MPI_Comm_create_errhandler", MPI_Comm_create_errhandler, comm_handler(procedure),
                 errhandler, ierror);
}
F08(comm_create_errhandler)

extern "C" void F(errhandler_create)(Procedure procedure, Fint* errhandler, Fint* ierror) {
  create_handler("MPI_Errhandler_create", MPI_Comm_create_errhandler, comm_handler(procedure),
                 errhandler, ierror);
}

extern "C" void F(file_create_errhandler)(Procedure procedure, Fint* errhandler, Fint* ierror) {
  create_handler("MPI_File_create_errhandler", MPI_File_create_errhandler, file_handler(procedure),
                 errhandler, ierror);
}
F08(file_create_errhandler)

extern "C" void F(session_create_errhandler)(Procedure procedure, Fint* errhandler, Fint* ierror) {
  create_handler("MPI_Session_create_errhandler", MPI_Session_create_errhandler,
                 session_handler(procedure), errhandler, ierror);
}
F08(session_create_errhandler)

extern "C" void F(win_create_errhandler)(Procedure procedure, Fint* errhandler, Fint* ierror) {
  create_handler("MPI_Win_create_errhandler", MPI_Win_create_errhandler, win_handler(procedure),
                 errhandler, ierror);
}
F08(win_create_errhandler)

extern "C" void F(op_create)(Procedure procedure, const Fint* commute, Fint* op, Fint* ierror) {
  create_operation("MPI_Op_create", MPI_Op_create, operation(procedure), commute, op, ierror);
}
F08(op_create)

extern "C" void F(op_create_c)(Procedure procedure, const Fint* commute, Fint* op, Fint* ierror) {
  create_operation("MPI_Op_create_c", MPI_Op_create_c, large_operation(procedure), commute, op,
                   ierror);
}
F08(op_create_c)

extern "C" void F(grequest_start)(Procedure query, Procedure free, Procedure cancel,
                                  const MPI_Aint* extra, Fint* request, Fint* ierror) {
  auto* procedures = new GeneralizedRequest{query, free, cancel, *extra};
  Out<MPI_Request> request_(request);
  const int code =
      MPI_Grequest_start(&GeneralizedRequest::call_query, &GeneralizedRequest::call_free,
                         &GeneralizedRequest::call_cancel, procedures, request_);
  if (code == MPI_SUCCESS) {
    request_.store();
  } else {
    delete procedures;
  }
  finish(ierror, code);
}
F08(grequest_start)

extern "C" void F(register_datarep)(const char* datarep, Procedure read, Procedure write,
                                    Procedure extent, const MPI_Aint* extra, Fint* ierror,
                                    std::size_t length) {
  register_datarep<int>(MPI_Register_datarep, datarep, length,
                        DataRepresentation{read, write, extent, *extra}, ierror);
}
F08(register_datarep)

extern "C" void F(register_datarep_c)(const char* datarep, Procedure read, Procedure write,
                                      Procedure extent, const MPI_Aint* extra, Fint* ierror,
                                      std::size_t length) {
  register_datarep<MPI_Count>(MPI_Register_datarep_c, datarep, length,
                              DataRepresentation{read, write, extent, *extra}, ierror);
}
F08(register_datarep_c)
