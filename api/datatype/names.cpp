// SPDX-License-Identifier: BSD-3-Clause
// Names of datatypes (MPI-5.0 §7.8).
#include "api/names.h"
#include "api/datatype/arguments.h"

using namespace tessera;
using namespace tessera::api;

TESSERA_WEAK_ALIAS(MPI_Type_set_name)
extern "C" int PMPI_Type_set_name(MPI_Datatype datatype, const char* type_name) {
  TypeArguments arguments("MPI_Type_set_name");
  if (arguments.comm() == nullptr || !arguments.old_type(datatype, "datatype") ||
      !arguments.input(type_name, "type_name")) {
    return arguments.raised();
  }
  EngineGuard guard(world.engine->progress());
  find_type(datatype)->set_name(name_from(type_name));
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Type_get_name)
extern "C" int PMPI_Type_get_name(MPI_Datatype datatype, char* type_name, int* resultlen) {
  TypeArguments arguments("MPI_Type_get_name");
  const bool null = datatype == MPI_DATATYPE_NULL;
  if (arguments.comm() == nullptr || (!null && !arguments.old_type(datatype, "datatype")) ||
      !arguments.pointer(type_name, "type_name") || !arguments.pointer(resultlen, "resultlen")) {
    return arguments.raised();
  }
  store_name(null ? "MPI_DATATYPE_NULL" : arguments.old().name(), type_name, resultlen);
  return MPI_SUCCESS;
}
