! SPDX-License-Identifier: BSD-3-Clause
! req errata 1.4
! MPIX_ALLTOALLX of module mpi and of mpif.h: each form, both kinds of counts.
program older_alltoallx
  use mpi
  use check
  implicit none
  logical :: right
  integer :: ierror

  call MPI_INIT(ierror)
  call by_mpi(right)
  call expect(right, "with module mpi")
  call by_mpif(right)
  call expect(right, "with mpif.h")
  call MPI_FINALIZE(ierror)
  call report()
end program older_alltoallx

subroutine by_mpi(right)
  use mpi
  implicit none
  include 'older_alltoallx.inc'
end subroutine by_mpi

subroutine by_mpif(right)
  implicit none
  include 'mpif.h'
  include 'older_alltoallx.inc'
end subroutine by_mpif
