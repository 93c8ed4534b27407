// SPDX-License-Identifier: BSD-3-Clause
// The binary interface describes itself (MPI 5.0, chapter 20).
#include <string>

#include "api/api.h"
#include "api/env/info_handle.h"
#include "api/errors/error.h"
#include "api/handle.h"

using namespace tessera;
using namespace tessera::api;

TESSERA_WEAK_ALIAS(MPI_Abi_get_version)
extern "C" int PMPI_Abi_get_version(int* abi_major, int* abi_minor) {
  if (abi_major == nullptr)
    return raise("MPI_Abi_get_version", MPI_ERR_ARG, null_pointer("abi_major"));
  if (abi_minor == nullptr)
    return raise("MPI_Abi_get_version", MPI_ERR_ARG, null_pointer("abi_minor"));
  *abi_major = MPI_ABI_VERSION;
  *abi_minor = MPI_ABI_SUBVERSION;
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Abi_get_info)
extern "C" int PMPI_Abi_get_info(MPI_Info* info) {
  if (info == nullptr) return raise("MPI_Abi_get_info", MPI_ERR_ARG, null_pointer("info"));
  auto* sizes = new Info;
  sizes->set("mpi_aint_size", std::to_string(sizeof(MPI_Aint)));
  sizes->set("mpi_count_size", std::to_string(sizeof(MPI_Count)));
  sizes->set("mpi_offset_size", std::to_string(sizeof(MPI_Offset)));
  *info = handle_of<MPI_Info>(sizes);
  return MPI_SUCCESS;
}
