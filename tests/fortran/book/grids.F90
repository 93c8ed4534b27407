! SPDX-License-Identifier: BSD-3-Clause
! Grids and graphs: the examples of the book's sixth chapter, in our own words. Run on twelve ranks;
! examples of fewer processes use the first.
! ex 6.1, ex 6.2, ex 6.3, ex 6.4, ex 6.5, ex 6.6, ex 6.7; req fortran 10.127
#include "form.inc"
program grids
  USE_MPI
  use check
  implicit none
  INCLUDE_MPI
  integer :: rank, size, ierr

  call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierr)
  call expect_value(size, 12, "the number of processes")
  call sides()
  call skewed(.true., [0, 9, 6, 3, 4, 1, 10, 7, 8, 5, 2, 11])
  call skewed(.false., [0, -1, -1, -1, 4, 1, -1, -1, 8, 5, 2, -1])
  call parts([.true., .false., .true.], 4)
  call parts([.false., .false., .true.], 2)
  call graph()
  call shuffle_exchange()
  call product(3, 4, 1)
  call product(2, 3, 1)
  call product(2, 2, 2)
  call product(2, 3, 2)
  call MPI_FINALIZE(ierr)
  call report()

contains

  ! The first `count` processes; MPI_COMM_NULL elsewhere.
  subroutine first(count, comm)
    integer, intent(in) :: count
    HANDLE(MPI_Comm), intent(out) :: comm
    call MPI_COMM_SPLIT(MPI_COMM_WORLD, merge(0, MPI_UNDEFINED, rank < count), rank, comm, ierr)
  end subroutine first

  subroutine sides()
    integer :: two(2), three(3), class
    two = 0
    call MPI_DIMS_CREATE(6, 2, two, ierr)
    call expect(all(two == [3, 2]), "ex 6.1: 6 nodes")
    two = 0
    call MPI_DIMS_CREATE(7, 2, two, ierr)
    call expect(all(two == [7, 1]), "ex 6.1: 7 nodes")
    three = [0, 3, 0]
    call MPI_DIMS_CREATE(6, 3, three, ierr)
    call expect(all(three == [2, 3, 1]), "ex 6.1: 6 nodes, 3 of them in the middle")
    call MPI_COMM_SET_ERRHANDLER(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
    call MPI_COMM_SET_ERRHANDLER(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
    three = [0, 3, 0]
    call MPI_DIMS_CREATE(7, 3, three, ierr)
    call MPI_ERROR_CLASS(ierr, class, ierr)
    call expect_value(class, MPI_ERR_DIMS, "ex 6.1: 7 nodes, 3 of them in the middle")
    call MPI_COMM_SET_ERRHANDLER(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL, ierr)
    call MPI_COMM_SET_ERRHANDLER(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, ierr)
  end subroutine sides

  ! Column j moves down by j places. Direction 0 is the first dimension.
  subroutine skewed(torus, expected)
    logical, intent(in) :: torus
    integer, intent(in) :: expected(0:11)
    HANDLE(MPI_Comm) :: grid
    integer :: place(2), from, to, a, b
    STATUS :: s
    call MPI_CART_CREATE(MPI_COMM_WORLD, 2, [3, 4], [torus, torus], .false., grid, ierr)
    call MPI_CART_COORDS(grid, rank, 2, place, ierr)
    call expect(all(place == [rank / 4, mod(rank, 4)]), "figure 6.1")
    call MPI_CART_SHIFT(grid, 0, place(2), from, to, ierr)
    a = rank
    b = -1
    call MPI_SENDRECV(a, 1, MPI_INTEGER, to, 13, b, 1, MPI_INTEGER, from, 13, grid, s, ierr)
    call expect_value(b, expected(rank), "ex 6.2")
    call MPI_COMM_FREE(grid, ierr)
  end subroutine skewed

  ! The book's grid of 2 x 3 x 4, with 2 in its last dimension.
  subroutine parts(remain, processes)
    logical, intent(in) :: remain(3)
    integer, intent(in) :: processes
    HANDLE(MPI_Comm) :: grid, part
    integer :: n, total
    call MPI_CART_CREATE(MPI_COMM_WORLD, 3, [2, 3, 2], [.false., .false., .false.], .false., grid, ierr)
    call MPI_CART_SUB(grid, remain, part, ierr)
    call MPI_COMM_SIZE(part, n, ierr)
    call expect_value(n, processes, "ex 6.3: the size of a part")
    call MPI_CARTDIM_GET(part, n, ierr)
    call expect_value(n, count(remain), "ex 6.3: the dimensions of a part")
    call MPI_ALLREDUCE(1, total, 1, MPI_INTEGER, MPI_SUM, part, ierr)
    call expect_value(total, processes, "ex 6.3: a sum over a part")
    call MPI_COMM_FREE(part, ierr)
    call MPI_COMM_FREE(grid, ierr)
  end subroutine parts

  subroutine graph()
    HANDLE(MPI_Comm) :: comm
    integer :: nodes, edges, n, index(4), lists(6), near(2)
    call MPI_GRAPH_CREATE(MPI_COMM_WORLD, 4, [2, 3, 4, 6], [1, 3, 0, 3, 0, 2], .false., comm, ierr)
    call expect((comm == MPI_COMM_NULL) .eqv. rank > 3, "ex 6.4: processes that are left out")
    if (comm == MPI_COMM_NULL) return
    call MPI_GRAPHDIMS_GET(comm, nodes, edges, ierr)
    call expect(nodes == 4 .and. edges == 6, "ex 6.4: the size of the graph")
    call MPI_GRAPH_GET(comm, 4, 6, index, lists, ierr)
    call expect(all(index == [2, 3, 4, 6]) .and. all(lists == [1, 3, 0, 3, 0, 2]), "ex 6.4")
    call MPI_GRAPH_NEIGHBORS_COUNT(comm, 3, n, ierr)
    call MPI_GRAPH_NEIGHBORS(comm, 3, 2, near, ierr)
    call expect(n == 2 .and. all(near == [0, 2]), "ex 6.4: the neighbours of node 3")
    call MPI_COMM_FREE(comm, ierr)
  end subroutine graph

  ! Nodes of three bits: exchange the last bit, shuffle to the left, shuffle back to the right.
  subroutine shuffle_exchange()
    HANDLE(MPI_Comm) :: comm
    integer :: k, near(3), index(8), edges(3, 0:7), a
    STATUS :: s
    do k = 0, 7
      edges(:, k) = [ieor(k, 1), mod(2 * k, 8) + k / 4, k / 2 + 4 * mod(k, 2)]
      index(k + 1) = 3 * (k + 1)
    end do
    call MPI_GRAPH_CREATE(MPI_COMM_WORLD, 8, index, reshape(edges, [24]), .false., comm, ierr)
    if (comm == MPI_COMM_NULL) return
    call MPI_GRAPH_NEIGHBORS(comm, rank, 3, near, ierr)
    call expect(all(near == edges(:, rank)), "ex 6.5: the neighbours")
    a = rank
    call MPI_SENDRECV_REPLACE(a, 1, MPI_INTEGER, near(1), 0, near(1), 0, comm, s, ierr)
    call MPI_SENDRECV_REPLACE(a, 1, MPI_INTEGER, near(2), 0, near(3), 0, comm, s, ierr)
    call MPI_SENDRECV_REPLACE(a, 1, MPI_INTEGER, near(3), 0, near(2), 0, comm, s, ierr)
    call expect_value(a, ieor(rank, 1), "ex 6.5")
    call MPI_COMM_FREE(comm, ierr)
  end subroutine shuffle_exchange

  ! C = A B on p x q x r processes: rows of A by the first dimension, columns of B by the last, the
  ! inner index by the middle one. With r = 1 and q as columns it is the product in two dimensions.
  subroutine product(p, q, r)
    integer, intent(in) :: p, q, r
    HANDLE(MPI_Comm) :: comm, grid, line
    integer :: place(3)
    real(8), allocatable :: a(:, :), b(:, :), c(:, :), mine(:, :), total(:, :)
    integer, parameter :: n1 = 2, n2 = 3, n3 = 4  ! a block
    call first(p * q * r, comm)
#ifdef F08
    if (comm == MPI_COMM_NULL) return
#else
    if (comm .eq. MPI_COMM_NULL) return
#endif
    call MPI_CART_CREATE(comm, 3, [p, q, r], [.false., .false., .false.], .false., grid, ierr)
    call MPI_CART_COORDS(grid, rank, 3, place, ierr)
    allocate (a(n1, n2), b(n2, n3), mine(n1, n3), total(n1, n3), c(n1 * p, n3 * r))
    call part_of_product(grid, place, [p, q, r], a, b)
    mine = matmul(a, b)
    call MPI_CART_SUB(grid, [.false., .true., .false.], line, ierr)
    call MPI_REDUCE(mine, total, n1 * n3, MPI_DOUBLE_PRECISION, MPI_SUM, 0, line, ierr)
    call collect(grid, place, [p, q, r], total, c)
    if (rank == 0) call check_product([p, q, r], c)
    call MPI_COMM_FREE(line, ierr)
    call MPI_COMM_FREE(grid, ierr)
    call MPI_COMM_FREE(comm, ierr)
  end subroutine product

  pure real(8) function entry_a(i, j)
    integer, intent(in) :: i, j
    entry_a = 3 * i - 2 * j
  end function entry_a

  pure real(8) function entry_b(i, j)
    integer, intent(in) :: i, j
    entry_b = i * j - 5
  end function entry_b

  ! A block of a matrix as one element: the extent is that of a column of blocks.
  subroutine block_type(rows, columns, all_rows, type)
    integer, intent(in) :: rows, columns, all_rows
    HANDLE(MPI_Datatype), intent(out) :: type
    HANDLE(MPI_Datatype) :: block
    integer(MPI_ADDRESS_KIND) :: extent
    call MPI_TYPE_VECTOR(columns, rows, all_rows, MPI_DOUBLE_PRECISION, block, ierr)
    extent = rows * 8
    call MPI_TYPE_CREATE_RESIZED(block, 0_MPI_ADDRESS_KIND, extent, type, ierr)
    call MPI_TYPE_COMMIT(type, ierr)
    call MPI_TYPE_FREE(block, ierr)
  end subroutine block_type

  ! Process 0 has the matrices; blocks go to the front plane and from there along the third way.
  subroutine part_of_product(grid, place, sides, a, b)
    HANDLE(MPI_Comm), intent(in) :: grid
    integer, intent(in) :: place(3), sides(3)
    real(8), intent(out) :: a(:, :), b(:, :)
    real(8), allocatable :: all_a(:, :), all_b(:, :)
    integer :: i, j
    allocate (all_a(ubound(a, 1) * sides(1), ubound(a, 2) * sides(2)))
    allocate (all_b(ubound(b, 1) * sides(2), ubound(b, 2) * sides(3)))
    if (rank == 0) then
      do j = 1, ubound(all_a, 2)
        all_a(:, j) = [(entry_a(i, j), i = 1, ubound(all_a, 1))]
      end do
      do j = 1, ubound(all_b, 2)
        all_b(:, j) = [(entry_b(i, j), i = 1, ubound(all_b, 1))]
      end do
    end if
    call scatter(grid, [.true., .true., .false.], place(3) == 0, all_a, a, sides(1:2))
    call spread_along(grid, [.false., .false., .true.], a)
    call scatter(grid, [.false., .true., .true.], place(1) == 0, all_b, b, sides(2:3))
    call spread_along(grid, [.true., .false., .false.], b)
  end subroutine part_of_product

  ! Block (i, j) stands j columns of blocks and i blocks behind the first; ranks count by rows.
  subroutine places(sides, rows, columns, counts, at)
    integer, intent(in) :: sides(2), rows, columns
    integer, intent(out) :: counts(:), at(:)
    integer :: i, j
    counts = 1
    do i = 0, sides(1) - 1
      do j = 0, sides(2) - 1
        at(i * sides(2) + j + 1) = j * sides(1) * columns + i
      end do
    end do
    call expect(rows > 0, "a block has rows")
  end subroutine places

  subroutine scatter(grid, plane, takes_part, whole, block, sides)
    HANDLE(MPI_Comm), intent(in) :: grid
    logical, intent(in) :: plane(3), takes_part
    real(8), intent(in) :: whole(:, :)
    real(8), intent(out) :: block(:, :)
    integer, intent(in) :: sides(2)
    HANDLE(MPI_Comm) :: comm
    HANDLE(MPI_Datatype) :: one
    integer :: rows, columns, counts(sides(1) * sides(2)), at(sides(1) * sides(2))
    rows = ubound(block, 1)
    columns = ubound(block, 2)
    block = 0
    call MPI_CART_SUB(grid, plane, comm, ierr)
    if (takes_part) then
      call block_type(rows, columns, ubound(whole, 1), one)
      call places(sides, rows, columns, counts, at)
      call MPI_SCATTERV(whole, counts, at, one, block, rows * columns, MPI_DOUBLE_PRECISION, 0, comm, ierr)
      call MPI_TYPE_FREE(one, ierr)
    end if
    call MPI_COMM_FREE(comm, ierr)
  end subroutine scatter

  subroutine spread_along(grid, line, block)
    HANDLE(MPI_Comm), intent(in) :: grid
    logical, intent(in) :: line(3)
    real(8), intent(inout) :: block(:, :)
    HANDLE(MPI_Comm) :: comm
    call MPI_CART_SUB(grid, line, comm, ierr)
    call MPI_BCAST(block, ubound(block, 1) * ubound(block, 2), MPI_DOUBLE_PRECISION, 0, comm, ierr)
    call MPI_COMM_FREE(comm, ierr)
  end subroutine spread_along

  subroutine collect(grid, place, sides, block, whole)
    HANDLE(MPI_Comm), intent(in) :: grid
    integer, intent(in) :: place(3), sides(3)
    real(8), intent(in) :: block(:, :)
    real(8), intent(inout) :: whole(:, :)
    HANDLE(MPI_Comm) :: comm
    HANDLE(MPI_Datatype) :: one
    integer :: rows, columns, counts(sides(1) * sides(3)), at(sides(1) * sides(3))
    rows = ubound(block, 1)
    columns = ubound(block, 2)
    call MPI_CART_SUB(grid, [.true., .false., .true.], comm, ierr)
    if (place(2) == 0) then
      call block_type(rows, columns, ubound(whole, 1), one)
      call places([sides(1), sides(3)], rows, columns, counts, at)
      call MPI_GATHERV(block, rows * columns, MPI_DOUBLE_PRECISION, whole, counts, at, one, 0, comm, ierr)
      call MPI_TYPE_FREE(one, ierr)
    end if
    call MPI_COMM_FREE(comm, ierr)
  end subroutine collect

  subroutine check_product(sides, c)
    integer, intent(in) :: sides(3)
    real(8), intent(in) :: c(:, :)
    real(8) :: sum
    integer :: i, j, k
    do j = 1, ubound(c, 2)
      do i = 1, ubound(c, 1)
        sum = 0
        do k = 1, 3 * sides(2)
          sum = sum + entry_a(i, k) * entry_b(k, j)
        end do
        call expect(c(i, j) == sum, "ex 6.6, ex 6.7")
      end do
    end do
  end subroutine check_product

end program grids
