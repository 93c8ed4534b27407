! SPDX-License-Identifier: BSD-3-Clause
! Jacobi's iteration on blocks of columns, by every way of the book to exchange the columns at their
! borders, in our own words. Each gives the numbers of the sequential program, bit for bit.
! ex 2.11, ex 2.12, ex 2.13, ex 2.14, ex 2.15, ex 2.16, ex 2.26, ex 2.31
#include "form.inc"
program jacobi
  USE_MPI
  use check
  implicit none
  INCLUDE_MPI
  integer, parameter :: n = 12, sweeps = 40
  integer :: rank, size, ierr, left, right, first, m, i
  real(8) :: whole(0:n + 1, 0:n + 1), next(n, n)
  real(8), allocatable ASYNC :: a(:, :), b(:, :)

  call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierr)
  first = rank * n / size
  m = (rank + 1) * n / size - first
  allocate (a(0:n + 1, 0:m + 1), b(n, m))
  call fill()
  do i = 1, sweeps
    call relax(whole, next, 1, n)
    whole(1:n, 1:n) = next
  end do
  call expect(whole(6, 6) > 0 .and. whole(6, 6) < 24, "ex 2.11: the middle lies between the borders")
  do i = 12, 15
    call iterate(i)
  end do
  call overlapped()
  call all_at_once()
  call persistent()
  deallocate (a, b)
  call MPI_FINALIZE(ierr)
  call report()

contains

  subroutine fill()
    integer :: i, j
    whole = 0
    do j = 0, n + 1
      do i = 0, n + 1
        if (i == 0 .or. j == 0 .or. i > n .or. j > n) whole(i, j) = i + 0.7d0 * j
      end do
    end do
  end subroutine fill

  subroutine relax(from, to, low, high)
    real(8), intent(in) :: from(0:, 0:)
    real(8), intent(inout) :: to(:, :)
    integer, intent(in) :: low, high
    integer :: i, j
    do j = low, high
      do i = 1, n
        to(i, j) = 0.25d0 * (from(i - 1, j) + from(i + 1, j) + from(i, j - 1) + from(i, j + 1))
      end do
    end do
  end subroutine relax

  ! The block of this process as it was at the start: zeros within the borders.
  subroutine start(null_at_ends)
    logical, intent(in) :: null_at_ends
    real(8) :: result(0:n + 1, 0:n + 1)
    result = whole
    whole(1:n, 1:n) = 0
    a = whole(:, first:first + m + 1)
    whole = result
    left = rank - 1
    right = rank + 1
    if (null_at_ends .and. left < 0) left = MPI_PROC_NULL
    if (null_at_ends .and. right == size) right = MPI_PROC_NULL
  end subroutine start

  subroutine finish(what)
    character(len=*), intent(in) :: what
    call expect(all(a(1:n, 1:m) == whole(1:n, first + 1:first + m)), what)
  end subroutine finish

  subroutine iterate(example)
    integer, intent(in) :: example
    character(len=7) :: name
    integer :: i
    call start(example == 15)
    do i = 1, sweeps
      call relax(a, b, 1, m)
      a(1:n, 1:m) = b
      if (example == 12) call send_first()
      if (example == 13) call in_turns()
      if (example == 14) call pairwise()
      if (example == 15) call through_null()
    end do
    write (name, '(a,i2)') "ex 2.", example
    call finish(name)
  end subroutine iterate

  subroutine give(column, to)
    integer, intent(in) :: column, to
    call MPI_SEND(a(1, column), n, MPI_DOUBLE_PRECISION, to, 1, MPI_COMM_WORLD, ierr)
  end subroutine give

  subroutine take(column, from)
    integer, intent(in) :: column, from
    STATUS :: s
    call MPI_RECV(a(1, column), n, MPI_DOUBLE_PRECISION, from, 1, MPI_COMM_WORLD, s, ierr)
  end subroutine take

  ! Counts on the library to buffer one column.
  subroutine send_first()
    if (left >= 0) call give(1, left)
    if (right < size) call give(m, right)
    if (left >= 0) call take(0, left)
    if (right < size) call take(m + 1, right)
  end subroutine send_first

  subroutine in_turns()
    if (mod(rank, 2) == 1) then
      call give(1, left)
      if (right < size) call give(m, right)
      call take(0, left)
      if (right < size) call take(m + 1, right)
    else
      if (right < size) call take(m + 1, right)
      if (left >= 0) call take(0, left)
      if (right < size) call give(m, right)
      if (left >= 0) call give(1, left)
    end if
  end subroutine in_turns

  subroutine swap(out, in, with)
    integer, intent(in) :: out, in, with
    STATUS :: s
    call MPI_SENDRECV(a(1, out), n, MPI_DOUBLE_PRECISION, with, 1, a(1, in), n, MPI_DOUBLE_PRECISION, &
        with, 1, MPI_COMM_WORLD, s, ierr)
  end subroutine swap

  subroutine pairwise()
    if (left >= 0) call swap(1, 0, left)
    if (right < size) call swap(m, m + 1, right)
  end subroutine pairwise

  subroutine through_null()
    STATUS :: s
    call MPI_SENDRECV(a(1, m), n, MPI_DOUBLE_PRECISION, right, 1, a(1, 0), n, MPI_DOUBLE_PRECISION, left, &
        1, MPI_COMM_WORLD, s, ierr)
    call MPI_SENDRECV(a(1, 1), n, MPI_DOUBLE_PRECISION, left, 1, a(1, m + 1), n, MPI_DOUBLE_PRECISION, &
        right, 1, MPI_COMM_WORLD, s, ierr)
  end subroutine through_null

  ! The columns at the borders first, then the inner ones while the messages are on their way.
  subroutine post(r)
    HANDLE(MPI_Request), intent(out) :: r(4)
    call relax(a, b, 1, 1)
    call relax(a, b, m, m)
    call MPI_ISEND(b(1, 1), n, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, r(1), ierr)
    call MPI_ISEND(b(1, m), n, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, r(2), ierr)
  end subroutine post

  subroutine overlapped()
    HANDLE(MPI_Request) :: r(4)
    STATUS :: s
    integer :: i, k
    call start(.true.)
    do i = 1, sweeps
      call post(r)
      call relax(a, b, 2, m - 1)
      a(1:n, 1:m) = b
      call MPI_IRECV(a(1, 0), n, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, r(3), ierr)
      call MPI_IRECV(a(1, m + 1), n, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, r(4), ierr)
      do k = 1, 4
        call MPI_WAIT(r(k), s, ierr)
      end do
    end do
    call finish("ex 2.16")
  end subroutine overlapped

  subroutine all_at_once()
    HANDLE(MPI_Request) :: r(4)
    integer :: i
    call start(.true.)
    do i = 1, sweeps
      call post(r)
      call relax(a, b, 2, m - 1)
      a(1:n, 1:m) = b
      call MPI_IRECV(a(1, 0), n, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, r(3), ierr)
      call MPI_IRECV(a(1, m + 1), n, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, r(4), ierr)
      call MPI_WAITALL(4, r, MPI_STATUSES_IGNORE, ierr)
    end do
    call finish("ex 2.26")
  end subroutine all_at_once

  subroutine persistent()
    HANDLE(MPI_Request) :: r(4)
    integer :: i, k
    call start(.true.)
    call MPI_SEND_INIT(b(1, 1), n, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, r(1), ierr)
    call MPI_SEND_INIT(b(1, m), n, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, r(2), ierr)
    call MPI_RECV_INIT(a(1, 0), n, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, r(3), ierr)
    call MPI_RECV_INIT(a(1, m + 1), n, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, r(4), ierr)
    do i = 1, sweeps
      call relax(a, b, 1, m)
      a(1:n, 1:m) = b
      call MPI_STARTALL(4, r, ierr)
      call MPI_WAITALL(4, r, MPI_STATUSES_IGNORE, ierr)
    end do
    do k = 1, 4
      call MPI_REQUEST_FREE(r(k), ierr)
    end do
    call finish("ex 2.31")
  end subroutine persistent

end program jacobi
