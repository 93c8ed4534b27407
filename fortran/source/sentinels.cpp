// SPDX-License-Identifier: BSD-3-Clause
// The library's part of the COMMON blocks. Its definition gives way to the one of the program.
#include "fortran/source/sentinels.h"

extern "C" {
alignas(64) TesseraAddresses mpi_fortran_addresses_ = {};
alignas(64) TesseraStatuses mpi_fortran_statuses_ = {};
alignas(64) TesseraStrings mpi_fortran_strings_ = {};
}
