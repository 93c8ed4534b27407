! SPDX-License-Identifier: BSD-3-Clause
! Windows, files and processes through module mpi and mpif.h: the same calls as in windows.f90,
! files.f90 and processes.f90, with INTEGER handles.
! req fortran 1.1, 5.70, 5.78, 6.81, 6.82
module twice_of_mpi
  implicit none
  integer :: conversions = 0

contains

  subroutine extent_of(datatype, extent, extra_state, ierror)
    use mpi
    integer :: datatype, ierror
    integer(MPI_ADDRESS_KIND) :: extent, extra_state
    call MPI_TYPE_SIZE_X(datatype, extent, ierror)
    extent = extent * extra_state
  end subroutine extent_of

  ! Buffers come as arrays here.
  subroutine to_file(userbuf, datatype, count, filebuf, position, extra_state, ierror)
    use mpi
    integer :: userbuf(*), filebuf(2, *)
    integer :: datatype, count, ierror
    integer(MPI_OFFSET_KIND) :: position
    integer(MPI_ADDRESS_KIND) :: extra_state
    integer :: i, first, last
    first = int(position) * words_of(datatype)
    last = count * words_of(datatype)
    do i = 1, last
      filebuf(:, i) = [userbuf(first + i), int(extra_state)]
    end do
    conversions = conversions + 1
    ierror = MPI_SUCCESS
  end subroutine to_file

  subroutine from_file(userbuf, datatype, count, filebuf, position, extra_state, ierror)
    use mpi
    integer :: userbuf(*), filebuf(2, *)
    integer :: datatype, count, ierror
    integer(MPI_OFFSET_KIND) :: position
    integer(MPI_ADDRESS_KIND) :: extra_state
    integer :: i, first, last
    first = int(position) * words_of(datatype)
    last = count * words_of(datatype)
    ierror = MPI_SUCCESS
    do i = 1, last
      userbuf(first + i) = filebuf(1, i)
      if (filebuf(2, i) /= extra_state) ierror = MPI_ERR_OTHER
    end do
    conversions = conversions + 1
  end subroutine from_file

  integer function words_of(datatype)
    use mpi
    integer, intent(in) :: datatype
    integer :: ierror
    call MPI_TYPE_SIZE(datatype, words_of, ierror)
    words_of = words_of / 4
  end function words_of

end module twice_of_mpi

program older_forms
  use mpi
  use check
  implicit none
  integer :: parent, ierror, provided

  call MPI_INIT_THREAD(MPI_THREAD_SINGLE, provided, ierror)
  call MPI_COMM_GET_PARENT(parent, ierror)
  if (parent /= MPI_COMM_NULL) then
    call be_child(parent)
  else
    call windows_of_mpi()
    call windows_of_mpif()
    call files_of_mpi()
    call files_of_mpif()
    call processes_of_mpi()
    call processes_of_mpif()
  end if
  call MPI_FINALIZE(ierror)
  call report()
end program older_forms

! Base addresses as TYPE(C_PTR) and as integers.
subroutine windows_of_mpi()
  use, intrinsic :: iso_c_binding
  use mpi
  use check
  implicit none
  type(c_ptr) :: address, first
  integer(MPI_ADDRESS_KIND) :: bytes, place, number
  integer, pointer, asynchronous :: memory(:), others(:)
  integer, asynchronous :: value
  integer :: rank, size, win, unit, ierror
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierror)
  bytes = 4 * size
  call MPI_WIN_ALLOCATE(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, address, win, ierror)
  call c_f_pointer(address, memory, [size])
  call MPI_WIN_FENCE(0, win, ierror)
  value = rank
  place = rank
  call MPI_PUT(value, 1, MPI_INTEGER, size - 1 - rank, place, 1, MPI_INTEGER, win, ierror)
  call MPI_WIN_FENCE(0, win, ierror)
  call expect_value(memory(size - rank), size - 1 - rank, "what MPI_PUT wrote (module mpi)")
  call MPI_WIN_FREE(win, ierror)
  bytes = 8
  call MPI_WIN_ALLOCATE_SHARED(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, address, win, ierror)
  call c_f_pointer(address, memory, [2])
  call MPI_WIN_FENCE(0, win, ierror)
  memory = 7 + rank
  call MPI_WIN_FENCE(0, win, ierror)
  call MPI_WIN_SHARED_QUERY(win, 0, bytes, unit, first, ierror)
  call c_f_pointer(first, others, [2])
  call expect(bytes == 8 .and. unit == 4 .and. all(others == 7), "a shared part (module mpi)")
  call MPI_WIN_SHARED_QUERY(win, 0, bytes, unit, number, ierror)
  call expect(number == transfer(first, number), "the same address as an integer")
  call MPI_WIN_FENCE(0, win, ierror)
  call MPI_WIN_FREE(win, ierror)
end subroutine windows_of_mpi

subroutine windows_of_mpif()
  use check
  implicit none
  include 'mpif.h'
  integer, asynchronous :: memory(4), result
  integer(MPI_ADDRESS_KIND) :: bytes, place, base
  integer :: rank, size, win, next, ierror
  logical :: found
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierror)
  next = mod(rank + 1, size)
  memory = 10 * rank
  bytes = 16
  call MPI_WIN_CREATE(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
  call MPI_WIN_GET_ATTR(win, MPI_WIN_BASE, base, found, ierror)
  call MPI_GET_ADDRESS(memory, place, ierror)
  call expect(found .and. base == place, "MPI_WIN_BASE (mpif.h)")
  place = 2
  call MPI_WIN_LOCK(MPI_LOCK_EXCLUSIVE, next, 0, win, ierror)
  call MPI_FETCH_AND_OP(1, result, MPI_INTEGER, next, place, MPI_SUM, win, ierror)
  call MPI_WIN_UNLOCK(next, win, ierror)
  call MPI_F_SYNC_REG(result)
  call expect_value(result, 10 * next, "what MPI_FETCH_AND_OP found (mpif.h)")
  call MPI_WIN_FREE(win, ierror)
  call expect_value(win, MPI_WIN_NULL, "a window that was freed (mpif.h)")
end subroutine windows_of_mpif

subroutine files_of_mpi()
  use mpi
  use twice_of_mpi
  use check
  implicit none
  integer(MPI_OFFSET_KIND) :: offset, bytes
  integer(MPI_ADDRESS_KIND) :: state, extent
  integer, asynchronous :: out(5), in(5)
  integer :: rank, size, file, request, status(MPI_STATUS_SIZE), count, ierror, i
  character(len=200) :: name
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierror)
  call get_command_argument(1, name)
  call MPI_FILE_OPEN(MPI_COMM_WORLD, name, MPI_MODE_CREATE + MPI_MODE_RDWR + &
      MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file, ierror)
  out = [(i + 10 * rank, i=1, 5)]
  in = 0
  offset = 3000000000_MPI_OFFSET_KIND + 20 * rank
  call MPI_FILE_IWRITE_AT(file, offset, out, 5, MPI_INTEGER, request, ierror)
  call MPI_WAIT(request, status, ierror)
  call MPI_GET_COUNT(status, MPI_INTEGER, count, ierror)
  call expect_value(count, 5, "the count of a write (module mpi)")
  call MPI_FILE_READ_AT_ALL_BEGIN(file, offset, in, 5, MPI_INTEGER, ierror)
  call MPI_FILE_READ_AT_ALL_END(file, in, status, ierror)
  call MPI_F_SYNC_REG(in)
  call expect(all(in == out), "a split read at a far offset (module mpi)")
  state = 2
  call MPI_REGISTER_DATAREP("tagged", from_file, to_file, extent_of, state, ierror)
  offset = 0
  call MPI_FILE_SET_SIZE(file, offset, ierror)
  call MPI_FILE_SET_VIEW(file, offset, MPI_INTEGER, MPI_INTEGER, "tagged", MPI_INFO_NULL, ierror)
  call MPI_FILE_GET_TYPE_EXTENT(file, MPI_INTEGER, extent, ierror)
  call expect(extent == 8, "the extent of a representation (module mpi)")
  offset = 5 * rank
  call MPI_FILE_WRITE_AT_ALL(file, offset, out, 5, MPI_INTEGER, status, ierror)
  in = 0
  call MPI_FILE_READ_AT_ALL(file, offset, in, 5, MPI_INTEGER, status, ierror)
  call expect(all(in == out) .and. conversions >= 2, "a representation (module mpi)")
  call MPI_BARRIER(MPI_COMM_WORLD, ierror)
  call MPI_FILE_GET_SIZE(file, bytes, ierror)
  call expect(bytes == 40 * size, "the size of a file with the representation (module mpi)")
  call MPI_FILE_CLOSE(file, ierror)
end subroutine files_of_mpi

subroutine files_of_mpif()
  use check
  implicit none
  include 'mpif.h'
  integer(MPI_OFFSET_KIND) :: disp
  integer :: rank, size, file, column, status(MPI_STATUS_SIZE), ierror, in(2), class
  character(len=200) :: name
  character(len=20) :: representation
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierror)
  call get_command_argument(1, name)
  call MPI_FILE_OPEN(MPI_COMM_WORLD, name, MPI_MODE_CREATE + MPI_MODE_RDWR + &
      MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file, ierror)
  call MPI_TYPE_VECTOR(2, 1, size, MPI_INTEGER, column, ierror)
  call MPI_TYPE_COMMIT(column, ierror)
  disp = 4 * rank
  call MPI_FILE_SET_VIEW(file, disp, MPI_INTEGER, column, "native", MPI_INFO_NULL, ierror)
  call MPI_FILE_WRITE_ALL(file, [rank, -rank], 2, MPI_INTEGER, status, ierror)
  representation = "?"
  call MPI_FILE_GET_VIEW(file, disp, class, column, representation, ierror)
  call expect(disp == 4 * rank .and. class == MPI_INTEGER .and. representation == "native", &
      "a view (mpif.h)")
  call MPI_BARRIER(MPI_COMM_WORLD, ierror)
  disp = 0
  call MPI_FILE_SET_VIEW(file, disp, MPI_INTEGER, MPI_INTEGER, "native", MPI_INFO_NULL, ierror)
  disp = size - 1
  call MPI_FILE_READ_AT(file, disp, in, 2, MPI_INTEGER, status, ierror)
  call expect(all(in == [size - 1, 0]), "what two views wrote (mpif.h)")
  call MPI_FILE_CLOSE(file, ierror)
  call expect_value(file, MPI_FILE_NULL, "a file that was closed (mpif.h)")
  call MPI_FILE_OPEN(MPI_COMM_SELF, "/no/such/folder/file", MPI_MODE_RDONLY, MPI_INFO_NULL, file, &
      ierror)
  call MPI_ERROR_CLASS(ierror, class, ierror)
  call expect_value(class, MPI_ERR_NO_SUCH_FILE, "the class of a missing file (mpif.h)")
end subroutine files_of_mpif

subroutine be_child(parent)
  use mpi
  implicit none
  integer :: parent, ierror, length
  character(len=20) :: word
  call get_command_argument(1, word, length)
  call MPI_SEND(word, length, MPI_CHARACTER, 0, command_argument_count(), parent, ierror)
  call MPI_COMM_DISCONNECT(parent, ierror)
end subroutine be_child

! Rank 0 hears that `child` got so many arguments, of which `word` is the first.
subroutine hear(children, child, number, word)
  use mpi
  use check
  implicit none
  integer :: children, child, number, rank, ierror, status(MPI_STATUS_SIZE)
  character(len=*) :: word
  character(len=20) :: heard
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  if (rank /= 0) return
  heard = ""
  call MPI_RECV(heard, 20, MPI_CHARACTER, child, MPI_ANY_TAG, children, status, ierror)
  call expect_value(status(MPI_TAG), number, "the number of arguments of a child")
  call expect(heard == word, "the first argument of a child: "//word)
end subroutine hear

subroutine processes_of_mpi()
  use mpi
  use check
  implicit none
  integer :: children, ierror, codes(2)
  character(len=400) :: self
  character(len=10) :: arguments(3)
  call get_command_argument(0, self)
  arguments = [character(len=10) :: "one", "more word", ""]
  codes = -1
  call MPI_COMM_SPAWN(self, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, children, codes, ierror)
  call expect(all(codes == MPI_SUCCESS), "error codes of a spawn (module mpi)")
  call hear(children, 0, 2, "one")
  call hear(children, 1, 2, "one")
  call MPI_COMM_DISCONNECT(children, ierror)
  call MPI_COMM_SPAWN(self, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, children, &
      MPI_ERRCODES_IGNORE, ierror)
  call hear(children, 0, 0, "")
  call MPI_COMM_DISCONNECT(children, ierror)
end subroutine processes_of_mpi

subroutine processes_of_mpif()
  use check
  implicit none
  include 'mpif.h'
  integer :: children, ierror
  character(len=400) :: commands(2)
  character(len=6) :: arguments(2, 2)
  call get_command_argument(0, commands(1))
  commands(2) = commands(1)
  arguments(1, :) = ["left  ", "      "]
  arguments(2, :) = ["right ", "      "]
  call MPI_COMM_SPAWN_MULTIPLE(2, commands, arguments, [1, 1], [MPI_INFO_NULL, MPI_INFO_NULL], 0, &
      MPI_COMM_WORLD, children, MPI_ERRCODES_IGNORE, ierror)
  call hear(children, 0, 1, "left")
  call hear(children, 1, 1, "right")
  call MPI_COMM_DISCONNECT(children, ierror)
  call MPI_COMM_SPAWN_MULTIPLE(2, commands, MPI_ARGVS_NULL, [1, 1], [MPI_INFO_NULL, &
      MPI_INFO_NULL], 0, MPI_COMM_WORLD, children, MPI_ERRCODES_IGNORE, ierror)
  call hear(children, 0, 0, "")
  call hear(children, 1, 0, "")
  call MPI_COMM_DISCONNECT(children, ierror)
end subroutine processes_of_mpif
