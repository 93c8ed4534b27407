! SPDX-License-Identifier: BSD-3-Clause
! Called by mixed.cpp with handles as integers.
integer function sum_in_fortran(comm, op, type, mine) bind(c)
  use mpi
  implicit none
  integer, value :: comm, op, type, mine
  integer :: ierror
  call MPI_Allreduce(mine, sum_in_fortran, 1, type, op, comm, ierror)
end function sum_in_fortran

integer function type_of_fortran() bind(c)
  use mpi
  implicit none
  integer :: ierror
  call MPI_Type_contiguous(3, MPI_INTEGER, type_of_fortran, ierror)
  call MPI_Type_commit(type_of_fortran, ierror)
end function type_of_fortran
