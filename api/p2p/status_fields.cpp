// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing the public fields of a status (MPI 4.1 and later, section 3.2.5).
#include "api/api.h"
#include "api/errors/error.h"

using namespace tessera::api;

namespace {

int get_field(const char* function, const MPI_Status* status, int MPI_Status::*field,
              const char* name, int* value) {
  if (status == MPI_STATUS_IGNORE) {
    return raise(function, MPI_ERR_ARG,
                 "argument `status` is MPI_STATUS_IGNORE; it must point to a status");
  }
  if (value == nullptr) return raise(function, MPI_ERR_ARG, null_pointer(name));
  *value = status->*field;
  return MPI_SUCCESS;
}

int set_field(const char* function, MPI_Status* status, int MPI_Status::*field, int value) {
  if (status == MPI_STATUS_IGNORE) {
    return raise(function, MPI_ERR_ARG,
                 "argument `status` is MPI_STATUS_IGNORE; it must point to a status");
  }
  status->*field = value;
  return MPI_SUCCESS;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Status_get_source)
extern "C" int PMPI_Status_get_source(const MPI_Status* status, int* source) {
  return get_field("MPI_Status_get_source", status, &MPI_Status::MPI_SOURCE, "source", source);
}

TESSERA_WEAK_ALIAS(MPI_Status_get_tag)
extern "C" int PMPI_Status_get_tag(const MPI_Status* status, int* tag) {
  return get_field("MPI_Status_get_tag", status, &MPI_Status::MPI_TAG, "tag", tag);
}

TESSERA_WEAK_ALIAS(MPI_Status_get_error)
extern "C" int PMPI_Status_get_error(const MPI_Status* status, int* error) {
  return get_field("MPI_Status_get_error", status, &MPI_Status::MPI_ERROR, "error", error);
}

TESSERA_WEAK_ALIAS(MPI_Status_set_source)
extern "C" int PMPI_Status_set_source(MPI_Status* status, int source) {
  return set_field("MPI_Status_set_source", status, &MPI_Status::MPI_SOURCE, source);
}

TESSERA_WEAK_ALIAS(MPI_Status_set_tag)
extern "C" int PMPI_Status_set_tag(MPI_Status* status, int tag) {
  return set_field("MPI_Status_set_tag", status, &MPI_Status::MPI_TAG, tag);
}

TESSERA_WEAK_ALIAS(MPI_Status_set_error)
extern "C" int PMPI_Status_set_error(MPI_Status* status, int error) {
  return set_field("MPI_Status_set_error", status, &MPI_Status::MPI_ERROR, error);
}
