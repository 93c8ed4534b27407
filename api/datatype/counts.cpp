// SPDX-License-Identifier: BSD-3-Clause
// How much a message brought: MPI_Get_count (MPI-5.0 §3.2.5).
#include <limits>

#include "api/datatype/type_handle.h"
#include "api/errors/error.h"
#include "api/p2p/status.h"
#include "core/datatype/external32.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// Whole elements, or MPI_UNDEFINED.
Count whole_elements(std::uint64_t bytes, const TypeObject& type) noexcept {
  if (type.size() == 0) return bytes == 0 ? 0 : MPI_UNDEFINED;
  const std::uint64_t size = static_cast<std::uint64_t>(type.size());
  return bytes % size == 0 ? static_cast<Count>(bytes / size) : MPI_UNDEFINED;
}

// What `read` finds in a status.
template <class Number, class Read>
int get(const char* function, const MPI_Status* status, MPI_Datatype datatype, Number* count,
        Read read) {
  if (status == MPI_STATUS_IGNORE) {
    return raise(function, MPI_ERR_ARG,
                 "argument `status` is MPI_STATUS_IGNORE; it must be a status");
  }
  const TypeObject* type = find_type(datatype);
  if (type == nullptr) return raise_not_type(function, datatype);
  if (count == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("count"));
  const Count found = read(bytes_here(bytes_of(*status), *type), *type);
  *count = found > std::numeric_limits<Number>::max() ? Number{MPI_UNDEFINED}
                                                      : static_cast<Number>(found);
  return MPI_SUCCESS;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Get_count)
extern "C" int PMPI_Get_count(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  return get("MPI_Get_count", status, datatype, count, whole_elements);
}

TESSERA_WEAK_ALIAS(MPI_Get_count_c)
extern "C" int PMPI_Get_count_c(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return get("MPI_Get_count_c", status, datatype, count, whole_elements);
}
