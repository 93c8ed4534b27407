/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_fortran.h: statuses of mpi_f08 and ignored statuses of Fortran, for C code that talks with it
 * (MPI 5.0, section 19.3.5). Link with -lmpifort_abi. Handles and statuses of mpif.h: mpi.h. */
#ifndef TESSERA_MPI_FORTRAN_H
#define TESSERA_MPI_FORTRAN_H

#include <mpi.h>
#include <string.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* A status of mpi_f08: the same integers as MPI_Status. */
typedef MPI_Status MPI_F08_status;

/* What Fortran passes where it wants no status. */
extern int* const MPI_F_STATUS_IGNORE;
extern int* const MPI_F_STATUSES_IGNORE;
extern MPI_F08_status* const MPI_F08_STATUS_IGNORE;
extern MPI_F08_status* const MPI_F08_STATUSES_IGNORE;

static inline int MPI_Status_c2f08(const MPI_Status* c_status, MPI_F08_status* f08_status) {
  return memcpy(f08_status, c_status, sizeof *c_status) == NULL;
}
static inline int MPI_Status_f082c(const MPI_F08_status* f08_status, MPI_Status* c_status) {
  return memcpy(c_status, f08_status, sizeof *c_status) == NULL;
}
static inline int MPI_Status_f2f08(const int* f_status, MPI_F08_status* f08_status) {
  return memcpy(f08_status, f_status, sizeof *f08_status) == NULL;
}
static inline int MPI_Status_f082f(const MPI_F08_status* f08_status, int* f_status) {
  return memcpy(f_status, f08_status, sizeof *f08_status) == NULL;
}

#if defined(__cplusplus)
}
#endif

#endif
