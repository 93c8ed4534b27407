! SPDX-License-Identifier: BSD-3-Clause
! Choice buffers that are sections of arrays, through mpi_f08.
! req fortran 3.34, 3.35, 3.38, 3.39, 3.40, 3.41, 3.42, 3.43, 3.44, 3.45
! req fortran 5.72, 3.46, 3.47, 3.48, 3.49, 3.50
program sections
  use mpi_f08
  use check
  implicit none
  integer :: rank, size

  call MPI_Init()
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call planes(12)
  call planes(60)
  call partial_count()
  call several_elements_per_array_element()
  call datatype_with_gaps()
  call reversed()
  call reductions()
  call persistent()
  call collectives()
  call datatypes_of_each_rank()
  call completions()
  call kept_memory()
  call bounds_stay()
  call scalars_and_elements()
  call packing()
  call MPI_Finalize()
  call report()

contains

  integer function other()
    other = merge(rank + 1, rank - 1, mod(rank, 2) == 0)
    if (other >= size) other = rank
  end function other

  ! Two strided levels: each must be placed by its stride, not by the extent of the level below.
  subroutine planes(n)
    integer, intent(in) :: n
    integer, allocatable, asynchronous :: from(:, :, :), to(:, :, :)
    integer, allocatable :: wanted(:, :, :)
    type(MPI_Request) :: requests(2)
    type(MPI_Status) :: statuses(2)
    integer :: i, count
    allocate (from(n, n, 6), to(n, n, 6), wanted(n, n, 6))
    from = reshape([(i, i=1, n * n * 6)], shape(from))
    to = -1
    wanted = -1
    wanted(2:n:3, 1:n:2, 2:6:2) = from(1:n - 1:3, 2:n:2, 1:5:2)
    count = product(shape(from(1:n - 1:3, 2:n:2, 1:5:2)))
    call MPI_Irecv(to(2:n:3, 1:n:2, 2:6:2), count, MPI_INTEGER, other(), 1, MPI_COMM_WORLD, &
        requests(1))
    call MPI_Isend(from(1:n - 1:3, 2:n:2, 1:5:2), count, MPI_INTEGER, other(), 1, &
        MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, statuses)
    call expect(all(to == wanted), &
        "a nonblocking receive into a section of three strided dimensions")
    to = -1
    call MPI_Sendrecv(from(1:n - 1:3, 2:n:2, 1:5:2), count, MPI_INTEGER, other(), 2, to(2:n:3, &
        1:n:2, 2:6:2), count, &
        MPI_INTEGER, other(), 2, MPI_COMM_WORLD, statuses(1))
    call expect(all(to == wanted), "MPI_Sendrecv between two sections")
    call MPI_Get_count(statuses(1), MPI_INTEGER, i)
    call expect_value(i, count, "the count of a received section")
  end subroutine planes

  ! A count that ends inside a row of the section.
  subroutine partial_count()
    integer, asynchronous :: from(64, 64), to(64, 64)
    integer :: wanted(64, 64), i, k
    type(MPI_Request) :: requests(2)
    from = reshape([(i, i=1, size_of(from))], shape(from))
    to = 0
    wanted = 0
    do i = 0, 1006
      k = i / 32
      wanted(2 * mod(i, 32) + 1, k + 1) = from(2 * mod(i, 32) + 2, k + 1)
    end do
    call MPI_Irecv(to(1:64:2, :), 1007, MPI_INTEGER, other(), 3, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(from(2:64:2, :), 1007, MPI_INTEGER, other(), 3, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect(all(to == wanted), "a count that ends inside a row")
    ! Fewer elements arrive than were asked for: the others stay.
    to = -3
    call MPI_Sendrecv(from(2:64:2, 1:2), 33, MPI_INTEGER, other(), 3, to(1:64:2, 1:4), 128, &
        MPI_INTEGER, other(), 3, &
        MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call expect(to(1, 2) == from(2, 2) .and. all(to(3::2, 2) == -3), &
        "elements that no message reaches stay")
  end subroutine partial_count

  integer function size_of(array)
    integer, intent(in) :: array(:, :)
    size_of = ubound(array, 1) * ubound(array, 2)
  end function size_of

  subroutine several_elements_per_array_element()
    complex, asynchronous :: c(200), d(200)
    character(len=8), asynchronous :: words(6), heard(6)
    type(MPI_Request) :: requests(2)
    integer :: i
    c = [(cmplx(i, -i), i=1, 200)]
    d = 0
    call MPI_Irecv(d(2:200:2), 200, MPI_REAL, other(), 4, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(c(1:200:2), 200, MPI_REAL, other(), 4, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect(all(d(2:200:2) == c(1:200:2)) .and. all(d(1:200:2) == 0), &
        "MPI_REAL in a section of COMPLEX")
    words = ["one     ", "two     ", "three   ", "four    ", "five    ", "six     "]
    heard = "-"
    call MPI_Irecv(heard(1:6:2), 24, MPI_CHARACTER, other(), 4, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(words(2:6:2), 24, MPI_CHARACTER, other(), 4, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect(all(heard(1:6:2) == words(2:6:2)) .and. all(heard(2:6:2) == "-"), &
        "characters in a section of words")
  end subroutine several_elements_per_array_element

  ! The datatype's displacements count in the packed section: no datatype can describe that.
  subroutine datatype_with_gaps()
    integer, asynchronous :: from(40), to(40)
    type(MPI_Datatype) :: gaps
    type(MPI_Request) :: requests(2)
    integer :: i
    from = [(i, i=1, 40)]
    to = 0
    call MPI_Type_vector(5, 1, 2, MPI_INTEGER, gaps)
    call MPI_Type_commit(gaps)
    call MPI_Irecv(to(2:40:2), 1, gaps, other(), 5, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(from(1:40:2), 1, gaps, other(), 5, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect(all(to(2:18:4) == from(1:17:4)) .and. sum(to) == sum(from(1:17:4)), &
        "a datatype with gaps in a section")
    call MPI_Type_free(gaps)
  end subroutine datatype_with_gaps

  subroutine reversed()
    real(8), asynchronous :: from(1000), to(1000)
    type(MPI_Request) :: requests(2)
    integer :: i
    from = [(i, i=1, 1000)]
    call MPI_Irecv(to(1000:1:-1), 1000, MPI_DOUBLE_PRECISION, other(), 6, MPI_COMM_WORLD, &
        requests(1))
    call MPI_Isend(from, 1000, MPI_DOUBLE_PRECISION, other(), 6, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect(all(to == from(1000:1:-1)), "a section that runs backwards")
  end subroutine reversed

  subroutine reductions()
    integer, asynchronous :: mine(20), sums(20)
    type(MPI_Request) :: request
    integer :: i
    logical :: flag
    mine = [(i + rank, i=1, 20)]
    sums = -1
    call MPI_Allreduce(mine(1:20:2), sums(2:20:2), 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call expect(all(sums(2:20:2) == total(1)) .and. all(sums(1:20:2) == -1), &
        "a reduction between sections")
    sums = -1
    call MPI_Iallreduce(mine(1:20:2), sums(2:20:2), 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, &
        request)
    flag = .false.
    do while (.not. flag)
      call MPI_Test(request, flag, MPI_STATUS_IGNORE)
    end do
    call expect(all(sums(2:20:2) == total(1)) .and. all(sums(1:20:2) == -1), &
        "a nonblocking reduction between sections")
    call expect(request == MPI_REQUEST_NULL, "the request is null after it completed")
    sums(1:20:2) = mine(1:20:2)
    sums(2:20:2) = -1
    call MPI_Allreduce(MPI_IN_PLACE, sums(1:20:2), 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call expect(all(sums(1:20:2) == total(1)) .and. all(sums(2:20:2) == -1), &
        "MPI_IN_PLACE in a section")
  end subroutine reductions

  function total(first)
    integer, intent(in) :: first
    integer :: total(10), i
    total = [(size * (first + 2 * i) + size * (size - 1) / 2, i=0, 9)]
  end function total

  subroutine persistent()
    integer, asynchronous :: mine(20), sums(20)
    type(MPI_Request) :: request
    integer :: i, round
    call MPI_Allreduce_init(mine(1:20:2), sums(2:20:2), 10, MPI_INTEGER, MPI_SUM, &
        MPI_COMM_WORLD, MPI_INFO_NULL, request)
    do round = 1, 3
      mine = [(i + rank + round, i=1, 20)]
      sums = -1
      call MPI_Start(request)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      call expect(all(sums(2:20:2) == total(1 + round)), &
          "a persistent reduction packs at each start")
      call expect(all(sums(1:20:2) == -1), "elements beside a section stay")
    end do
    call MPI_Request_free(request)
  end subroutine persistent

  subroutine collectives()
    integer, allocatable :: all_of(:, :), one(:)
    integer :: i, counts(size), places(size)
    allocate (all_of(8, size), one(8))
    one = [(100 * rank + i, i=1, 8)]
    all_of = -1
    call MPI_Allgather(one(1:8:2), 4, MPI_INTEGER, all_of(2:8:2, :), 4, MPI_INTEGER, MPI_COMM_WORLD)
    do i = 1, size
      call expect(all(all_of(2:8:2, i) == [1, 3, 5, 7] + 100 * (i - 1)), &
          "MPI_Allgather into a section")
    end do
    call expect(all(all_of(1:8:2, :) == -1), "MPI_Allgather leaves the rest alone")
    counts = 4
    places = [(4 * (i - 1), i=1, size)]
    one = -1
    if (rank == 0) all_of(1:8:2, :) = reshape([(i, i=1, 4 * size)], [4, size])
    call MPI_Scatterv(all_of(1:8:2, :), counts, places, MPI_INTEGER, one(2:8:2), 4, MPI_INTEGER, &
        0, MPI_COMM_WORLD)
    call expect(all(one(2:8:2) == [1, 2, 3, 4] + 4 * rank), &
        "MPI_Scatterv from a section into a section")
    one = merge([(i, i=1, 8)], -1, rank == 0)
    call MPI_Bcast(one(1:8:3), 3, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call expect(all(one(1:8:3) == [1, 4, 7]), "MPI_Bcast of a section")
  end subroutine collectives

  ! The arrays of handles that C reads are gone when the call returns.
  subroutine datatypes_of_each_rank()
    integer, asynchronous :: from(4 * size), to(4 * size)
    integer, asynchronous :: counts(size), places(size)
    type(MPI_Datatype), asynchronous :: types(size)
    type(MPI_Request) :: request
    integer :: i, round
    from = [(1000 * rank + i, i=1, 4 * size)]
    to = -1
    counts = 2
    places = [(16 * (i - 1), i=1, size)]
    types = MPI_INTEGER
    call MPI_Ialltoallw(from, counts, places, types, to, counts, places, types, MPI_COMM_WORLD, &
        request)
    call partial_count()
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    do i = 1, size
      call expect(all(to(4 * i - 3:4 * i) == [1000 * (i - 1) + 4 * rank + 1, &
          1000 * (i - 1) + 4 * rank + 2, -1, -1]), "MPI_Ialltoallw")
    end do
    call MPI_Alltoallw_init(from, counts, places, types, to, counts, places, types, &
        MPI_COMM_WORLD, MPI_INFO_NULL, request)
    do round = 1, 2
      from = [(1000 * rank + i + round, i=1, 4 * size)]
      call MPI_Start(request)
      call partial_count()
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      call expect_value(to(1), 4 * rank + 1 + round, "MPI_Alltoallw_init")
    end do
    call MPI_Request_free(request)
    call MPI_Alltoallw(MPI_IN_PLACE, counts, places, types, to, counts, places, types, &
        MPI_COMM_WORLD)
  end subroutine datatypes_of_each_rank

  ! Each way to complete a request brings the data of a section.
  subroutine completions()
    integer, asynchronous :: a(30, 4), wanted(30)
    type(MPI_Request) :: requests(4)
    integer :: i, index, count, indices(4), kind
    logical :: flag
    do kind = 1, 6
      a = 0
      do i = 1, 4
        a(1:30:3, i) = rank + i
        call MPI_Iallreduce(MPI_IN_PLACE, a(1:30:3, i), 10, MPI_INTEGER, MPI_SUM, &
            MPI_COMM_WORLD, requests(i))
      end do
      select case (kind)
      case (1)
        call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
      case (2)
        do i = 1, 4
          call MPI_Waitany(4, requests, index, MPI_STATUS_IGNORE)
          call expect(index >= 1 .and. index <= 4, "an index counts from 1")
          call expect(all(a(1:30:3, index) == size * index + size * (size - 1) / 2), &
              "MPI_Waitany brings its data")
        end do
        call MPI_Waitany(4, requests, index, MPI_STATUS_IGNORE)
        call expect_value(index, MPI_UNDEFINED, "the index when no request is active")
      case (3)
        i = 0
        do while (i < 4)
          call MPI_Waitsome(4, requests, count, indices, MPI_STATUSES_IGNORE)
          call expect(all(indices(:count) >= 1 .and. indices(:count) <= 4), "indices count from 1")
          i = i + count
        end do
      case (4)
        flag = .false.
        do while (.not. flag)
          call MPI_Testall(4, requests, flag, MPI_STATUSES_IGNORE)
        end do
      case (5)
        i = 0
        do while (i < 4)
          call MPI_Testany(4, requests, index, flag, MPI_STATUS_IGNORE)
          if (flag .and. index /= MPI_UNDEFINED) i = i + 1
        end do
      case (6)
        do i = 1, 4
          flag = .false.
          do while (.not. flag)
            call MPI_Request_get_status(requests(i), flag, MPI_STATUS_IGNORE)
          end do
          call expect(a(1, i) == size * i + size * (size - 1) / 2, &
              "MPI_Request_get_status brings the data")
          call MPI_Wait(requests(i), MPI_STATUS_IGNORE)
        end do
      end select
      do i = 1, 4
        wanted = 0
        wanted(1:30:3) = size * i + size * (size - 1) / 2
        call expect(all(a(:, i) == wanted), "data of a completed section")
      end do
    end do
  end subroutine completions

  subroutine kept_memory()
    integer, asynchronous :: array(100)
    integer :: ierror, class
    call MPI_Buffer_attach(array(1:100:2), 400, ierror)
    call MPI_Error_class(ierror, class)
    call expect_value(class, MPI_ERR_BUFFER, "the class for a strided buffer that MPI would keep")
    call MPI_Send(array(1:100:2), 60, MPI_INTEGER, other(), 0, MPI_COMM_WORLD, ierror)
    call MPI_Error_class(ierror, class)
    call expect_value(class, MPI_ERR_COUNT, "the class for a count beyond the section")
  end subroutine kept_memory

  subroutine bounds_stay()
    integer, allocatable, asynchronous :: a(:)
    integer, pointer, asynchronous :: p(:)
    integer, allocatable :: none(:)
    type(MPI_Request) :: request
    allocate (a(-3:5), p(7:9), none(0))
    a = rank
    call MPI_Isend(a, 9, MPI_INTEGER, rank, 8, MPI_COMM_WORLD, request)
    call MPI_Recv(p, 0, MPI_INTEGER, MPI_PROC_NULL, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Recv(a, 9, MPI_INTEGER, rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Bcast(p, 3, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call expect(lbound(a, 1) == -3 .and. ubound(a, 1) == 5, "bounds of an allocatable array stay")
    call expect(lbound(p, 1) == 7 .and. ubound(p, 1) == 9, "bounds of a pointer stay")
    deallocate (p)
    call MPI_Send(none, 0, MPI_INTEGER, MPI_PROC_NULL, 8, MPI_COMM_WORLD)
    call MPI_Bcast(none, 0, MPI_INTEGER, 0, MPI_COMM_WORLD)
  end subroutine bounds_stay

  ! An element as the start of the rest of its array has no bounds.
  subroutine scalars_and_elements()
    integer, asynchronous :: a(20), b(20), one
    type(MPI_Request) :: request
    integer :: i
    a = [(i, i=1, 20)]
    b = 0
    call MPI_Irecv(b(5), 10, MPI_INTEGER, other(), 9, MPI_COMM_WORLD, request)
    call MPI_Send(a(3), 10, MPI_INTEGER, other(), 9, MPI_COMM_WORLD)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(all(b(5:14) == a(3:12)) .and. sum(b) == sum(a(3:12)), &
        "an element stands for the rest of the array")
    one = rank
    call MPI_Bcast(one, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call expect_value(one, 0, "a scalar buffer")
    call assumed_size(a, b)
  end subroutine scalars_and_elements

  subroutine assumed_size(a, b)
    integer, asynchronous :: a(*), b(*)
    call MPI_Sendrecv(a(1:20:2), 10, MPI_INTEGER, rank, 1, b(2:20:2), 10, MPI_INTEGER, rank, 1, &
        MPI_COMM_WORLD, &
        MPI_STATUS_IGNORE)
    call expect(all(b(2:20:2) == a(1:20:2)), "sections of an array of assumed size")
    call MPI_Allreduce(a, b, 20, MPI_INTEGER, MPI_MAX, MPI_COMM_SELF)
    call expect(all(b(1:20) == a(1:20)), "arrays of assumed size")
  end subroutine assumed_size

  subroutine packing()
    integer :: a(10), b(10), position, i
    character :: box(200)
    a = [(i, i=1, 10)]
    b = 0
    position = 0
    call MPI_Pack(a(1:10:2), 5, MPI_INTEGER, box(1:199:2), 100, position, MPI_COMM_SELF)
    call expect_value(position, 20, "the position after packing")
    position = 0
    call MPI_Unpack(box(1:199:2), 100, position, b(2:10:2), 5, MPI_INTEGER, MPI_COMM_SELF)
    call expect(all(b(2:10:2) == a(1:10:2)) .and. all(b(1:10:2) == 0), &
        "packing from and to sections")
  end subroutine packing

end program sections
