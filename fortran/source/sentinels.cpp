// SPDX-License-Identifier: BSD-3-Clause
// The library's part of the COMMON blocks. Its definition gives way to the one of the program.
#include "fortran/source/sentinels.h"

extern "C" {
alignas(64) TesseraAddresses mpi_fortran_addresses_ = {};
alignas(64) TesseraStatuses mpi_fortran_statuses_ = {};
alignas(64) TesseraStrings mpi_fortran_strings_ = {};

// For C (include/mpi_fortran.h): pointers, because the addresses are known at run time only.
extern int* const MPI_F_STATUS_IGNORE;
extern int* const MPI_F_STATUSES_IGNORE;
extern MPI_Status* const MPI_F08_STATUS_IGNORE;
extern MPI_Status* const MPI_F08_STATUSES_IGNORE;
int* const MPI_F_STATUS_IGNORE = mpi_fortran_statuses_.status_ignore;
int* const MPI_F_STATUSES_IGNORE = mpi_fortran_statuses_.statuses_ignore;
MPI_Status* const MPI_F08_STATUS_IGNORE =
    reinterpret_cast<MPI_Status*>(mpi_fortran_statuses_.status_ignore);
MPI_Status* const MPI_F08_STATUSES_IGNORE =
    reinterpret_cast<MPI_Status*>(mpi_fortran_statuses_.statuses_ignore);
}
