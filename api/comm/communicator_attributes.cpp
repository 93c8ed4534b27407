// SPDX-License-Identifier: BSD-3-Clause
// Attributes of communicators (MPI-5.0 §7.7.2), with the names of MPI-1.
#include "api/arguments.h"
#include "api/comm/attributes.h"
#include "core/impi/systems.h"
#include "impi.h"

using namespace tessera;
using namespace tessera::api;

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // the names of MPI-1

namespace {

template <class Copy, class Delete>
int create(const char* function, Copy* copy, Delete* destroy, int* keyval, void* extra) {
  return create_keyval(function, KeyvalOf::communicator, reinterpret_cast<Keyval::Copy>(copy),
                       reinterpret_cast<Keyval::Delete>(destroy), extra, keyval);
}

int set(const char* function, MPI_Comm comm, int keyval, void* value) {
  Comm* object = find_comm(comm);
  if (object == nullptr) return raise_not_comm(function, comm);
  EngineGuard guard(world.engine->progress());
  const auto found = find_keyval(KeyvalOf::communicator, keyval);
  if (found == nullptr) return raise_not_keyval(function, object_of(comm), keyval);
  return outcome_of_callbacks(function, object_of(comm),
                              object->attributes().set(comm, found, value));
}

// Those of IMPI (impi.h), or null. A job of one system is one client on one host.
int* attribute_of_impi(const Comm& comm, int keyval) {
  if (keyval < IMPI_CLIENT_SIZE || keyval > IMPI_HOST_COLOR) return nullptr;
  auto which = static_cast<impi::Systems::Attribute>(keyval - IMPI_CLIENT_SIZE);
  if (impi::Systems* systems = world.engine->systems()) return systems->attribute(comm, which);
  return &world.attributes.one_system[keyval - IMPI_CLIENT_SIZE];
}

// The value goes to a pointer of the caller, whose type the interface hides.
int get(const char* function, MPI_Comm comm, int keyval, void* value, int* flag) {
  Comm* object = find_comm(comm);
  if (object == nullptr) return raise_not_comm(function, comm);
  if (value == nullptr) return raise(function, comm, MPI_ERR_ARG, null_pointer("attribute_val"));
  if (flag == nullptr) return raise(function, comm, MPI_ERR_ARG, null_pointer("flag"));
  EngineGuard guard(world.engine->progress());
  int* own = world.attributes.find(keyval);
  if (own == nullptr) own = attribute_of_impi(*object, keyval);
  if (own == nullptr && find_keyval(KeyvalOf::communicator, keyval) == nullptr) {
    return raise_not_keyval(function, object_of(comm), keyval);
  }
  void* const* users = own == nullptr ? object->attributes().find(keyval) : nullptr;
  *flag = own != nullptr || users != nullptr ? 1 : 0;
  if (*flag != 0) *static_cast<void**>(value) = own != nullptr ? own : *users;
  return MPI_SUCCESS;
}

int erase(const char* function, MPI_Comm comm, int keyval) {
  Comm* object = find_comm(comm);
  if (object == nullptr) return raise_not_comm(function, comm);
  EngineGuard guard(world.engine->progress());
  if (!deletable(KeyvalOf::communicator, keyval, object->attributes())) {
    return raise_not_keyval(function, object_of(comm), keyval);
  }
  return outcome_of_callbacks(function, object_of(comm), object->attributes().erase(comm, keyval));
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Comm_create_keyval)
extern "C" int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function* comm_copy_attr_fn,
                                       MPI_Comm_delete_attr_function* comm_delete_attr_fn,
                                       int* comm_keyval, void* extra_state) {
  return create("MPI_Comm_create_keyval", comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval,
                extra_state);
}

TESSERA_WEAK_ALIAS(MPI_Comm_free_keyval)
extern "C" int PMPI_Comm_free_keyval(int* comm_keyval) {
  return free_keyval("MPI_Comm_free_keyval", KeyvalOf::communicator, comm_keyval);
}

TESSERA_WEAK_ALIAS(MPI_Comm_set_attr)
extern "C" int PMPI_Comm_set_attr(MPI_Comm comm, int comm_keyval, void* attribute_val) {
  return set("MPI_Comm_set_attr", comm, comm_keyval, attribute_val);
}

TESSERA_WEAK_ALIAS(MPI_Comm_get_attr)
extern "C" int PMPI_Comm_get_attr(MPI_Comm comm, int comm_keyval, void* attribute_val, int* flag) {
  return get("MPI_Comm_get_attr", comm, comm_keyval, attribute_val, flag);
}

TESSERA_WEAK_ALIAS(MPI_Comm_delete_attr)
extern "C" int PMPI_Comm_delete_attr(MPI_Comm comm, int comm_keyval) {
  return erase("MPI_Comm_delete_attr", comm, comm_keyval);
}

TESSERA_WEAK_ALIAS(MPI_Keyval_create)
extern "C" int PMPI_Keyval_create(MPI_Copy_function* copy_fn, MPI_Delete_function* delete_fn,
                                  int* keyval, void* extra_state) {
  return create("MPI_Keyval_create", copy_fn, delete_fn, keyval, extra_state);
}

TESSERA_WEAK_ALIAS(MPI_Keyval_free)
extern "C" int PMPI_Keyval_free(int* keyval) {
  return free_keyval("MPI_Keyval_free", KeyvalOf::communicator, keyval);
}

TESSERA_WEAK_ALIAS(MPI_Attr_put)
extern "C" int PMPI_Attr_put(MPI_Comm comm, int keyval, void* attribute_val) {
  return set("MPI_Attr_put", comm, keyval, attribute_val);
}

TESSERA_WEAK_ALIAS(MPI_Attr_get)
extern "C" int PMPI_Attr_get(MPI_Comm comm, int keyval, void* attribute_val, int* flag) {
  return get("MPI_Attr_get", comm, keyval, attribute_val, flag);
}

TESSERA_WEAK_ALIAS(MPI_Attr_delete)
extern "C" int PMPI_Attr_delete(MPI_Comm comm, int keyval) {
  return erase("MPI_Attr_delete", comm, keyval);
}
