! SPDX-License-Identifier: BSD-3-Clause
! What the C side has to know of the compiler: the bits of its truth values, the sizes of its
! default kinds, and which kinds of 1, 2, 4, 8 and 16 bytes it has (LOGICAL, then INTEGER, then
! REAL).
module tessera_mpi_compiler
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: logical_kinds, integer_kinds, real_kinds
  implicit none
  integer(c_int), bind(C, name="tessera_fortran_logical") :: logicals(2) = &
      [transfer(.false., 0_c_int), transfer(.true., 0_c_int)]
  integer(c_int), bind(C, name="tessera_fortran_sizes") :: sizes(4) = &
      [storage_size(.true.) / 8, storage_size(0) / 8, storage_size(0.0) / 8, storage_size(0d0) / 8]
  integer(c_int), bind(C, name="tessera_fortran_kinds") :: kinds(15) = [ &
      count(logical_kinds == 1), count(logical_kinds == 2), count(logical_kinds == 4), &
      count(logical_kinds == 8), count(logical_kinds == 16), &
      count(integer_kinds == 1), count(integer_kinds == 2), count(integer_kinds == 4), &
      count(integer_kinds == 8), count(integer_kinds == 16), &
      count(real_kinds == 1), count(real_kinds == 2), count(real_kinds == 4), &
      count(real_kinds == 8), count(real_kinds == 16)]
end module tessera_mpi_compiler
