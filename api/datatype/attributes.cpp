// SPDX-License-Identifier: BSD-3-Clause
// Attributes of datatypes (MPI-5.0 §7.7.4).
#include "api/comm/attributes.h"
#include "api/datatype/type_handle.h"
#include "api/env/world.h"

using namespace tessera;
using namespace tessera::api;

TESSERA_WEAK_ALIAS(MPI_Type_create_keyval)
extern "C" int PMPI_Type_create_keyval(MPI_Type_copy_attr_function* type_copy_attr_fn,
                                       MPI_Type_delete_attr_function* type_delete_attr_fn,
                                       int* type_keyval, void* extra_state) {
  return create_keyval("MPI_Type_create_keyval", KeyvalOf::datatype,
                       reinterpret_cast<Keyval::Copy>(type_copy_attr_fn),
                       reinterpret_cast<Keyval::Delete>(type_delete_attr_fn), extra_state,
                       type_keyval);
}

TESSERA_WEAK_ALIAS(MPI_Type_free_keyval)
extern "C" int PMPI_Type_free_keyval(int* type_keyval) {
  return free_keyval("MPI_Type_free_keyval", KeyvalOf::datatype, type_keyval);
}

TESSERA_WEAK_ALIAS(MPI_Type_set_attr)
extern "C" int PMPI_Type_set_attr(MPI_Datatype datatype, int type_keyval, void* attribute_val) {
  constexpr const char* function = "MPI_Type_set_attr";
  TypeObject* type = find_type(datatype);
  if (type == nullptr || !world.active()) return raise_not_type(function, datatype);
  EngineGuard guard(world.engine->progress());
  const auto keyval = find_keyval(KeyvalOf::datatype, type_keyval);
  if (keyval == nullptr) return raise_not_keyval(function, no_object(), type_keyval);
  return outcome_of_callbacks(function, no_object(),
                              type->attributes().set(datatype, keyval, attribute_val));
}

TESSERA_WEAK_ALIAS(MPI_Type_get_attr)
extern "C" int PMPI_Type_get_attr(MPI_Datatype datatype, int type_keyval, void* attribute_val,
                                  int* flag) {
  constexpr const char* function = "MPI_Type_get_attr";
  TypeObject* type = find_type(datatype);
  if (type == nullptr || !world.active()) return raise_not_type(function, datatype);
  if (attribute_val == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("attribute_val"));
  if (flag == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("flag"));
  EngineGuard guard(world.engine->progress());
  if (find_keyval(KeyvalOf::datatype, type_keyval) == nullptr) {
    return raise_not_keyval(function, no_object(), type_keyval);
  }
  void* const* value = type->attributes().find(type_keyval);
  *flag = value != nullptr ? 1 : 0;
  if (value != nullptr) *static_cast<void**>(attribute_val) = *value;
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Type_delete_attr)
extern "C" int PMPI_Type_delete_attr(MPI_Datatype datatype, int type_keyval) {
  constexpr const char* function = "MPI_Type_delete_attr";
  TypeObject* type = find_type(datatype);
  if (type == nullptr || !world.active()) return raise_not_type(function, datatype);
  EngineGuard guard(world.engine->progress());
  if (!deletable(KeyvalOf::datatype, type_keyval, type->attributes())) {
    return raise_not_keyval(function, no_object(), type_keyval);
  }
  return outcome_of_callbacks(function, no_object(),
                              type->attributes().erase(datatype, type_keyval));
}
