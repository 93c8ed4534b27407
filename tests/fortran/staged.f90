! SPDX-License-Identifier: BSD-3-Clause
! Sections of arrays that are copied belong to their request, whoever completes, starts or frees it:
! C (staged.c), mpif.h, or mpi_f08.
! req fortran 3.41, 3.42, 3.44
program staged_requests
  use mpi_f08
  use check
  implicit none
  interface
    subroutine c_wait(request) bind(C)
      integer, intent(inout) :: request
    end subroutine c_wait
    subroutine c_test(request) bind(C)
      integer, intent(inout) :: request
    end subroutine c_test
    subroutine c_start(request) bind(C)
      integer, intent(inout) :: request
    end subroutine c_start
    subroutine c_free(request) bind(C)
      integer, intent(inout) :: request
    end subroutine c_free
    integer function c_refused() bind(C)
    end function c_refused
    integer function c_staged() bind(C)
    end function c_staged
    subroutine old_wait(request)
      integer, intent(inout) :: request
    end subroutine old_wait
  end interface
  integer :: rank, size, i
  type(MPI_Datatype) :: gapped

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call MPI_Type_create_resized(MPI_INTEGER, 0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND, gapped)
  call MPI_Type_commit(gapped)
  do i = 1, 4
    call reduced(i)
    call repeated(i)
    call received(i)
  end do
  call freed()
  call cancelled()
  call from_nobody()
  call looked_at()
  call many()
  call expect_value(c_refused(), 0, "mistakes in MPIX_Request_stage that are not told")
  call expect_value(c_staged(), 331, "calls of the functions of MPIX_Request_stage")
  call MPI_Type_free(gapped)
  call MPI_Finalize()
  call report()

contains

  subroutine complete(request, way)
    type(MPI_Request), intent(inout) :: request
    integer, intent(in) :: way
    if (way == 1) call c_wait(request%MPI_VAL)
    if (way == 2) call c_test(request%MPI_VAL)
    if (way == 3) call old_wait(request%MPI_VAL)
    if (way == 4) call MPI_Wait(request, MPI_STATUS_IGNORE)
  end subroutine complete

  subroutine reduced(way)
    integer, intent(in) :: way
    integer, asynchronous :: mine(20), sums(20)
    type(MPI_Request) :: request
    mine = rank + way
    sums = -1
    call MPI_Iallreduce(mine(1:20:2), sums(2:20:2), 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)
    call complete(request, way)
    call expect(request == MPI_REQUEST_NULL, "a completed request")
    call expect(all(sums(2:20:2) == size * (size - 1) / 2 + size * way), "a sum that C may complete")
    call expect(all(sums(1:20:2) == -1), "what lies between the elements of a sum")
  end subroutine reduced

  subroutine repeated(way)
    integer, intent(in) :: way
    integer, asynchronous :: mine(20), sums(20)
    integer :: round
    type(MPI_Request) :: request
    call MPI_Allreduce_init(mine(1:20:2), sums(2:20:2), 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, &
        MPI_INFO_NULL, request)
    do round = 1, 3
      mine = round
      sums = -1
      if (way < 3) call c_start(request%MPI_VAL)
      if (way >= 3) call MPI_Start(request)
      call complete(request, way)
      call expect(all(sums(2:20:2) == size * round), "a persistent sum that C may start and complete")
      call expect(all(sums(1:20:2) == -1), "what lies between the elements of a persistent sum")
    end do
    if (way < 3) call c_free(request%MPI_VAL)
    if (way >= 3) call MPI_Request_free(request)
    call expect(request == MPI_REQUEST_NULL, "a persistent request that was freed")
  end subroutine repeated

  ! Of the ten elements of the section the datatype takes every other one.
  subroutine received(way)
    integer, intent(in) :: way
    integer, asynchronous :: a(20)
    integer :: i
    type(MPI_Request) :: request
    a = -1
    call MPI_Irecv(a(1:20:2), 5, gapped, rank, way, MPI_COMM_WORLD, request)
    call MPI_Send([(i, i = 1, 5)], 5, MPI_INTEGER, rank, way, MPI_COMM_WORLD)
    call complete(request, way)
    call expect(all(a(1:20:4) == [1, 2, 3, 4, 5]), "elements with gaps in a section")
    call expect(all(a(3:20:4) == -1) .and. all(a(2:20:2) == -1), "what lies between them")
  end subroutine received

  ! Requests that are given away leave nothing behind that a later request could meet.
  subroutine freed()
    integer, asynchronous :: a(20), b(5)
    integer :: i, round
    type(MPI_Request) :: request
    do round = 1, 50
      a = [(round * i, i = 1, 20)]
      call MPI_Isend(a(1:20:2), 5, gapped, rank, 0, MPI_COMM_WORLD, request)
      if (mod(round, 2) == 0) call c_free(request%MPI_VAL)
      if (mod(round, 2) == 1) call MPI_Request_free(request)
      call MPI_Recv(b, 5, MPI_INTEGER, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call expect(all(b == a(1:20:4)), "a section whose request was freed")
      call received(4)
    end do
  end subroutine freed

  subroutine cancelled()
    integer, asynchronous :: a(20)
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    logical :: flag
    a = 5
    call MPI_Irecv(a(1:20:2), 5, gapped, rank, 99, MPI_COMM_WORLD, request)
    call MPI_Cancel(request)
    call MPI_Wait(request, status)
    call MPI_Test_cancelled(status, flag)
    call expect(flag .and. all(a == 5), "a receive into a section that was cancelled")
  end subroutine cancelled

  subroutine from_nobody()
    integer, asynchronous :: a(20)
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    a = 6
    call MPI_Irecv(a(1:20:2), 5, gapped, MPI_PROC_NULL, 0, MPI_COMM_WORLD, request)
    call MPI_Wait(request, status)
    call expect(status%MPI_SOURCE == MPI_PROC_NULL .and. all(a == 6), "a section from MPI_PROC_NULL")
  end subroutine from_nobody

  subroutine looked_at()
    integer, asynchronous :: a(20)
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    logical :: flag
    integer :: count
    a = -1
    call MPI_Irecv(a(1:20:2), 5, gapped, rank, 3, MPI_COMM_WORLD, request)
    call MPI_Send([1, 2, 3], 3, MPI_INTEGER, rank, 3, MPI_COMM_WORLD)
    flag = .false.
    do while (.not. flag)
      call MPI_Request_get_status(request, flag, status)
    end do
    call MPI_Get_count(status, gapped, count)
    call expect_value(count, 3, "the count of a section that was looked at")
    call expect(all(a(1:9:4) == [1, 2, 3]), "the data of a request that is complete and not freed")
    call MPI_Wait(request, status)
    call expect(status%MPI_SOURCE == rank, "the source of a section")
  end subroutine looked_at

  subroutine many()
    integer, asynchronous :: a(20, 30)
    type(MPI_Request) :: requests(30)
    integer :: i, n, done(30), left
    a = -1
    do i = 1, 30
      call MPI_Irecv(a(1:20:2, i), 5, gapped, rank, i, MPI_COMM_WORLD, requests(i))
    end do
    do i = 30, 1, -1
      call MPI_Send([i, i, i, i, i], 5, MPI_INTEGER, rank, i, MPI_COMM_WORLD)
    end do
    left = 30
    do while (left > 0)
      call MPI_Waitsome(30, requests, n, done, MPI_STATUSES_IGNORE)
      call expect(all(a(1, done(:n)) == done(:n)), "sections that MPI_Waitsome names")
      left = left - n
    end do
    call expect(all(requests == MPI_REQUEST_NULL), "requests after MPI_Waitsome")
    call MPI_Waitsome(30, requests, n, done, MPI_STATUSES_IGNORE)
    call expect_value(n, MPI_UNDEFINED, "the number of requests when none is active")
  end subroutine many

end program staged_requests

subroutine old_wait(request)
  implicit none
  include 'mpif.h'
  integer, intent(inout) :: request
  integer :: index, ierror, requests(2)
  requests = [MPI_REQUEST_NULL, request]
  call MPI_WAITANY(2, requests, index, MPI_STATUS_IGNORE, ierror)
  request = requests(2)
end subroutine old_wait
