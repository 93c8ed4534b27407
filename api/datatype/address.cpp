// SPDX-License-Identifier: BSD-3-Clause
// Addresses as integers (MPI 5.0, section 5.1.5).
#include <cstdint>

#include "api/api.h"
#include "api/errors/error.h"

using namespace tessera::api;

TESSERA_WEAK_ALIAS(MPI_Get_address)
extern "C" int PMPI_Get_address(const void* location, MPI_Aint* address) {
  if (address == nullptr) return raise("MPI_Get_address", MPI_ERR_ARG, null_pointer("address"));
  *address = reinterpret_cast<MPI_Aint>(location);
  return MPI_SUCCESS;
}

// Addresses wrap around like those of the machine, hence the unsigned arithmetic.
TESSERA_WEAK_ALIAS(MPI_Aint_add)
extern "C" MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint disp) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(base) +
                               static_cast<std::uintptr_t>(disp));
}

TESSERA_WEAK_ALIAS(MPI_Aint_diff)
extern "C" MPI_Aint PMPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(addr1) -
                               static_cast<std::uintptr_t>(addr2));
}
