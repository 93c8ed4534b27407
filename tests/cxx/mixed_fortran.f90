! SPDX-License-Identifier: BSD-3-Clause
! Called by mixed.cpp with handles as integers.
function sum_in_fortran(comm, op, type, mine) result(total) bind(c)
  use, intrinsic :: iso_c_binding, only: c_int
  use mpi
  implicit none
  integer(c_int), value :: comm, op, type, mine
  integer(c_int) :: total
  integer :: ierror
  call MPI_Allreduce(mine, total, 1, type, op, comm, ierror)
end function sum_in_fortran

function type_of_fortran() result(type) bind(c)
  use, intrinsic :: iso_c_binding, only: c_int
  use mpi
  implicit none
  integer(c_int) :: type
  integer :: ierror
  call MPI_Type_contiguous(3, MPI_INTEGER, type, ierror)
  call MPI_Type_commit(type, ierror)
end function type_of_fortran
