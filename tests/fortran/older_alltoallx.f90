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
  logical :: right
  integer, parameter :: most = 16
  integer, asynchronous :: out(most), in(most)
  integer :: ones(most), types(most), rank, size, r, round, request, ierror
  integer(MPI_COUNT_KIND) :: wide(most)
  integer(MPI_ADDRESS_KIND) :: places(most)
  external MPIX_ALLTOALLX, MPIX_ALLTOALLX_C, MPIX_IALLTOALLX, MPIX_IALLTOALLX_C
  external MPIX_ALLTOALLX_INIT, MPIX_ALLTOALLX_INIT_C

  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierror)
  out = [(100 * rank + r, r = 0, most - 1)]
  ones = 1
  wide = 1
  types = MPI_INTEGER
  places = [(4 * (size - 1 - r), r = 0, most - 1)]
  right = size <= most
  in = -1
  call MPIX_ALLTOALLX(out, ones, places, types, in, ones, places, types, MPI_COMM_WORLD, ierror)
  call arrived()
  call MPIX_ALLTOALLX_C(out, wide, places, types, in, wide, places, types, MPI_COMM_WORLD, ierror)
  call arrived()
  call MPIX_IALLTOALLX(out, ones, places, types, in, ones, places, types, MPI_COMM_WORLD, request, &
      ierror)
  call MPI_WAIT(request, MPI_STATUS_IGNORE, ierror)
  call arrived()
  call MPIX_IALLTOALLX_C(out, wide, places, types, in, wide, places, types, MPI_COMM_WORLD, &
      request, ierror)
  call MPI_WAIT(request, MPI_STATUS_IGNORE, ierror)
  call arrived()
  call MPIX_ALLTOALLX_INIT(out, ones, places, types, in, ones, places, types, MPI_COMM_WORLD, &
      MPI_INFO_NULL, request, ierror)
  call twice()
  call MPIX_ALLTOALLX_INIT_C(out, wide, places, types, in, wide, places, types, MPI_COMM_WORLD, &
      MPI_INFO_NULL, request, ierror)
  call twice()

contains

  subroutine twice()
    do round = 1, 2
      call MPI_START(request, ierror)
      call MPI_WAIT(request, MPI_STATUS_IGNORE, ierror)
      call arrived()
    end do
    call MPI_REQUEST_FREE(request, ierror)
  end subroutine twice

  ! Places go backwards: the integer of process r is number size - r.
  subroutine arrived()
    right = right .and. ierror == MPI_SUCCESS
    right = right .and. all(in(:size) == [(100 * r + size - 1 - rank, r = size - 1, 0, -1)])
    right = right .and. all(in(size + 1:) == -1)
    in = -1
  end subroutine arrived
end subroutine by_mpi

subroutine by_mpif(right)
  implicit none
  include 'mpif.h'
  logical :: right
  integer, parameter :: most = 16
  integer, asynchronous :: out(most), in(most)
  integer :: ones(most), types(most), rank, size, r, round, request, ierror
  integer(MPI_COUNT_KIND) :: wide(most)
  integer(MPI_ADDRESS_KIND) :: places(most)
  external MPIX_ALLTOALLX, MPIX_ALLTOALLX_C, MPIX_IALLTOALLX, MPIX_IALLTOALLX_C
  external MPIX_ALLTOALLX_INIT, MPIX_ALLTOALLX_INIT_C

  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierror)
  out = [(100 * rank + r, r = 0, most - 1)]
  ones = 1
  wide = 1
  types = MPI_INTEGER
  places = [(4 * (size - 1 - r), r = 0, most - 1)]
  right = size <= most
  in = -1
  call MPIX_ALLTOALLX(out, ones, places, types, in, ones, places, types, MPI_COMM_WORLD, ierror)
  call arrived()
  call MPIX_ALLTOALLX_C(out, wide, places, types, in, wide, places, types, MPI_COMM_WORLD, ierror)
  call arrived()
  call MPIX_IALLTOALLX(out, ones, places, types, in, ones, places, types, MPI_COMM_WORLD, request, &
      ierror)
  call MPI_WAIT(request, MPI_STATUS_IGNORE, ierror)
  call arrived()
  call MPIX_IALLTOALLX_C(out, wide, places, types, in, wide, places, types, MPI_COMM_WORLD, &
      request, ierror)
  call MPI_WAIT(request, MPI_STATUS_IGNORE, ierror)
  call arrived()
  call MPIX_ALLTOALLX_INIT(out, ones, places, types, in, ones, places, types, MPI_COMM_WORLD, &
      MPI_INFO_NULL, request, ierror)
  call twice()
  call MPIX_ALLTOALLX_INIT_C(out, wide, places, types, in, wide, places, types, MPI_COMM_WORLD, &
      MPI_INFO_NULL, request, ierror)
  call twice()

contains

  subroutine twice()
    do round = 1, 2
      call MPI_START(request, ierror)
      call MPI_WAIT(request, MPI_STATUS_IGNORE, ierror)
      call arrived()
    end do
    call MPI_REQUEST_FREE(request, ierror)
  end subroutine twice

  ! Places go backwards: the integer of process r is number size - r.
  subroutine arrived()
    right = right .and. ierror == MPI_SUCCESS
    right = right .and. all(in(:size) == [(100 * r + size - 1 - rank, r = size - 1, 0, -1)])
    right = right .and. all(in(size + 1:) == -1)
    in = -1
  end subroutine arrived
end subroutine by_mpif
