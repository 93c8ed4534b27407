// SPDX-License-Identifier: BSD-3-Clause
// Committing, duplicating and freeing datatypes (MPI-5.0 §5.1.9, §5.1.10).
#include "api/comm/attributes.h"
#include "api/datatype/arguments.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// The type behind a pointer to a handle; null, with the report kept, if there is none.
TypeObject* own_type(TypeArguments& arguments, const MPI_Datatype* datatype) {
  if (arguments.comm() == nullptr || !arguments.pointer(datatype, "datatype")) return nullptr;
  return arguments.old_type(*datatype, "datatype") ? find_type(*datatype) : nullptr;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Type_commit)
extern "C" int PMPI_Type_commit(MPI_Datatype* datatype) {
  TypeArguments arguments("MPI_Type_commit");
  TypeObject* type = own_type(arguments, datatype);
  if (type == nullptr) return arguments.raised();
  if (!type->committed()) type->commit();
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Type_free)
extern "C" int PMPI_Type_free(MPI_Datatype* datatype) {
  constexpr const char* function = "MPI_Type_free";
  TypeArguments arguments(function);
  TypeObject* type = own_type(arguments, datatype);
  if (type == nullptr) return arguments.raised();
  if (type->predefined()) {
    arguments.fail(
        MPI_ERR_TYPE,
        "argument `datatype` is predefined and cannot be freed; types that functions returned can");
    return arguments.raised();
  }
  EngineGuard guard(world.engine->progress());
  if (const int code = type->attributes().clear(*datatype); code != MPI_SUCCESS) {
    return outcome_of_callbacks(function, no_object(), code);
  }
  type->release();
  *datatype = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Type_dup)
extern "C" int PMPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype) {
  constexpr const char* function = "MPI_Type_dup";
  TypeArguments arguments(function);
  if (arguments.comm() == nullptr || !arguments.old_type(oldtype) ||
      !arguments.pointer(newtype, "newtype")) {
    return arguments.raised();
  }
  EngineGuard guard(world.engine->progress());
  auto made = make_dup(arguments.old());
  if (!made.ok()) return arguments.raised(made.status());
  const int code = find_type(oldtype)->attributes().copy_to(oldtype, (*made)->attributes());
  if (code == MPI_SUCCESS) return arguments.conclude(std::move(made), newtype);
  static_cast<void>((*made)->attributes().clear(handle_of(**made)));
  (*made)->release();
  return outcome_of_callbacks(function, no_object(), code);
}
