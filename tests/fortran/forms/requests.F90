! SPDX-License-Identifier: BSD-3-Clause
! Requests in each form: starting, waiting, testing, looking, cancelling, freeing. A
! process exchanges with itself. Indices count from 1.
! req fortran 1.10, 5.71, 5.72
#include "form.inc"
program requests_of_forms
  USE_MPI
  use check
  implicit none
  INCLUDE_MPI
  integer, parameter :: pairs = 3
  integer :: ierr
  integer ASYNC :: out(pairs), in(pairs)
  HANDLE(MPI_Request) :: requests(2 * pairs)  ! receives first

  call MPI_INIT(ierr)
  call persistent_requests()
  call any_of_them()
  call some_of_them()
  call looked_at()
  call cancelled()
  call MPI_FINALIZE(ierr)
  call report()

contains

  ! Receives of `in(i)` with tag i, which nothing is sent to yet.
  subroutine receive_all()
    integer :: i
    in = 0
    requests = MPI_REQUEST_NULL
    do i = 1, pairs
      call MPI_IRECV(in(i), 1, MPI_INTEGER, 0, i, MPI_COMM_SELF, requests(i), ierr)
    end do
  end subroutine receive_all

  ! A message that has arrived when the receive is looked at: the process itself sends it.
  subroutine send(i)
    integer, intent(in) :: i
    out(i) = 10 * i
    call MPI_SEND(out(i), 1, MPI_INTEGER, 0, i, MPI_COMM_SELF, ierr)
  end subroutine send

  subroutine persistent_requests()
    integer :: i, round
    logical :: flag
    STATUS :: status
    do i = 1, pairs
      call MPI_RECV_INIT(in(i), 1, MPI_INTEGER, 0, i, MPI_COMM_SELF, requests(i), ierr)
      call MPI_SEND_INIT(out(i), 1, MPI_INTEGER, 0, i, MPI_COMM_SELF, requests(pairs + i), ierr)
    end do
    do round = 1, 2
      in = 0
      out = [1, 2, 3] + 10 * round
      call MPI_START(requests(1), ierr)
      call MPI_STARTALL(2 * pairs - 1, requests(2:), ierr)
      call MPI_WAIT(requests(1), status, ierr)
      call expect(OF(status, MPI_TAG) == 1 .and. OF(status, MPI_SOURCE) == 0, &
          "the status of MPI_WAIT")
      if (round == 1) then
        call MPI_WAITALL(2 * pairs, requests, MPI_STATUSES_IGNORE, ierr)
      else
        flag = .false.
        do while (.not. flag)
          call MPI_TESTALL(2 * pairs, requests, flag, MPI_STATUSES_IGNORE, ierr)
        end do
      end if
      call expect(all(in == out), "what persistent requests brought")
    end do
    do i = 1, 2 * pairs
      call MPI_REQUEST_FREE(requests(i), ierr)
    end do
    call expect(all(requests == MPI_REQUEST_NULL), "MPI_REQUEST_FREE leaves MPI_REQUEST_NULL")
  end subroutine persistent_requests

  subroutine any_of_them()
    integer :: index
    logical :: flag
    STATUS :: status
    call receive_all()
    call MPI_TESTANY(pairs, requests, index, flag, status, ierr)
    call expect(.not. flag .and. index == MPI_UNDEFINED, "MPI_TESTANY finds nothing")
    call send(2)
    call MPI_WAITANY(pairs, requests, index, status, ierr)
    call expect_value(index, 2, "the index of MPI_WAITANY")
    call expect_value(OF(status, MPI_TAG), 2, "the tag of MPI_WAITANY")
    call expect(requests(2) == MPI_REQUEST_NULL .and. requests(1) /= MPI_REQUEST_NULL, &
        "which request is completed")
    call send(3)
    flag = .false.
    do while (.not. flag)
      call MPI_TESTANY(pairs, requests, index, flag, status, ierr)
    end do
    call expect_value(index, 3, "the index of MPI_TESTANY")
    call send(1)
    flag = .false.
    do while (.not. flag)
      call MPI_TEST(requests(1), flag, status, ierr)
    end do
    call expect(all(in == [10, 20, 30]), "what MPI_WAITANY, MPI_TESTANY and MPI_TEST brought")
    call MPI_WAITANY(pairs, requests, index, status, ierr)
    call expect_value(index, MPI_UNDEFINED, "the index without requests")
  end subroutine any_of_them

  subroutine some_of_them()
    integer :: count, indices(pairs), found
    call receive_all()
    indices = -7
    call MPI_TESTSOME(pairs, requests, count, indices, MPI_STATUSES_IGNORE, ierr)
    call expect(count == 0 .and. all(indices == -7), "MPI_TESTSOME finds nothing")
    call send(3)
    call MPI_WAITSOME(pairs, requests, count, indices, MPI_STATUSES_IGNORE, ierr)
    call expect(count == 1 .and. indices(1) == 3 .and. indices(2) == -7, &
        "the index of MPI_WAITSOME")
    call send(1)
    call send(2)
    found = 0
    do while (found < 2)
      call MPI_TESTSOME(pairs, requests, count, indices, MPI_STATUSES_IGNORE, ierr)
      call expect(all(indices(:count) == 1 .or. indices(:count) == 2), &
          "the indices of MPI_TESTSOME")
      found = found + count
    end do
    call expect(all(in == [10, 20, 30]) .and. all(requests == MPI_REQUEST_NULL), &
        "what MPI_WAITSOME and MPI_TESTSOME brought")
    call MPI_WAITSOME(pairs, requests, count, indices, MPI_STATUSES_IGNORE, ierr)
    call expect_value(count, MPI_UNDEFINED, "the count without requests")
  end subroutine some_of_them

  ! MPI_REQUEST_GET_STATUS and its kin complete nothing.
  subroutine looked_at()
    integer :: index, count, indices(pairs)
    logical :: flag
    STATUS :: status
    call receive_all()
    call MPI_REQUEST_GET_STATUS_ALL(pairs, requests, flag, MPI_STATUSES_IGNORE, ierr)
    call expect(.not. flag, "MPI_REQUEST_GET_STATUS_ALL finds nothing")
    call send(2)
    flag = .false.
    do while (.not. flag)
      call MPI_REQUEST_GET_STATUS(requests(2), flag, status, ierr)
    end do
    call expect_value(OF(status, MPI_TAG), 2, "the tag of MPI_REQUEST_GET_STATUS")
    call MPI_REQUEST_GET_STATUS_ANY(pairs, requests, index, flag, status, ierr)
    call expect(flag .and. index == 2 .and. OF(status, MPI_TAG) == 2, &
        "the index of MPI_REQUEST_GET_STATUS_ANY")
    indices = -7
    call MPI_REQUEST_GET_STATUS_SOME(pairs, requests, count, indices, MPI_STATUSES_IGNORE, ierr)
    call expect(count == 1 .and. indices(1) == 2 .and. indices(2) == -7, &
        "the index of MPI_REQUEST_GET_STATUS_SOME")
    call expect(requests(2) /= MPI_REQUEST_NULL, "a request that was looked at stays")
    call send(1)
    call send(3)
    flag = .false.
    do while (.not. flag)
      call MPI_REQUEST_GET_STATUS_ALL(pairs, requests, flag, MPI_STATUSES_IGNORE, ierr)
    end do
    call MPI_WAITALL(pairs, requests, MPI_STATUSES_IGNORE, ierr)
    call expect(all(in == [10, 20, 30]), "what the requests that were looked at brought")
  end subroutine looked_at

  subroutine cancelled()
    logical :: flag
    STATUS :: status
    call receive_all()
    call MPI_CANCEL(requests(1), ierr)
    call MPI_WAIT(requests(1), status, ierr)
    call MPI_TEST_CANCELLED(status, flag, ierr)
    call expect(flag .and. requests(1) == MPI_REQUEST_NULL, "a receive is cancelled")
    call send(2)
    call send(3)
    call MPI_WAITALL(pairs, requests, MPI_STATUSES_IGNORE, ierr)
    call expect(all(in == [0, 20, 30]), "the receives that were not cancelled")
  end subroutine cancelled

end program requests_of_forms
