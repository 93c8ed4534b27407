// SPDX-License-Identifier: BSD-3-Clause
// The arguments that Fortran recognises by their address (MPI 5.0, section 2.5.4).
#pragma once
//
// They are variables in three COMMON blocks, the same in mpif.h and in the modules. Each object
// file that names them has the block, and so has this library; the dynamic linker makes them one,
// which is why the library must export them and must not be linked with -Bsymbolic. MPI_INIT called
// from Fortran checks it.
//
#include <mpi.h>

#include <cstdint>

extern "C" {
struct TesseraAddresses {
  int bottom, in_place, buffer_automatic, unweighted, weights_empty, errcodes_ignore;
};
struct TesseraStatuses {
  int status_ignore[8], statuses_ignore[8];
};
struct TesseraStrings {
  char argv_null, argvs_null;
};
extern TesseraAddresses mpi_fortran_addresses_;
extern TesseraStatuses mpi_fortran_statuses_;
extern TesseraStrings mpi_fortran_strings_;
}

namespace tessera::fortran {

// One comparison tells an ordinary buffer from the special ones.
inline bool is_special(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address) -
             reinterpret_cast<std::uintptr_t>(&mpi_fortran_addresses_) <
         sizeof mpi_fortran_addresses_;
}

inline bool is_in_place(const void* address) noexcept {
  return address == &mpi_fortran_addresses_.in_place;
}

inline void* special(void* address) noexcept {
  if (address == &mpi_fortran_addresses_.bottom) return MPI_BOTTOM;
  if (address == &mpi_fortran_addresses_.in_place) return MPI_IN_PLACE;
  if (address == &mpi_fortran_addresses_.buffer_automatic) return MPI_BUFFER_AUTOMATIC;
  return address;
}

inline void* choice(void* buffer) noexcept {
  return is_special(buffer) ? special(buffer) : buffer;
}
inline const void* choice(const void* buffer) noexcept {
  return choice(const_cast<void*>(buffer));
}

inline int* weights_at(int* array) noexcept {
  if (array == &mpi_fortran_addresses_.unweighted) return MPI_UNWEIGHTED;
  return array == &mpi_fortran_addresses_.weights_empty ? MPI_WEIGHTS_EMPTY : array;
}
inline const int* weights_at(const int* array) noexcept {
  return weights_at(const_cast<int*>(array));
}

inline int* errcodes_at(int* array) noexcept {
  return array == &mpi_fortran_addresses_.errcodes_ignore ? MPI_ERRCODES_IGNORE : array;
}

// A status of Fortran is a status of C: eight integers in the same order. So it is passed on, never
// copied.
inline MPI_Status* status_at(int* integers) noexcept {
  const bool ignored = integers == mpi_fortran_statuses_.status_ignore ||
                       integers == mpi_fortran_statuses_.statuses_ignore;
  return ignored ? MPI_STATUS_IGNORE : reinterpret_cast<MPI_Status*>(integers);
}
inline const MPI_Status* status_at(const int* integers) noexcept {
  return reinterpret_cast<const MPI_Status*>(integers);
}

}  // namespace tessera::fortran
