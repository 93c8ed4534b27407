/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of one C function in Fortran.
 *
 * A procedure mpi_… calls MPI_…, so that tools which replace the C function see the calls of
 * Fortran too. The build makes pmpi_… that calls PMPI_… of the same code (profiling-names.sh).
 * F08(name) gives the function a second symbol, the specific procedure of module mpi_f08: an
 * interface there differs from that of mpif.h by nothing that the machine sees. CPTR(name) does the
 * same for the specific of module mpi that has a TYPE(C_PTR) for an address.
 */
#pragma once

#define F(name) mpi_##name##_
#define TESSERA_ALSO(name, ending) \
  extern "C" __attribute__((alias("mpi_" #name "_"))) decltype(mpi_##name##_) mpi_##name##ending;
#define F08(name) TESSERA_ALSO(name, _f08_)
#define CPTR(name) TESSERA_ALSO(name, _cptr_)
