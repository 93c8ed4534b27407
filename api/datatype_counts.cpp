// SPDX-License-Identifier: BSD-3-Clause
// How much a message brought: MPI_Get_count (MPI-5.0 §3.2.5).
#include <limits>

#include "api/error.h"
#include "api/status.h"
#include "api/type_handle.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// Whole elements, or MPI_UNDEFINED.
Count elements_in(std::uint64_t bytes, const TypeObject& type) noexcept {
  if (type.size() == 0) return bytes == 0 ? 0 : MPI_UNDEFINED;
  const std::uint64_t size = static_cast<std::uint64_t>(type.size());
  return bytes % size == 0 ? static_cast<Count>(bytes / size) : MPI_UNDEFINED;
}

template <class Number>
int get_count(const char* function, const MPI_Status* status, MPI_Datatype datatype, Number* count) {
  if (status == MPI_STATUS_IGNORE) {
    return raise(function, MPI_ERR_ARG, "argument `status` is MPI_STATUS_IGNORE; it must be a status");
  }
  const TypeObject* type = find_type(datatype);
  if (type == nullptr) return raise_not_type(function, datatype);
  if (count == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("count"));
  const Count whole = elements_in(bytes_of(*status), *type);
  *count = whole > std::numeric_limits<Number>::max() ? Number{MPI_UNDEFINED} : static_cast<Number>(whole);
  return MPI_SUCCESS;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Get_count)
extern "C" int PMPI_Get_count(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  return get_count("MPI_Get_count", status, datatype, count);
}

TESSERA_WEAK_ALIAS(MPI_Get_count_c)
extern "C" int PMPI_Get_count_c(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return get_count("MPI_Get_count_c", status, datatype, count);
}
