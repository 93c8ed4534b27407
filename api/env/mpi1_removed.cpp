// SPDX-License-Identifier: BSD-3-Clause
// Functions of MPI-1 that MPI 3.0 removed, for programs that still call them.
#include "api/api.h"
#include "api/errors/error.h"

#pragma GCC diagnostic ignored \
    "-Wdeprecated-declarations"  // mpi.h warns those who use what is defined here

using namespace tessera::api;

TESSERA_WEAK_ALIAS(MPI_Address)
extern "C" int PMPI_Address(void* location, MPI_Aint* address) {
  if (address == nullptr) return raise("MPI_Address", MPI_ERR_ARG, null_pointer("address"));
  *address = reinterpret_cast<MPI_Aint>(location);
  return MPI_SUCCESS;
}
