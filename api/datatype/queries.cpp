// SPDX-License-Identifier: BSD-3-Clause
// What datatypes are: sizes and extents (MPI-5.0 §5.1.5-5.1.8), with the names of MPI-1.
#include <limits>

#include "api/datatype/type_handle.h"
#include "api/errors/error.h"

using namespace tessera;
using namespace tessera::api;

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // the names of MPI-1

namespace {

// MPI_UNDEFINED where a number does not fit.
template <class Number>
Number fitted(Count value) noexcept {
  const bool fits =
      value >= std::numeric_limits<Number>::min() && value <= std::numeric_limits<Number>::max();
  return fits ? static_cast<Number>(value) : static_cast<Number>(MPI_UNDEFINED);
}

// Stores what `read` says of a type.
template <class Number, class Read>
int read_type(const char* function, MPI_Datatype datatype, const char* name, Number* result,
              Read read) {
  const TypeObject* type = find_type(datatype);
  if (type == nullptr || world.over()) return raise_not_type(function, datatype);
  if (result == nullptr) return raise(function, MPI_ERR_ARG, null_pointer(name));
  *result = fitted<Number>(read(*type));
  return MPI_SUCCESS;
}

template <class Number>
int get_size(const char* function, MPI_Datatype datatype, Number* size) {
  return read_type(function, datatype, "size", size, [](const TypeObject& t) { return t.size(); });
}

template <class Number>
int get_extent(const char* function, MPI_Datatype datatype, Number* lb, Number* extent) {
  const int code =
      read_type(function, datatype, "lb", lb, [](const TypeObject& t) { return t.lb(); });
  if (code != MPI_SUCCESS) return code;
  return read_type(function, datatype, "extent", extent,
                   [](const TypeObject& t) { return t.extent(); });
}

template <class Number>
int get_true_extent(const char* function, MPI_Datatype datatype, Number* lb, Number* extent) {
  const int code =
      read_type(function, datatype, "true_lb", lb, [](const TypeObject& t) { return t.true_lb(); });
  if (code != MPI_SUCCESS) return code;
  return read_type(function, datatype, "true_extent", extent,
                   [](const TypeObject& t) { return t.true_extent(); });
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Type_size)
extern "C" int PMPI_Type_size(MPI_Datatype datatype, int* size) {
  return get_size("MPI_Type_size", datatype, size);
}

TESSERA_WEAK_ALIAS(MPI_Type_size_c)
extern "C" int PMPI_Type_size_c(MPI_Datatype datatype, MPI_Count* size) {
  return get_size("MPI_Type_size_c", datatype, size);
}

TESSERA_WEAK_ALIAS(MPI_Type_size_x)
extern "C" int PMPI_Type_size_x(MPI_Datatype datatype, MPI_Count* size) {
  return get_size("MPI_Type_size_x", datatype, size);
}

TESSERA_WEAK_ALIAS(MPI_Type_get_extent)
extern "C" int PMPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent) {
  return get_extent("MPI_Type_get_extent", datatype, lb, extent);
}

TESSERA_WEAK_ALIAS(MPI_Type_get_extent_c)
extern "C" int PMPI_Type_get_extent_c(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
  return get_extent("MPI_Type_get_extent_c", datatype, lb, extent);
}

TESSERA_WEAK_ALIAS(MPI_Type_get_extent_x)
extern "C" int PMPI_Type_get_extent_x(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
  return get_extent("MPI_Type_get_extent_x", datatype, lb, extent);
}

TESSERA_WEAK_ALIAS(MPI_Type_get_true_extent)
extern "C" int PMPI_Type_get_true_extent(MPI_Datatype datatype, MPI_Aint* true_lb,
                                         MPI_Aint* true_extent) {
  return get_true_extent("MPI_Type_get_true_extent", datatype, true_lb, true_extent);
}

TESSERA_WEAK_ALIAS(MPI_Type_get_true_extent_c)
extern "C" int PMPI_Type_get_true_extent_c(MPI_Datatype datatype, MPI_Count* true_lb,
                                           MPI_Count* true_extent) {
  return get_true_extent("MPI_Type_get_true_extent_c", datatype, true_lb, true_extent);
}

TESSERA_WEAK_ALIAS(MPI_Type_get_true_extent_x)
extern "C" int PMPI_Type_get_true_extent_x(MPI_Datatype datatype, MPI_Count* true_lb,
                                           MPI_Count* true_extent) {
  return get_true_extent("MPI_Type_get_true_extent_x", datatype, true_lb, true_extent);
}

TESSERA_WEAK_ALIAS(MPI_Type_extent)
extern "C" int PMPI_Type_extent(MPI_Datatype datatype, MPI_Aint* extent) {
  return read_type("MPI_Type_extent", datatype, "extent", extent,
                   [](const TypeObject& t) { return t.extent(); });
}

TESSERA_WEAK_ALIAS(MPI_Type_lb)
extern "C" int PMPI_Type_lb(MPI_Datatype datatype, MPI_Aint* displacement) {
  return read_type("MPI_Type_lb", datatype, "displacement", displacement,
                   [](const TypeObject& t) { return t.lb(); });
}

TESSERA_WEAK_ALIAS(MPI_Type_ub)
extern "C" int PMPI_Type_ub(MPI_Datatype datatype, MPI_Aint* displacement) {
  return read_type("MPI_Type_ub", datatype, "displacement", displacement,
                   [](const TypeObject& t) { return t.lb() + t.extent(); });
}
