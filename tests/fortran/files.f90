! SPDX-License-Identifier: BSD-3-Clause
! Files through mpi_f08: offsets, views, sections, shared pointers, split collectives, nonblocking
! accesses, and data representations written in Fortran.
! req fortran 5.76, 6.81, 6.82, 6.89
! req io 9.164, 9.160
module twice
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  integer :: extents = 0, conversions = 0
  integer(MPI_ADDRESS_KIND), parameter :: state = 4711

contains

  ! In the file each integer is eight bytes: its own four, complemented, twice.
  subroutine extent_of(datatype, extent, extra_state, ierror)
    type(MPI_Datatype) :: datatype
    integer(MPI_ADDRESS_KIND) :: extent, extra_state
    integer :: ierror
    integer :: bytes
    call MPI_Type_size(datatype, bytes)
    extent = 2 * bytes
    extents = extents + 1
    ierror = merge(MPI_SUCCESS, MPI_ERR_OTHER, extra_state == state)
  end subroutine extent_of

  subroutine same_extent(datatype, extent, extra_state, ierror)
    type(MPI_Datatype) :: datatype
    integer(MPI_ADDRESS_KIND) :: extent, extra_state
    integer :: ierror
    integer :: bytes
    call MPI_Type_size(datatype, bytes)
    extent = bytes
    ierror = merge(MPI_SUCCESS, MPI_ERR_OTHER, extra_state == 0)
  end subroutine same_extent

  subroutine to_file(userbuf, datatype, count, filebuf, position, extra_state, ierror)
    type(c_ptr), value :: userbuf, filebuf
    type(MPI_Datatype) :: datatype
    integer :: count
    integer :: ierror
    integer(MPI_OFFSET_KIND) :: position
    integer(MPI_ADDRESS_KIND) :: extra_state
    integer, pointer :: user(:), file(:, :)
    integer :: i, words
    call MPI_Type_size(datatype, words)
    words = count * words / 4
    call c_f_pointer(userbuf, user, [int(position) * words / count + words])
    call c_f_pointer(filebuf, file, [2, words])
    do i = 1, words
      file(:, i) = not(user(int(position) * words / count + i))
    end do
    conversions = conversions + 1
    ierror = merge(MPI_SUCCESS, MPI_ERR_OTHER, extra_state == state)
  end subroutine to_file

  subroutine from_file(userbuf, datatype, count, filebuf, position, extra_state, ierror)
    type(c_ptr), value :: userbuf, filebuf
    type(MPI_Datatype) :: datatype
    integer :: count
    integer :: ierror
    integer(MPI_OFFSET_KIND) :: position
    integer(MPI_ADDRESS_KIND) :: extra_state
    integer, pointer :: user(:), file(:, :)
    integer :: i, words
    call MPI_Type_size(datatype, words)
    words = count * words / 4
    call c_f_pointer(userbuf, user, [int(position) * words / count + words])
    call c_f_pointer(filebuf, file, [2, words])
    do i = 1, words
      user(int(position) * words / count + i) = not(file(2, i))
    end do
    conversions = conversions + 1
    ierror = merge(MPI_SUCCESS, MPI_ERR_OTHER, extra_state == state)
  end subroutine from_file

  subroutine refuses(userbuf, datatype, count, filebuf, position, extra_state, ierror)
    type(c_ptr), value :: userbuf, filebuf
    type(MPI_Datatype) :: datatype
    integer :: count
    integer :: ierror
    integer(MPI_OFFSET_KIND) :: position
    integer(MPI_ADDRESS_KIND) :: extra_state
    ierror = MPI_ERR_OTHER
    if (c_associated(userbuf, filebuf)) print *, datatype%MPI_VAL, count, position, extra_state
  end subroutine refuses

end module twice

program files
  use mpi_f08
  use twice
  use check
  implicit none
  integer :: rank, size
  type(MPI_File) :: file
  character(len=200) :: name

  call MPI_Init()
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call get_command_argument(1, name)
  call MPI_Bcast(name, len(name), MPI_CHARACTER, 0, MPI_COMM_WORLD)
  call MPI_File_open(MPI_COMM_WORLD, name, &
      MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file)
  call offsets()
  call views()
  call sections()
  call shared_pointer()
  call split()
  call nonblocking()
  call representations()
  call queries()
  call MPI_File_close(file)
  call expect(file == MPI_FILE_NULL, "a file that was closed")
  call given_name()
  call errors()
  call MPI_Finalize()
  call report()

contains

  subroutine fresh()
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL)
    call MPI_File_set_size(file, 0_MPI_OFFSET_KIND)
  end subroutine fresh

  ! Places far beyond what an INTEGER holds, in a file with a hole.
  subroutine offsets()
    integer(MPI_OFFSET_KIND), parameter :: far = 5000000000_MPI_OFFSET_KIND
    integer(MPI_OFFSET_KIND) :: offset, bytes
    integer, asynchronous :: out(4), in(4)
    integer :: count
    type(MPI_Status) :: status
    out = [1, 2, 3, 4] + 10 * rank
    in = 0
    call MPI_File_write_at(file, far + 16 * rank, out, 4, MPI_INTEGER, status)
    call MPI_Get_count(status, MPI_INTEGER, count)
    call expect_value(count, 4, "the count of a write")
    call MPI_File_read_at(file, far + 16 * rank, in, 4_MPI_COUNT_KIND, MPI_INTEGER, status)
    call expect(all(in == out), "a read at a far offset")
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_File_get_size(file, bytes)
    call expect(bytes == far + 16 * size, "the size of a file beyond 4 GiB")
    call MPI_File_seek(file, far, MPI_SEEK_SET)
    call MPI_File_seek(file, 4_MPI_OFFSET_KIND, MPI_SEEK_CUR)
    call MPI_File_read(file, in, 1, MPI_INTEGER, MPI_STATUS_IGNORE)
    call expect_value(in(1), 2, "a read after two seeks")
    call MPI_File_get_position(file, offset)
    call expect(offset == far + 8, "the position beyond 4 GiB")
    call MPI_File_get_byte_offset(file, offset, bytes)
    call expect(bytes == far + 8, "the byte of a position")
    call MPI_File_read_at(file, far + 16 * size, in, 4, MPI_INTEGER, status)
    call MPI_Get_count(status, MPI_INTEGER, count)
    call expect_value(count, 0, "the count of a read at the end")
    call fresh()
  end subroutine offsets

  subroutine views()
    type(MPI_Datatype) :: block, etype, filetype
    integer(MPI_OFFSET_KIND) :: disp
    integer :: whole(2), part(2), start(2), i, r
    integer, asynchronous :: out(6), in(6, size), wanted(6, size)
    character(len=MPI_MAX_DATAREP_STRING) :: representation
    whole = [6, size]
    part = [6, 1]
    start = [0, rank]
    call MPI_Type_create_subarray(2, whole, part, start, MPI_ORDER_FORTRAN, MPI_INTEGER, block)
    call MPI_Type_commit(block)
    call MPI_File_set_view(file, 8_MPI_OFFSET_KIND, MPI_INTEGER, block, "native", MPI_INFO_NULL)
    call MPI_File_get_view(file, disp, etype, filetype, representation)
    call expect(disp == 8 .and. etype == MPI_INTEGER .and. representation == "native", &
        "the view that was set")
    call MPI_Type_free(filetype)
    out = [(100 * rank + i, i=1, 6)]
    call MPI_File_write_all(file, out, 6, MPI_INTEGER, MPI_STATUS_IGNORE)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, "native", &
        MPI_INFO_NULL)
    in = -1
    call MPI_File_read_at_all(file, 2_MPI_OFFSET_KIND, in, 6 * size, MPI_INTEGER, &
        MPI_STATUS_IGNORE)
    wanted = reshape([((100 * r + i, i=1, 6), r=0, size - 1)], shape(wanted))
    call expect(all(in == wanted), "columns that each rank wrote through its view")
    call MPI_Type_free(block)
    call fresh()
  end subroutine views

  subroutine sections()
    integer, asynchronous :: matrix(4, 40), back(40, 4)
    integer(MPI_OFFSET_KIND) :: place
    integer :: i
    matrix = reshape([(i + 1000 * rank, i=1, 160)], shape(matrix))
    back = -1
    place = 160 * rank
    call MPI_File_write_at(file, place, matrix(2, :), 40, MPI_INTEGER, MPI_STATUS_IGNORE)
    call MPI_File_read_at(file, place, back(40:1:-1, 3), 40, MPI_INTEGER, MPI_STATUS_IGNORE)
    call expect(all(back(40:1:-1, 3) == matrix(2, :)) .and. all(back(:, 1:2) == -1), &
        "a row to a file and back into a column")
    call MPI_File_write_at_all(file, place, matrix(::3, 1:40:2), 40, MPI_INTEGER, &
        MPI_STATUS_IGNORE)
    back = -1
    call MPI_File_read_at_all(file, place, back(::2, ::2), 40, MPI_INTEGER, MPI_STATUS_IGNORE)
    call expect(all(reshape(back(::2, ::2), [40]) == reshape(matrix(::3, 1:40:2), [40])) .and. &
        all(back(2::2, :) == -1), "sections in collective accesses")
    call fresh()
  end subroutine sections

  subroutine shared_pointer()
    integer, asynchronous :: value, values(size)
    integer :: r
    integer(MPI_OFFSET_KIND) :: position
    value = rank + 1
    call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, "native", &
        MPI_INFO_NULL)
    call MPI_File_write_ordered(file, value, 1, MPI_INTEGER, MPI_STATUS_IGNORE)
    call MPI_File_write_shared(file, value, 1, MPI_INTEGER, MPI_STATUS_IGNORE)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_File_get_position_shared(file, position)
    call expect(position == 2 * size, "the shared position after all have written")
    call MPI_File_read_at(file, 0_MPI_OFFSET_KIND, values, size, MPI_INTEGER, MPI_STATUS_IGNORE)
    call expect(all(values == [(r, r=1, size)]), "the order of ordered writes")
    call MPI_File_read_at(file, int(size, MPI_OFFSET_KIND), values, size, MPI_INTEGER, &
        MPI_STATUS_IGNORE)
    call expect_value(sum(values), size * (size + 1) / 2, "the sum of writes in any order")
    call MPI_File_seek_shared(file, 0_MPI_OFFSET_KIND, MPI_SEEK_SET)
    call MPI_File_read_ordered(file, value, 1, MPI_INTEGER, MPI_STATUS_IGNORE)
    call expect_value(value, rank + 1, "an ordered read")
    call fresh()
  end subroutine shared_pointer

  ! Between begin and end the buffer belongs to MPI, whether it lies contiguous or not.
  subroutine split()
    integer, asynchronous :: out(30), in(30)
    integer(MPI_OFFSET_KIND) :: place
    integer :: i, count
    type(MPI_Status) :: status
    out = [(i + 100 * rank, i=1, 30)]
    in = -1
    place = 60 * rank
    call MPI_File_write_at_all_begin(file, place, out(1:30:2), 15, MPI_INTEGER)
    call MPI_File_write_at_all_end(file, out(1:30:2), status)
    call MPI_Get_count(status, MPI_INTEGER, count)
    call expect_value(count, 15, "the count of a split write")
    call MPI_File_read_at_all_begin(file, place, in(2:30:2), 15, MPI_INTEGER)
    call MPI_File_read_at_all_end(file, in(2:30:2), status)
    call MPI_F_sync_reg(in)
    call expect(all(in(2:30:2) == out(1:30:2)) .and. all(in(1:30:2) == -1), &
        "a section that was read in a split collective")
    call MPI_File_seek(file, place, MPI_SEEK_SET)
    call MPI_File_read_all_begin(file, in, 15, MPI_INTEGER)
    call MPI_File_read_all_end(file, in, MPI_STATUS_IGNORE)
    call MPI_F_sync_reg(in)
    call expect(all(in(:15) == out(1:30:2)), "an array that was read in a split collective")
    call MPI_File_seek_shared(file, 0_MPI_OFFSET_KIND, MPI_SEEK_SET)
    call MPI_File_read_ordered_begin(file, in, 60, MPI_BYTE)
    call MPI_File_read_ordered_end(file, in, MPI_STATUS_IGNORE)
    call MPI_F_sync_reg(in)
    call expect(all(in(:15) == out(1:30:2)), "an ordered split read")
    call fresh()
  end subroutine split

  subroutine nonblocking()
    integer, asynchronous :: out(40), in(40)
    integer(MPI_OFFSET_KIND) :: place
    integer :: i
    type(MPI_Request) :: requests(2)
    type(MPI_Datatype) :: gaps
    out = [(i + 100 * rank, i=1, 40)]
    in = -1
    place = 400 * rank
    call MPI_File_iwrite_at(file, place, out(2:40:2), 20, MPI_INTEGER, requests(1))
    call MPI_File_iwrite_at(file, place + 80, out(1:40:2), 20, MPI_INTEGER, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call MPI_File_iread_at_all(file, place, in(1:40:2), 20, MPI_INTEGER, requests(1))
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call MPI_F_sync_reg(in)
    call expect(all(in(1:40:2) == out(2:40:2)) .and. all(in(2:40:2) == -1), &
        "a nonblocking collective read into a section")
    ! Only a copy serves this one, which the completion brings back.
    call MPI_Type_vector(5, 1, 2, MPI_INTEGER, gaps)
    call MPI_Type_commit(gaps)
    in = -1
    call MPI_File_iread_at(file, place, in(40:1:-2), 1, gaps, requests(1))
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call MPI_F_sync_reg(in)
    call expect(all(in(40:24:-4) == out(2:10:2)) .and. count(in /= -1) == 5, &
        "a datatype with gaps in a section that runs backwards")
    call MPI_Type_free(gaps)
    call fresh()
  end subroutine nonblocking

  subroutine representations()
    integer, asynchronous :: out(6), in(6)
    integer(MPI_ADDRESS_KIND) :: extent
    integer(MPI_OFFSET_KIND) :: bytes
    integer :: ierror, class, raw(2)
    call MPI_Register_datarep("twice ", from_file, to_file, extent_of, state)
    call MPI_Register_datarep("twice", from_file, to_file, extent_of, state, ierror)
    call MPI_Error_class(ierror, class)
    call expect_value(class, MPI_ERR_DUP_DATAREP, "the class of a second registration")
    call MPI_Register_datarep("as it is", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, &
        same_extent, 0_MPI_ADDRESS_KIND)
    call MPI_Register_datarep("refused", refuses, refuses, extent_of, state)
    call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, "twice", &
        MPI_INFO_NULL)
    call MPI_File_get_type_extent(file, MPI_INTEGER, extent)
    call expect(extent == 8 .and. extents > 0, "the extent in a file by a procedure of Fortran")
    out = [1, 2, 3, 4, 5, 6] + 100 * rank
    in = -1
    call MPI_File_write_at(file, 6_MPI_OFFSET_KIND * rank, out, 6, MPI_INTEGER, MPI_STATUS_IGNORE)
    call MPI_File_read_at(file, 6_MPI_OFFSET_KIND * rank, in, 6, MPI_INTEGER, MPI_STATUS_IGNORE)
    call expect(all(in == out), "integers through a representation of Fortran")
    call expect(conversions >= 2, "both conversions were called")
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_File_get_size(file, bytes)
    call expect(bytes == 48 * size, "the size of a file with the representation")
    call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, "native", &
        MPI_INFO_NULL)
    call MPI_File_read_at(file, 0_MPI_OFFSET_KIND, raw, 2, MPI_INTEGER, MPI_STATUS_IGNORE)
    call expect(all(raw == not(1)), "what the file holds")
    call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, "refused", &
        MPI_INFO_NULL)
    call MPI_File_read_at(file, 0_MPI_OFFSET_KIND, in, 1, MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
    call MPI_Error_class(ierror, class)
    call expect_value(class, MPI_ERR_CONVERSION, "the class after ierror of a conversion")
    call fresh()
    call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, "as it is", &
        MPI_INFO_NULL)
    call MPI_File_write_at(file, 6_MPI_OFFSET_KIND * rank, out, 6, MPI_INTEGER, MPI_STATUS_IGNORE)
    call MPI_File_set_view(file, 24_MPI_OFFSET_KIND * rank, MPI_INTEGER, MPI_INTEGER, "native", &
        MPI_INFO_NULL)
    call MPI_File_read(file, in, 6, MPI_INTEGER, MPI_STATUS_IGNORE)
    call expect(all(in == out), "integers without conversion functions")
    call fresh()
  end subroutine representations

  subroutine queries()
    integer :: mode
    logical :: atomic
    type(MPI_Info) :: info
    type(MPI_Group) :: group
    call MPI_File_get_amode(file, mode)
    call expect(iand(mode, MPI_MODE_RDWR) /= 0, "the access mode")
    call MPI_File_set_atomicity(file, .true.)
    call MPI_File_get_atomicity(file, atomic)
    call expect(atomic, "atomic mode is a LOGICAL")
    call MPI_File_get_info(file, info)
    call expect(info /= MPI_INFO_NULL, "the info object of a file")
    call MPI_Info_free(info)
    call MPI_File_get_group(file, group)
    call MPI_Group_size(group, mode)
    call expect_value(mode, size, "the size of a file's group")
    call MPI_Group_free(group)
  end subroutine queries

  ! The hint `filename` is the name that the program gave, not the path that the library made of it.
  subroutine given_name()
    character(len=40) :: relative
    character(len=MPI_MAX_INFO_VAL) :: value
    logical :: flag
    type(MPI_File) :: other
    type(MPI_Info) :: info
    write (relative, '(a,i0,a,i0)') "fortran_files_", size, "_", rank
    call MPI_File_open(MPI_COMM_SELF, relative, &
        MPI_MODE_RDWR + MPI_MODE_CREATE + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, other)
    call MPI_File_get_info(other, info)
    call MPI_Info_get(info, "filename", MPI_MAX_INFO_VAL, value, flag)
    call expect(flag .and. value == relative, "the hint `filename`")
    call MPI_Info_free(info)
    call MPI_File_close(other)
  end subroutine given_name

  subroutine errors()
    integer :: ierror, class, length
    character(len=MPI_MAX_ERROR_STRING) :: text
    type(MPI_File) :: none
    call MPI_File_open(MPI_COMM_SELF, trim(name)//".is.not.there   ", MPI_MODE_RDONLY, &
        MPI_INFO_NULL, none, ierror)
    call MPI_Error_class(ierror, class)
    call expect_value(class, MPI_ERR_NO_SUCH_FILE, "the class of a file that is missing")
    call MPI_Error_string(ierror, text, length)
    call expect(index(text(:length), ".is.not.there") > 0, "the text of a file that is missing")
  end subroutine errors

end program files
