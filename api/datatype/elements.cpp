// SPDX-License-Identifier: BSD-3-Clause
// How many basic elements a message brought (MPI-5.0 §5.1.11), and saying so in one's own status
// (§13.3).
#include "core/datatype/elements.h"

#include <limits>

#include "api/datatype/type_handle.h"
#include "api/errors/error.h"
#include "api/p2p/status.h"
#include "core/datatype/external32.h"

using namespace tessera;
using namespace tessera::api;

namespace {

int raise_ignored(const char* function) {
  return raise(function, MPI_ERR_ARG,
               "argument `status` is MPI_STATUS_IGNORE; it must be a status");
}

template <class Number>
int get(const char* function, const MPI_Status* status, MPI_Datatype datatype, Number* count) {
  if (status == MPI_STATUS_IGNORE) return raise_ignored(function);
  const TypeObject* type = find_type(datatype);
  if (type == nullptr) return raise_not_type(function, datatype);
  if (count == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("count"));
  const auto bytes = static_cast<Count>(bytes_here(bytes_of(*status), *type));
  const Count found = elements_in(*type, bytes).value_or(MPI_UNDEFINED);
  *count = found > std::numeric_limits<Number>::max() ? Number{MPI_UNDEFINED}
                                                      : static_cast<Number>(found);
  return MPI_SUCCESS;
}

int set(const char* function, MPI_Status* status, MPI_Datatype datatype, Count count) {
  if (status == MPI_STATUS_IGNORE) return raise_ignored(function);
  const TypeObject* type = find_type(datatype);
  if (type == nullptr) return raise_not_type(function, datatype);
  if (count < 0)
    return raise(function, MPI_ERR_COUNT, "argument `count` is negative; it must not be");
  set_bytes(*status, static_cast<std::uint64_t>(bytes_of_elements(*type, count)));
  return MPI_SUCCESS;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Get_elements)
extern "C" int PMPI_Get_elements(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  return get("MPI_Get_elements", status, datatype, count);
}

TESSERA_WEAK_ALIAS(MPI_Get_elements_c)
extern "C" int PMPI_Get_elements_c(const MPI_Status* status, MPI_Datatype datatype,
                                   MPI_Count* count) {
  return get("MPI_Get_elements_c", status, datatype, count);
}

TESSERA_WEAK_ALIAS(MPI_Get_elements_x)
extern "C" int PMPI_Get_elements_x(const MPI_Status* status, MPI_Datatype datatype,
                                   MPI_Count* count) {
  return get("MPI_Get_elements_x", status, datatype, count);
}

TESSERA_WEAK_ALIAS(MPI_Status_set_elements)
extern "C" int PMPI_Status_set_elements(MPI_Status* status, MPI_Datatype datatype, int count) {
  return set("MPI_Status_set_elements", status, datatype, count);
}

TESSERA_WEAK_ALIAS(MPI_Status_set_elements_c)
extern "C" int PMPI_Status_set_elements_c(MPI_Status* status, MPI_Datatype datatype,
                                          MPI_Count count) {
  return set("MPI_Status_set_elements_c", status, datatype, count);
}

TESSERA_WEAK_ALIAS(MPI_Status_set_elements_x)
extern "C" int PMPI_Status_set_elements_x(MPI_Status* status, MPI_Datatype datatype,
                                          MPI_Count count) {
  return set("MPI_Status_set_elements_x", status, datatype, count);
}
