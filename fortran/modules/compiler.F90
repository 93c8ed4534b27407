! SPDX-License-Identifier: BSD-3-Clause
! What the C side has to know of the compiler: the bits of its truth values and the sizes of its
! default kinds.
module tessera_mpi_compiler
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer(c_int), bind(C, name="tessera_fortran_logical") :: logicals(2) = &
      [transfer(.false., 0_c_int), transfer(.true., 0_c_int)]
  integer(c_int), bind(C, name="tessera_fortran_sizes") :: sizes(4) = &
      [storage_size(.true.) / 8, storage_size(0) / 8, storage_size(0.0) / 8, storage_size(0d0) / 8]
end module tessera_mpi_compiler
