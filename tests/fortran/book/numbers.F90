! SPDX-License-Identifier: BSD-3-Clause
! Datatypes and reductions: the examples of the book's third and fourth chapters that are printed in
! Fortran, in our own words. Run on two ranks or more.
! ex 3.8, ex 3.9, ex 3.17, ex 3.18, ex 3.19, ex 3.20, ex 4.15, ex 4.16, ex 4.18, ex 4.20, ex 4.21
! req fortran 7.97, 7.103, 10.127
#include "form.inc"
program numbers
  USE_MPI
  use check
  implicit none
  INCLUDE_MPI
  integer :: rank, size, ierr

  call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierr)
  call every_other()
  call transposed()
  call handles_of_types()
  if (rank < 2) then
    call matching()
    call counts()
  end if
  call addresses()
  call dot_product_of_parts()
  call row_times_matrix()
  call largest_with_owner()
  call MPI_FINALIZE(ierr)
  call report()

contains

  subroutine to_self(from, of, to, count)
    real, intent(in) :: from(*)
    real, intent(inout) :: to(*)
    integer, intent(in) :: count
    HANDLE(MPI_Datatype), intent(in) :: of
    STATUS :: s
    call MPI_SENDRECV(from, 1, of, rank, 0, to, count, MPI_REAL, rank, 0, MPI_COMM_WORLD, s, ierr)
  end subroutine to_self

  ! Every other row and every other column of a matrix.
  subroutine every_other()
    real :: a(6, 5), e(3, 3)
    integer :: i, j, bytes
    HANDLE(MPI_Datatype) :: column, all_of_it
    a = reshape([((10.0 * i + j, i = 1, 6), j = 1, 5)], [6, 5])
    e = 0
    call MPI_TYPE_SIZE(MPI_REAL, bytes, ierr)
    call MPI_TYPE_VECTOR(3, 1, 2, MPI_REAL, column, ierr)
#ifdef F08
    call MPI_TYPE_CREATE_HVECTOR(3, 1, int(12 * bytes, MPI_ADDRESS_KIND), column, all_of_it, ierr)
#else
    call MPI_TYPE_EXTENT(column, i, ierr)
    call expect_value(i, 5 * bytes, "ex 3.8: the extent of a column")
    call MPI_TYPE_HVECTOR(3, 1, 12 * bytes, column, all_of_it, ierr)
#endif
    call MPI_TYPE_COMMIT(all_of_it, ierr)
    call to_self(a, all_of_it, e, 9)
    call expect(all(e == a(1:6:2, 1:5:2)), "ex 3.8")
    call MPI_TYPE_FREE(column, ierr)
    call MPI_TYPE_FREE(all_of_it, ierr)
  end subroutine every_other

  subroutine transposed()
    real :: a(100, 100), b(100, 100)
    integer :: bytes
    HANDLE(MPI_Datatype) :: row, rows
    call random_number(a)
    call MPI_TYPE_SIZE(MPI_REAL, bytes, ierr)
    call MPI_TYPE_VECTOR(100, 1, 100, MPI_REAL, row, ierr)
    call MPI_TYPE_CREATE_HVECTOR(100, 1, int(bytes, MPI_ADDRESS_KIND), row, rows, ierr)
    call MPI_TYPE_COMMIT(rows, ierr)
    call to_self(a, rows, b, 10000)
    call expect(all(b == transpose(a)), "ex 3.9")
    call MPI_TYPE_FREE(row, ierr)
    call MPI_TYPE_FREE(rows, ierr)
  end subroutine transposed

  subroutine handles_of_types()
    HANDLE(MPI_Datatype) :: first, second
    integer :: i
    real :: a(15), b(15)
    a = [(real(i), i = 1, 15)]
    b = 0
    call MPI_TYPE_CONTIGUOUS(5, MPI_REAL, first, ierr)
    call MPI_TYPE_COMMIT(first, ierr)
    second = first
    call to_self(a, second, b, 5)
    call expect(all(b(:5) == a(:5)) .and. b(6) == 0, "ex 3.17: two handles of one datatype")
    call MPI_TYPE_VECTOR(3, 3, 6, MPI_REAL, first, ierr)
    call MPI_TYPE_COMMIT(first, ierr)
    call to_self(a, first, b, 9)
    call expect(all(b(:9) == a([1, 2, 3, 7, 8, 9, 13, 14, 15])), "ex 3.17: a handle that names another datatype")
    call MPI_TYPE_FREE(second, ierr)
    second = first
    call MPI_TYPE_FREE(second, ierr)
    call expect(second == MPI_DATATYPE_NULL .and. first /= MPI_DATATYPE_NULL, "ex 3.17: the handle that was freed")
  end subroutine handles_of_types

  ! Four ways to say four reals on either side.
  subroutine matching()
    HANDLE(MPI_Datatype) :: two, four, two_twos, type(4)
    integer :: count(4), i, j
    real :: a(8)
    call MPI_TYPE_CONTIGUOUS(2, MPI_REAL, two, ierr)
    call MPI_TYPE_CONTIGUOUS(4, MPI_REAL, four, ierr)
    call MPI_TYPE_CONTIGUOUS(2, two, two_twos, ierr)
    call MPI_TYPE_COMMIT(two, ierr)
    call MPI_TYPE_COMMIT(four, ierr)
    call MPI_TYPE_COMMIT(two_twos, ierr)
    type = [MPI_REAL, two, two_twos, four]
    count = [4, 2, 1, 1]
    do i = 1, 4
      do j = 1, 4
        a = -1
        if (rank == 0) then
          a(:4) = [1, 2, 3, 4] + 10 * i + j
          call MPI_SEND(a, count(i), type(i), 1, i, MPI_COMM_WORLD, ierr)
        else
          call MPI_RECV(a, count(j), type(j), 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
          call expect(all(a(:4) == [1, 2, 3, 4] + 10 * i + j) .and. all(a(5:) == -1), "ex 3.18")
        end if
      end do
    end do
    do i = 2, 4
      call MPI_TYPE_FREE(type(i), ierr)
    end do
  end subroutine matching

  ! Two and three reals, received as pairs of reals.
  subroutine counts()
    HANDLE(MPI_Datatype) :: two
    STATUS :: s
    integer :: n, pairs, reals
    real :: a(8)
    a = 0
    call MPI_TYPE_CONTIGUOUS(2, MPI_REAL, two, ierr)
    call MPI_TYPE_COMMIT(two, ierr)
    do n = 2, 3
      if (rank == 0) then
        call MPI_SEND(a, n, MPI_REAL, 1, 0, MPI_COMM_WORLD, ierr)
      else
        call MPI_RECV(a, 2, two, 0, 0, MPI_COMM_WORLD, s, ierr)
        call MPI_GET_COUNT(s, two, pairs, ierr)
        call MPI_GET_ELEMENTS(s, two, reals, ierr)
        call expect_value(reals, n, "ex 3.19: the elements")
        call expect_value(pairs, merge(1, MPI_UNDEFINED, n == 2), "ex 3.19: the count")
      end if
    end do
    call MPI_TYPE_FREE(two, ierr)
  end subroutine counts

  subroutine addresses()
    real :: a(100, 100)
    integer(MPI_ADDRESS_KIND) :: first, other
    a(1, 1) = 0
    call MPI_GET_ADDRESS(a(1, 1), first, ierr)
    call MPI_GET_ADDRESS(a(10, 10), other, ierr)
    call expect_value(int(other - first), 909 * storage_size(a) / 8, "ex 3.20")
  end subroutine addresses

  subroutine dot_product_of_parts()
    integer, parameter :: m = 5
    real :: a(m), b(m), mine, total
    integer :: i
    a = [(rank * m + i, i = 1, m)]
    b = 2
    mine = dot_product(a, b)
    total = -1
    call MPI_REDUCE(mine, total, 1, MPI_REAL, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    call expect(total == merge(size * m * (size * m + 1), -1, rank == 0), "ex 4.15")
  end subroutine dot_product_of_parts

  ! Rank i has i + 1 entries of the row and as many rows of the matrix; column j of it is all j.
  subroutine row_times_matrix()
    integer, parameter :: n = 7
    real :: a(rank + 1), b(rank + 1, n), mine(n), c(n), whole(n)
    real, allocatable :: part(:)
    integer :: k(size), i, j, before
    a = 1
    do j = 1, n
      b(:, j) = j
      mine(j) = sum(a * b(:, j))
    end do
    whole = [(j * (size * (size + 1)) / 2, j = 1, n)]
    c = -1
    call MPI_REDUCE(mine, c, n, MPI_REAL, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    call expect(all(c == merge(whole, -1.0, rank == 0)), "ex 4.16")
    call MPI_ALLREDUCE(mine, c, n, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, ierr)
    call expect(all(c == whole), "ex 4.20")
    i = n / size
    if (rank == size - 1) i = n - i * (size - 1)
    call MPI_ALLGATHER(i, 1, MPI_INTEGER, k, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    allocate (part(i))
    call MPI_REDUCE_SCATTER(mine, part, k, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, ierr)
    before = sum(k(:rank))
    call expect(all(part == whole(before + 1:before + i)), "ex 4.21")
  end subroutine row_times_matrix

  ! The index of a pair has the type of its value.
  subroutine largest_with_owner()
    double precision :: in(2, 30), out(2, 30)
    integer :: i
    in(1, :) = [(mod(i + rank, size), i = 1, 30)]
    in(2, :) = rank
    call MPI_REDUCE(in, out, 30, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, 0, MPI_COMM_WORLD, ierr)
    if (rank /= 0) return
    call expect(all(out(1, :) == size - 1), "ex 4.18: the largest")
    call expect(all([(mod(i + int(out(2, i)), size), i = 1, 30)] == size - 1), "ex 4.18: its rank")
  end subroutine largest_with_owner

end program numbers
