! SPDX-License-Identifier: BSD-3-Clause
! req errata 1.4
! MPIX_Alltoallx from mpi_f08, by module mpix_f08: each form, both kinds of counts, places that are
! absolute, sections of arrays, and errors.
program alltoallx
  use mpi_f08
  use mpix_f08
  use check
  implicit none
  integer, asynchronous, allocatable :: out(:), in(:)
  integer, allocatable :: ones(:)
  integer(MPI_COUNT_KIND), allocatable :: wide(:)
  integer(MPI_ADDRESS_KIND), allocatable :: places(:), to(:), from(:)
  integer(MPI_ADDRESS_KIND) :: base
  type(MPI_Datatype), allocatable :: types(:)
  type(MPI_Request) :: request
  integer :: rank, size, r, ierror, class

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  allocate(out(size), in(size), ones(size), wide(size), places(size), to(size), from(size), types(size))
  out = [(100 * rank + r, r = 0, size - 1)]
  ones = 1
  wide = 1
  places = [(4 * r, r = 0, size - 1)]
  types = MPI_INTEGER

  in = -1
  call MPIX_Alltoallx(out, ones, places, types, in, ones, places, types, MPI_COMM_WORLD)
  call arrived("blocking")
  call MPIX_Alltoallx(out, wide, places, types, in, wide, places, types, MPI_COMM_WORLD, ierror)
  call expect(ierror == MPI_SUCCESS, "ierror")
  call arrived("large counts")
  call MPIX_Ialltoallx(out, ones, places, types, in, ones, places, types, MPI_COMM_WORLD, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call arrived("nonblocking")
  call MPI_Get_address(out, base)
  from = places + base
  call MPI_Get_address(in, base)
  to = places + base
  call MPIX_Alltoallx_init(MPI_BOTTOM, ones, from, types, MPI_BOTTOM, ones, to, types, &
      MPI_COMM_WORLD, MPI_INFO_NULL, request)
  call MPI_Start(request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Request_free(request)
  call MPI_F_sync_reg(in)
  call arrived("persistent, by addresses")
  in = out
  call MPIX_Alltoallx(MPI_IN_PLACE, ones, places, types, in, ones, places, types, MPI_COMM_WORLD)
  call arrived("in place")
  call sections()

  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  ones = -1
  call MPIX_Alltoallx(out, ones, places, types, in, ones, places, types, MPI_COMM_WORLD, ierror)
  call MPI_Error_class(ierror, class)
  call expect_value(class, MPI_ERR_COUNT, "the class of a negative count")
  call MPI_Finalize()
  deallocate(out, in, ones, wide, places, to, from, types)
  call report()

contains

  ! Displacements count in the packed section, and completion unpacks.
  subroutine sections()
    integer, asynchronous :: table(3, size), heard(size, 2)
    integer :: round
    table = -1
    heard = -1
    table(2, :) = out
    call MPIX_Alltoallx(table(2, :), ones, places, types, heard(size:1:-1, 1), ones, places, &
        types, MPI_COMM_WORLD)
    in = heard(size:1:-1, 1)
    call arrived("sections")
    heard = -1
    call MPIX_Ialltoallx(table(2, :), wide, places, types, heard(size:1:-1, 2), wide, places, &
        types, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    in = heard(size:1:-1, 2)
    call arrived("sections in a nonblocking call")
    call expect(all(heard(:, 1) == -1), "what is beside a section stays")
    call MPIX_Alltoallx_init(table(2, :), ones, places, types, heard(size:1:-1, 1), ones, places, &
        types, MPI_COMM_WORLD, MPI_INFO_NULL, request)
    do round = 1, 2
      heard = -1
      call MPI_Start(request)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      in = heard(size:1:-1, 1)
      call arrived("sections in a persistent call")
    end do
    call MPI_Request_free(request)
  end subroutine sections

  subroutine arrived(how)
    character(len=*), intent(in) :: how
    call expect(all(in == [(100 * r + rank, r = 0, size - 1)]), how)
    in = -1
  end subroutine arrived
end program alltoallx
