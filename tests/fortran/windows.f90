! SPDX-License-Identifier: BSD-3-Clause
! One-sided communication through mpi_f08: windows of each kind, memory by TYPE(C_PTR), accesses
! from and to sections, requests, attributes and error handlers.
! req fortran 5.78, 5.72, 5.76, 3.47
program windows
  use, intrinsic :: iso_c_binding
  use mpi_f08
  use check
  implicit none
  integer :: rank, size, next
  integer :: told = 0

  call MPI_Init()
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  next = mod(rank + 1, size)
  call created()
  call allocated()
  call shared()
  call dynamic()
  call sections()
  call requests()
  call atomics()
  call groups()
  call handlers()
  call MPI_Finalize()
  call report()

contains

  integer function before()
    before = mod(rank + size - 1, size)
  end function before

  ! The window's attributes are values; the address is that of the array.
  subroutine created()
    integer, asynchronous :: memory(0:9), value
    integer(MPI_ADDRESS_KIND) :: bytes, base, here
    integer :: unit, i
    logical :: found
    type(MPI_Win) :: win
    type(MPI_Group) :: group
    character(len=MPI_MAX_OBJECT_NAME) :: name
    memory = -1
    bytes = 40
    call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_get_attr(win, MPI_WIN_BASE, base, found)
    call MPI_Get_address(memory, here)
    call expect(found .and. base == here, "MPI_WIN_BASE is the address of the array")
    call MPI_Win_get_attr(win, MPI_WIN_SIZE, bytes, found)
    call expect(found .and. bytes == 40, "MPI_WIN_SIZE")
    call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, bytes, found)
    unit = int(bytes)
    call expect(found .and. unit == 4, "MPI_WIN_DISP_UNIT")
    call MPI_Win_set_name(win, "a window  ")
    call MPI_Win_get_name(win, name, i)
    call expect(name == "a window" .and. i == 8, "the name of a window")
    call MPI_Win_get_group(win, group)
    call MPI_Group_size(group, i)
    call expect_value(i, size, "the size of a window's group")
    call MPI_Group_free(group)
    value = 100 + rank
    call MPI_Win_fence(MPI_MODE_NOPRECEDE, win)
    call MPI_Put(value, 1, MPI_INTEGER, next, 3_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call MPI_F_sync_reg(memory)
    call expect_value(memory(3), 100 + before(), "what MPI_Put wrote")
    call MPI_Get(value, 1_MPI_COUNT_KIND, MPI_INTEGER, next, 3_MPI_ADDRESS_KIND, 1_MPI_COUNT_KIND, &
        MPI_INTEGER, win)
    call MPI_Win_fence(MPI_MODE_NOSUCCEED, win)
    call MPI_F_sync_reg(value)
    call expect_value(value, 100 + rank, "what MPI_Get read, with large counts")
    call MPI_Win_free(win)
    call expect(win == MPI_WIN_NULL, "a window that was freed")
  end subroutine created

  subroutine allocated()
    type(c_ptr) :: address
    integer, pointer, asynchronous :: memory(:)
    integer :: r, one
    type(MPI_Win) :: win
    call MPI_Win_allocate(int(4 * size, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, MPI_COMM_WORLD, &
        address, win)
    call c_f_pointer(address, memory, [size])
    memory = 0
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_lock_all(MPI_MODE_NOCHECK, win)
    one = rank + 1
    do r = 0, size - 1
      call MPI_Accumulate(one, 1, MPI_INTEGER, r, int(rank, MPI_ADDRESS_KIND), 1, MPI_INTEGER, &
          MPI_SUM, win)
    end do
    call MPI_Win_flush_all(win)
    call MPI_Win_unlock_all(win)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win)
    call expect(all(memory == [(r, r=1, size)]), "sums in memory of MPI_Win_allocate")
    call MPI_Win_unlock(rank, win)
    call MPI_Win_free(win)
  end subroutine allocated

  ! Everyone reads the others' parts by load, and the query for MPI_PROC_NULL gives the first part.
  subroutine shared()
    type(c_ptr) :: address, theirs
    integer, pointer, asynchronous :: mine(:), other(:)
    integer(MPI_ADDRESS_KIND) :: bytes
    integer :: unit, r, near_rank, near_size
    type(MPI_Comm) :: near
    type(MPI_Win) :: win
    call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, near)
    call MPI_Comm_rank(near, near_rank)
    call MPI_Comm_size(near, near_size)
    call MPI_Win_allocate_shared(int(16, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, near, address, win)
    call c_f_pointer(address, mine, [4])
    call MPI_Win_fence(0, win)
    mine = 10 * near_rank
    call MPI_Win_fence(0, win)
    do r = 0, near_size - 1
      call MPI_Win_shared_query(win, r, bytes, unit, theirs)
      call expect(bytes == 16 .and. unit == 4, "size and unit of a shared part")
      call c_f_pointer(theirs, other, [4])
      call expect(all(other == 10 * r), "the values of a shared part")
    end do
    call MPI_Win_shared_query(win, MPI_PROC_NULL, bytes, unit, theirs)
    call c_f_pointer(theirs, other, [4])
    call expect(all(other == 0), "the first part of shared memory")
    call MPI_Win_fence(0, win)
    call MPI_Win_free(win)
    call MPI_Comm_free(near)
  end subroutine shared

  subroutine dynamic()
    integer, asynchronous, target :: memory(5)
    integer, asynchronous :: got
    integer(MPI_ADDRESS_KIND) :: here
    integer(MPI_ADDRESS_KIND), allocatable :: places(:)
    integer :: ierror, class
    type(MPI_Win) :: win
    allocate (places(0:size - 1))
    memory = [1, 2, 3, 4, 5] * (rank + 1)
    call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_attach(win, memory, 20_MPI_ADDRESS_KIND)
    call MPI_Get_address(memory(2), here)
    call MPI_Allgather(here, 1, MPI_AINT, places, 1, MPI_AINT, MPI_COMM_WORLD)
    call MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win)
    call MPI_Get(got, 1, MPI_INTEGER, next, MPI_Aint_add(places(next), 4_MPI_ADDRESS_KIND), 1, &
        MPI_INTEGER, win)
    call MPI_Win_unlock(next, win)
    call MPI_F_sync_reg(got)
    call expect_value(got, 3 * (next + 1), "a value of attached memory")
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_detach(win, memory)
    call MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN)
    call MPI_Win_attach(win, memory(1:5:2), 12_MPI_ADDRESS_KIND, ierror)
    call MPI_Error_class(ierror, class)
    call expect_value(class, MPI_ERR_BUFFER, "the class for a strided part of a window")
    call MPI_Win_free(win)
  end subroutine dynamic

  ! Both buffers of the origin may be sections; the epoch ends in another call.
  subroutine sections()
    integer, asynchronous :: memory(24), from(6, 8), to(6, 8), results(20)
    integer :: i, ierror, class
    type(MPI_Win) :: win
    type(MPI_Datatype) :: pair
    memory = 0
    from = reshape([(1000 * rank + i, i=1, 48)], shape(from))
    to = -1
    results = -1
    call MPI_Win_create(memory, 96_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN)
    call MPI_Win_fence(0, win)
    call MPI_Put(from(2:6:2, ::2), 12, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, 12, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call MPI_F_sync_reg(memory)
    call expect(all(memory(:12) == 1000 * (before() - rank) + reshape(from(2:6:2, ::2), [12])), &
        "MPI_Put from a section")
    call MPI_Get(to(6:1:-2, 2::2), 12, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, 12, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call MPI_F_sync_reg(to)
    call expect(all(to(6:1:-2, 2::2) == from(2:6:2, ::2)) .and. count(to == -1) == 36, &
        "MPI_Get into a section that runs backwards")
    call MPI_Get_accumulate(from(1, :), 8, MPI_INTEGER, results(1:16:2), 8, MPI_INTEGER, next, &
        0_MPI_ADDRESS_KIND, 8, MPI_INTEGER, MPI_SUM, win)
    call MPI_Win_fence(0, win)
    call MPI_F_sync_reg(results)
    call expect(all(results(1:16:2) == reshape(from(2:6:2, 1:5:2), [8])) .and. &
        all(results(2:16:2) == -1), "results of MPI_Get_accumulate in a section")
    call MPI_F_sync_reg(memory)
    call expect(all(memory(:8) == reshape(from(2:6:2, 1:5:2), [8]) + from(1, :) + &
        2000 * (before() - rank)), "sums of MPI_Get_accumulate from a section")
    ! No datatype describes this section, and a copy would not be read back in time.
    call MPI_Type_vector(2, 1, 2, MPI_INTEGER, pair)
    call MPI_Type_commit(pair)
    call MPI_Get(to(::2, 1), 1, pair, next, 0_MPI_ADDRESS_KIND, 2, MPI_INTEGER, win, ierror)
    call MPI_Error_class(ierror, class)
    call expect_value(class, MPI_ERR_BUFFER, "the class where no datatype describes the section")
    call MPI_Win_fence(0, win)
    call MPI_Type_free(pair)
    call MPI_Win_free(win)
  end subroutine sections

  subroutine requests()
    integer, asynchronous :: memory(20), from(20), to(20), results(20)
    integer :: i
    type(MPI_Request) :: request(3)
    type(MPI_Win) :: win
    memory = [(i, i=1, 20)] + 100 * rank
    from = 1
    to = 0
    results = 0
    call MPI_Win_create(memory, 80_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_lock_all(0, win)
    call MPI_Rget(to(1:20:2), 10, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, 10, MPI_INTEGER, win, &
        request(1))
    call MPI_Wait(request(1), MPI_STATUS_IGNORE)
    call MPI_F_sync_reg(to)
    call expect(all(to(1:20:2) == [(i, i=1, 10)] + 100 * next) .and. all(to(2:20:2) == 0), &
        "MPI_Rget into a section")
    call MPI_Rput(from(2:20:2), 5, MPI_INTEGER, next, 10_MPI_ADDRESS_KIND, 5, MPI_INTEGER, win, &
        request(1))
    call MPI_Raccumulate(from(2:20:3), 2, MPI_INTEGER, next, 15_MPI_ADDRESS_KIND, 2, MPI_INTEGER, &
        MPI_SUM, win, request(2))
    call MPI_Rget_accumulate(from(1:20:2), 3, MPI_INTEGER, results(20:1:-2), 3, MPI_INTEGER, next, &
        17_MPI_ADDRESS_KIND, 3, MPI_INTEGER, MPI_SUM, win, request(3))
    call MPI_Waitall(3, request, MPI_STATUSES_IGNORE)
    call MPI_Win_unlock_all(win)
    call MPI_F_sync_reg(results)
    call expect(all(results(20:15:-2) == [18, 19, 20] + 100 * next), &
        "MPI_Rget_accumulate into a section that runs backwards")
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win)
    call MPI_F_sync_reg(memory)
    call expect(all(memory(11:15) == 1) .and. all(memory(16:20) == [17, 18, 19, 20, 21] + &
        100 * rank), "what requests wrote")
    call MPI_Win_unlock(rank, win)
    call MPI_Win_free(win)
  end subroutine requests

  subroutine atomics()
    integer, asynchronous :: counter, one, result, compare, wanted
    integer :: drawn
    type(MPI_Win) :: win
    counter = 0
    one = 1
    call MPI_Win_create(counter, 4_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win)
    call MPI_Fetch_and_op(one, result, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, MPI_SUM, win)
    call MPI_Win_flush(0, win)
    call MPI_F_sync_reg(result)
    call MPI_Win_unlock(0, win)
    call expect(result >= 0 .and. result < size, "a number that MPI_Fetch_and_op drew")
    call MPI_Allreduce(result, drawn, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call expect_value(drawn, size * (size - 1) / 2, "the sum of the numbers drawn")
    call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win)
    compare = merge(size, 0, next == 0)
    wanted = 77
    call MPI_Compare_and_swap(wanted, compare, result, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, win)
    call MPI_Win_unlock(next, win)
    call MPI_F_sync_reg(result)
    call expect_value(result, compare, "what MPI_Compare_and_swap found")
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win)
    call MPI_F_sync_reg(counter)
    call expect_value(counter, 77, "what MPI_Compare_and_swap wrote")
    call MPI_Win_unlock(rank, win)
    call MPI_Win_free(win)
  end subroutine atomics

  ! Post, start, complete and wait with groups; a test until the epoch has ended.
  subroutine groups()
    integer, asynchronous :: memory, value
    logical :: ended
    type(MPI_Group) :: everyone, origin, target
    type(MPI_Win) :: win
    memory = 0
    call MPI_Win_create(memory, 4_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Comm_group(MPI_COMM_WORLD, everyone)
    call MPI_Group_incl(everyone, 1, [before()], origin)
    call MPI_Group_incl(everyone, 1, [next], target)
    value = rank + 5
    call MPI_Win_post(origin, 0, win)
    call MPI_Win_start(target, 0, win)
    call MPI_Put(value, 1, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
    call MPI_Win_complete(win)
    ended = .false.
    do while (.not. ended)
      call MPI_Win_test(win, ended)
    end do
    call MPI_F_sync_reg(memory)
    call expect_value(memory, before() + 5, "what came in an epoch of groups")
    call MPI_Win_post(origin, 0, win)
    call MPI_Win_start(target, 0, win)
    call MPI_Win_complete(win)
    call MPI_Win_wait(win)
    call MPI_Group_free(origin)
    call MPI_Group_free(target)
    call MPI_Group_free(everyone)
    call MPI_Win_free(win)
  end subroutine groups

  subroutine on_error(win, error_code)
    type(MPI_Win) :: win
    integer :: error_code
    integer :: class
    call MPI_Error_class(error_code, class)
    if (win /= MPI_WIN_NULL) told = class
  end subroutine on_error

  subroutine handlers()
    integer, asynchronous :: memory
    integer :: class, ierror
    type(MPI_Errhandler) :: handler
    type(MPI_Win) :: win
    memory = 0
    call MPI_Win_create(memory, 4_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_create_errhandler(on_error, handler)
    call MPI_Win_set_errhandler(win, handler)
    call MPI_Win_fence(0, win)
    call MPI_Put(memory, 1, MPI_INTEGER, size, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win, ierror)
    call MPI_Error_class(ierror, class)
    call expect_value(class, MPI_ERR_RANK, "the class of a rank outside the window")
    call expect_value(told, MPI_ERR_RANK, "the class that the window's handler got")
    call MPI_Win_fence(0, win)
    call MPI_Errhandler_free(handler)
    call MPI_Win_free(win)
  end subroutine handlers

end program windows
