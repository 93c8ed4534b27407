/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of one C function in Fortran.
 *
 * Every file that defines procedures is compiled twice: as mpi_… that calls MPI_…, so that tools
 * which replace the C function see the calls of Fortran too, and with TESSERA_FORTRAN_PROFILING as
 * pmpi_… that calls PMPI_…. F08(name) gives the function a second symbol, the specific procedure of
 * module mpi_f08: an interface there differs from that of mpif.h by nothing that the machine sees.
 * CPTR(name) does the same for the specific of module mpi that has a TYPE(C_PTR) for an address.
 */
#pragma once

#ifdef TESSERA_FORTRAN_PROFILING
#define TESSERA_PREFIXED(name) pmpi_##name
#define TESSERA_EXTENSION(name) pmpix_##name
#define C(name) PMPI_##name
#define CX(name) PMPIX_##name
#else
#define TESSERA_PREFIXED(name) mpi_##name
#define TESSERA_EXTENSION(name) mpix_##name
#define C(name) MPI_##name
#define CX(name) MPIX_##name
#endif

#define TESSERA_TEXT_OF(name) #name
#define TESSERA_TEXT(name) TESSERA_TEXT_OF(name)

#define F(name) TESSERA_PREFIXED(name##_)
#define TESSERA_ALSO(name, ending)                                                               \
  extern "C"                                                                                     \
      __attribute__((alias(TESSERA_TEXT(TESSERA_PREFIXED(name##_))))) decltype(TESSERA_PREFIXED( \
          name##_)) TESSERA_PREFIXED(name##ending);
#define F08(name) TESSERA_ALSO(name, _f08_)
#define CPTR(name) TESSERA_ALSO(name, _cptr_)
