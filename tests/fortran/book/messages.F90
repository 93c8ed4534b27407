! SPDX-License-Identifier: BSD-3-Clause
! Messages: the examples of the book's second and ninth chapters that are printed in Fortran, in our
! own words. Run on three ranks or more; examples of two processes use ranks 0 and 1.
! ex 2.3, ex 2.5, ex 2.7, ex 2.9, ex 2.10, ex 2.19, ex 2.20, ex 2.21, ex 2.22, ex 2.23, ex 2.24
! ex 2.28, ex 2.29, ex 2.33, ex 9.1a, ex 9.1b, ex 9.1c, ex 9.1d, ex 9.1e; req fortran 10.127
#include "form.inc"
program messages
  USE_MPI
  use check
  implicit none
  INCLUDE_MPI
  integer, parameter :: long = 100000  ! reals: more than any eager limit
  integer :: rank, size, ierr

  call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierr)
  if (rank < 2) then
    call ten_into_fifteen()
    call bytes()
    call ordered_exchange(10)
    call ordered_exchange(long)
    call both_send_first()
    call freed_requests()
    call waited_in_reverse()
    call long_then_short()
    call posted_receive(10)
    call posted_receive(long)
    call nonblocking_exchange(10)
    call nonblocking_exchange(long)
    call opposite_tags(10)
    call opposite_tags(long)
    call ready_after_synchronous()
  end if
  if (rank < 3) then
    call relay()
    call probe_chooses()
    call receive_may_differ()
  end if
  call ring_in_turns()
  call ring_buffered()
  call ring_nonblocking()
  call ring_sendrecv()
  call MPI_FINALIZE(ierr)
  call report()

contains

  subroutine ten_into_fifteen()
    real :: x(15)
    STATUS :: s
    integer :: count, i
    x = -1
    if (rank == 0) then
      x(:10) = [(i * 0.5, i = 1, 10)]
      call MPI_SEND(x, 10, MPI_REAL, 1, 3, MPI_COMM_WORLD, ierr)
    else
      call MPI_RECV(x, 15, MPI_REAL, 0, 3, MPI_COMM_WORLD, s, ierr)
      call MPI_GET_COUNT(s, MPI_REAL, count, ierr)
      call expect_value(count, 10, "ex 2.3: the count")
      call expect(all(x(:10) == [(i * 0.5, i = 1, 10)]) .and. all(x(11:) == -1), "ex 2.3")
    end if
  end subroutine ten_into_fifteen

  subroutine bytes()
    real :: x(15)
    STATUS :: s
    integer :: count
    if (rank == 0) then
      call random_number(x)
      call MPI_SEND(x, 40, MPI_BYTE, 1, 5, MPI_COMM_WORLD, ierr)
      call MPI_SEND(x, 10, MPI_REAL, 1, 6, MPI_COMM_WORLD, ierr)
    else
      call MPI_RECV(x, 60, MPI_BYTE, 0, 5, MPI_COMM_WORLD, s, ierr)
      call MPI_GET_COUNT(s, MPI_BYTE, count, ierr)
      call expect_value(count, 40, "ex 2.5: the count")
      call same_as(x(:10))
    end if
  end subroutine bytes

  subroutine same_as(x)
    real, intent(in) :: x(10)
    real :: again(10)
    call MPI_RECV(again, 10, MPI_REAL, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call expect(all(x == again), "ex 2.5: the same numbers as bytes and as reals")
  end subroutine same_as

  subroutine ordered_exchange(n)
    integer, intent(in) :: n
    real :: out(n), in(n)
    out = rank + 1
    if (rank == 0) then
      call MPI_SEND(out, n, MPI_REAL, 1, 7, MPI_COMM_WORLD, ierr)
      call MPI_RECV(in, n, MPI_REAL, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    else
      call MPI_RECV(in, n, MPI_REAL, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_SEND(out, n, MPI_REAL, 0, 7, MPI_COMM_WORLD, ierr)
    end if
    call expect(all(in == 2 - rank), "ex 2.7")
  end subroutine ordered_exchange

  ! Right only while messages this short are buffered, as they are by default.
  subroutine both_send_first()
    real :: out(10), in(10)
    out = rank
    call MPI_SEND(out, 10, MPI_REAL, 1 - rank, 9, MPI_COMM_WORLD, ierr)
    call MPI_RECV(in, 10, MPI_REAL, 1 - rank, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call expect(all(in == 1 - rank), "ex 2.9")
  end subroutine both_send_first

  ! The answer tells that the send is complete; its request is given away.
  subroutine freed_requests()
    HANDLE(MPI_Request) :: r
    integer ASYNC :: there
    integer :: i, back
    do i = 1, 50
      if (rank == 0) then
        there = i
        call MPI_ISEND(there, 1, MPI_INTEGER, 1, 19, MPI_COMM_WORLD, r, ierr)
        call MPI_REQUEST_FREE(r, ierr)
        call expect(r == MPI_REQUEST_NULL, "ex 2.19: a freed request")
        call MPI_RECV(back, 1, MPI_INTEGER, 1, 19, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        call expect_value(back, 2 * i, "ex 2.19")
      else
        call MPI_RECV(back, 1, MPI_INTEGER, 0, 19, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        there = 2 * back
        call MPI_ISEND(there, 1, MPI_INTEGER, 0, 19, MPI_COMM_WORLD, r, ierr)
        call MPI_WAIT(r, MPI_STATUS_IGNORE, ierr)
      end if
    end do
  end subroutine freed_requests

  subroutine waited_in_reverse()
    HANDLE(MPI_Request) :: first, second
    real ASYNC :: a, b
    if (rank == 0) then
      a = 1.5
      b = 2.5
      call MPI_ISEND(a, 1, MPI_REAL, 1, 0, MPI_COMM_WORLD, first, ierr)
      call MPI_ISEND(b, 1, MPI_REAL, 1, 0, MPI_COMM_WORLD, second, ierr)
    else
      call MPI_IRECV(a, 1, MPI_REAL, 0, MPI_ANY_TAG, MPI_COMM_WORLD, first, ierr)
      call MPI_IRECV(b, 1, MPI_REAL, 0, 0, MPI_COMM_WORLD, second, ierr)
    end if
    call MPI_WAIT(second, MPI_STATUS_IGNORE, ierr)
    call MPI_WAIT(first, MPI_STATUS_IGNORE, ierr)
    call MPI_F_SYNC_REG(a)
    call MPI_F_SYNC_REG(b)
    call expect(a == 1.5 .and. b == 2.5, "ex 2.20: matching follows posting")
  end subroutine waited_in_reverse

  ! Which of the two completes first is open; which message goes where is not.
  subroutine long_then_short()
    HANDLE(MPI_Request) :: first, second
    real, allocatable ASYNC :: a(:), b(:)
    logical :: done(2)
    allocate (a(long), b(1))
    a = 21
    b = 12
    if (rank == 0) then
      call MPI_SEND(a, long, MPI_REAL, 1, 0, MPI_COMM_WORLD, ierr)
      call MPI_SEND(b, 1, MPI_REAL, 1, 0, MPI_COMM_WORLD, ierr)
      return
    end if
    a = 0
    b = 0
    call MPI_IRECV(a, long, MPI_REAL, 0, 0, MPI_COMM_WORLD, first, ierr)
    call MPI_IRECV(b, 1, MPI_REAL, 0, 0, MPI_COMM_WORLD, second, ierr)
    done = .false.
    do while (.not. all(done))
      if (.not. done(1)) call MPI_TEST(first, done(1), MPI_STATUS_IGNORE, ierr)
      if (.not. done(2)) call MPI_TEST(second, done(2), MPI_STATUS_IGNORE, ierr)
    end do
    call expect(all(a == 21) .and. b(1) == 12, "ex 2.21")
  end subroutine long_then_short

  subroutine posted_receive(n)
    integer, intent(in) :: n
    HANDLE(MPI_Request) :: r
    real, allocatable ASYNC :: a(:), b(:)
    allocate (a(n), b(n))
    a = 1
    b = 2
    if (rank == 0) then
      call MPI_SEND(a, n, MPI_REAL, 1, 0, MPI_COMM_WORLD, ierr)
      call MPI_SEND(b, n, MPI_REAL, 1, 1, MPI_COMM_WORLD, ierr)
    else
      call MPI_IRECV(b, n, MPI_REAL, 0, 0, MPI_COMM_WORLD, r, ierr)
      call MPI_RECV(a, n, MPI_REAL, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_WAIT(r, MPI_STATUS_IGNORE, ierr)
      call expect(all(a == 2) .and. all(b == 1), "ex 2.22")
    end if
  end subroutine posted_receive

  subroutine nonblocking_exchange(n)
    integer, intent(in) :: n
    HANDLE(MPI_Request) :: r
    real, allocatable ASYNC :: a(:), b(:)
    allocate (a(n), b(n))
    a = rank
    call MPI_ISEND(a, n, MPI_REAL, 1 - rank, 0, MPI_COMM_WORLD, r, ierr)
    call MPI_RECV(b, n, MPI_REAL, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_WAIT(r, MPI_STATUS_IGNORE, ierr)
    call expect(all(b == 1 - rank), "ex 2.23")
  end subroutine nonblocking_exchange

  subroutine opposite_tags(n)
    integer, intent(in) :: n
    HANDLE(MPI_Request) :: r(2)
    real, allocatable ASYNC :: a(:), b(:)
    allocate (a(n), b(n))
    a = 1
    b = 2
    if (rank == 0) then
      call MPI_SEND(a, n, MPI_REAL, 1, 1, MPI_COMM_WORLD, ierr)
      call MPI_SEND(b, n, MPI_REAL, 1, 2, MPI_COMM_WORLD, ierr)
    else
      call MPI_IRECV(a, n, MPI_REAL, 0, 2, MPI_COMM_WORLD, r(1), ierr)
      call MPI_IRECV(b, n, MPI_REAL, 0, 1, MPI_COMM_WORLD, r(2), ierr)
      call MPI_WAIT(r(1), MPI_STATUS_IGNORE, ierr)
      call MPI_WAIT(r(2), MPI_STATUS_IGNORE, ierr)
      call expect(all(a == 2) .and. all(b == 1), "ex 2.24")
    end if
  end subroutine opposite_tags

  ! The synchronous send is complete only when its receive, and so the one before it, is posted.
  subroutine ready_after_synchronous()
    HANDLE(MPI_Request) :: r(2)
    integer ASYNC :: a, b
    a = 1
    b = 2
    if (rank == 1) then
      call MPI_SSEND(b, 1, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, ierr)
      call MPI_RSEND(a, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, ierr)
    else
      call MPI_IRECV(b, 1, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, r(1), ierr)
      call MPI_IRECV(a, 1, MPI_INTEGER, 1, 2, MPI_COMM_WORLD, r(2), ierr)
      call MPI_WAIT(r(1), MPI_STATUS_IGNORE, ierr)
      call MPI_WAIT(r(2), MPI_STATUS_IGNORE, ierr)
      call MPI_F_SYNC_REG(a)
      call MPI_F_SYNC_REG(b)
      call expect(a == 2 .and. b == 1, "ex 2.33")
    end if
  end subroutine ready_after_synchronous

  ! The message over rank 1 may come before the direct one; neither is lost or doubled.
  subroutine relay()
    integer :: word, got(2)
    if (rank == 0) then
      call MPI_SEND(1, 1, MPI_INTEGER, 2, 10, MPI_COMM_WORLD, ierr)
      call MPI_SEND(2, 1, MPI_INTEGER, 1, 10, MPI_COMM_WORLD, ierr)
    else if (rank == 1) then
      call MPI_RECV(word, 1, MPI_INTEGER, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_SEND(word, 1, MPI_INTEGER, 2, 10, MPI_COMM_WORLD, ierr)
    else
      call MPI_RECV(got(1), 1, MPI_INTEGER, MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_RECV(got(2), 1, MPI_INTEGER, MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call expect(sum(got) == 3 .and. all(got > 0), "ex 2.10")
    end if
  end subroutine relay

  subroutine probe_chooses()
    integer :: i, n
    real :: x
    STATUS :: s
    if (rank == 0) call MPI_SEND(28, 1, MPI_INTEGER, 2, 11, MPI_COMM_WORLD, ierr)
    if (rank == 1) call MPI_SEND(2.75, 1, MPI_REAL, 2, 11, MPI_COMM_WORLD, ierr)
    if (rank /= 2) return
    n = 0
    x = 0
    do i = 1, 2
      call MPI_PROBE(MPI_ANY_SOURCE, 11, MPI_COMM_WORLD, s, ierr)
      if (OF(s, MPI_SOURCE) == 0) then
        call MPI_RECV(n, 1, MPI_INTEGER, 0, 11, MPI_COMM_WORLD, s, ierr)
      else
        call MPI_RECV(x, 1, MPI_REAL, 1, 11, MPI_COMM_WORLD, s, ierr)
      end if
    end do
    call expect(n == 28 .and. x == 2.75, "ex 2.28")
  end subroutine probe_chooses

  ! A receive from anybody may get another message than the probe told of: its own status counts.
  subroutine receive_may_differ()
    integer :: i, value, seen(0:1)
    STATUS :: s
    if (rank < 2) call MPI_SEND(29 + rank, 1, MPI_INTEGER, 2, 29, MPI_COMM_WORLD, ierr)
    if (rank /= 2) return
    seen = 0
    do i = 1, 2
      call MPI_PROBE(MPI_ANY_SOURCE, 29, MPI_COMM_WORLD, s, ierr)
      call MPI_RECV(value, 1, MPI_INTEGER, MPI_ANY_SOURCE, 29, MPI_COMM_WORLD, s, ierr)
      seen(OF(s, MPI_SOURCE)) = value
    end do
    call expect(all(seen == [29, 30]), "ex 2.29")
  end subroutine receive_may_differ

  ! Each gives its rank to the next in the ring, `long` times over.
  subroutine neighbours(out, next, before)
    real, allocatable, intent(out) :: out(:)
    integer, intent(out) :: next, before
    allocate (out(long))
    out = rank
    next = mod(rank + 1, size)
    before = mod(rank + size - 1, size)
  end subroutine neighbours

  subroutine ring_in_turns()
    real, allocatable :: out(:)
    real :: in(long)
    integer :: next, before
    call neighbours(out, next, before)
    if (mod(rank, 2) == 0) then
      call MPI_SEND(out, long, MPI_REAL, next, 1, MPI_COMM_WORLD, ierr)
      call MPI_RECV(in, long, MPI_REAL, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    else
      call MPI_RECV(in, long, MPI_REAL, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_SEND(out, long, MPI_REAL, next, 1, MPI_COMM_WORLD, ierr)
    end if
    call expect(all(in == before), "ex 9.1a")
  end subroutine ring_in_turns

  subroutine ring_buffered()
    character, allocatable ASYNC :: space(:)
    real, allocatable :: out(:)
    real :: in(long)
    integer :: next, before, bytes
    call neighbours(out, next, before)
    call MPI_PACK_SIZE(long, MPI_REAL, MPI_COMM_WORLD, bytes, ierr)
    allocate (space(bytes + MPI_BSEND_OVERHEAD))
    call MPI_BUFFER_ATTACH(space, bytes + MPI_BSEND_OVERHEAD, ierr)
    call MPI_BSEND(out, long, MPI_REAL, next, 1, MPI_COMM_WORLD, ierr)
    call MPI_RECV(in, long, MPI_REAL, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call detach()
    call expect(all(in == before), "ex 9.1b")
  end subroutine ring_buffered

  subroutine detach()
#ifdef F08
    use, intrinsic :: iso_c_binding, only: c_ptr
    type(c_ptr) :: address
#else
    integer(MPI_ADDRESS_KIND) :: address
#endif
    integer :: bytes
    call MPI_BUFFER_DETACH(address, bytes, ierr)
  end subroutine detach

  subroutine ring_nonblocking()
    HANDLE(MPI_Request) :: r
    real, allocatable ASYNC :: out(:)
    real, allocatable ASYNC :: in(:)
    integer :: next, before
    allocate (in(long))
    call neighbours(out, next, before)
    call MPI_ISEND(out, long, MPI_REAL, next, 1, MPI_COMM_WORLD, r, ierr)
    call MPI_RECV(in, long, MPI_REAL, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_WAIT(r, MPI_STATUS_IGNORE, ierr)
    call expect(all(in == before), "ex 9.1c")
    in = -1
    call MPI_IRECV(in, long, MPI_REAL, before, 1, MPI_COMM_WORLD, r, ierr)
    call MPI_SEND(out, long, MPI_REAL, next, 1, MPI_COMM_WORLD, ierr)
    call MPI_WAIT(r, MPI_STATUS_IGNORE, ierr)
    call expect(all(in == before), "ex 9.1d")
  end subroutine ring_nonblocking

  subroutine ring_sendrecv()
    real, allocatable :: out(:)
    real :: in(long)
    integer :: next, before
    call neighbours(out, next, before)
    call MPI_SENDRECV(out, long, MPI_REAL, next, 1, in, long, MPI_REAL, before, 1, MPI_COMM_WORLD, &
        MPI_STATUS_IGNORE, ierr)
    call expect(all(in == before), "ex 9.1e")
  end subroutine ring_sendrecv

end program messages
