! SPDX-License-Identifier: BSD-3-Clause
! Strings, truth values, indices, statuses and special arguments.
! req fortran 1.5, 1.6, 1.7, 1.8, 1.9, 1.12, 1.15, 1.16, 2.18, 2.19, 2.21
! req fortran 2.24, 2.25, 4.52, 4.54, 4.59, 4.60
! req fortran 5.62, 5.63, 5.64, 5.65, 5.66, 5.67, 5.69, 5.74, 5.75, 5.76, 5.78
! req fortran 5.79, 5.80, 7.95, 7.96, 7.97, 7.101
! req fortran 9.110, 9.111, 9.112, 9.113, 10.117
program strings
  use, intrinsic :: iso_c_binding
  use mpi_f08
  use check
  implicit none

  call before_start()
  call MPI_Init()
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
  call description_is_final()
  call constants()
  call names()
  call info_strings()
  call truth_values()
  call statuses()
  call special_addresses()
  call types()
  call large_counts()
  call pointers()
  call MPI_Finalize()
  call report()

contains

  subroutine before_start()
    type(MPI_Info) :: info
    character(len=20) :: value
    integer :: length
    logical :: flag, yes, no
    call MPI_Initialized(flag)
    call expect(.not. flag, "MPI_Initialized before the start")
    call MPI_Abi_get_fortran_info(info)
    call expect(info /= MPI_INFO_NULL, "the library describes the compiler")
    length = 20
    call MPI_Info_get_string(info, "mpi_integer_size", length, value, flag)
    call expect(flag .and. value == "4", "mpi_integer_size")
    length = 20
    call MPI_Info_get_string(info, "mpi_real2_supported", length, value, flag)
    call expect(flag .and. value == "false", "mpi_real2_supported")
    call MPI_Info_free(info)
    yes = .false.
    no = .true.
    call MPI_Abi_get_fortran_booleans(4, yes, no, flag)
    call expect(flag .and. yes .and. .not. no, "the truth values of the compiler")
  end subroutine before_start

  subroutine description_is_final()
    integer :: ierror, class
    logical :: flag, yes, no
    yes = .true.
    no = .false.
    call MPI_Abi_set_fortran_booleans(4, yes, no, ierror)
    call MPI_Error_class(ierror, class)
    call expect_value(class, MPI_ERR_ABI, "the class for truth values set twice")
    call MPI_Abi_get_fortran_booleans(3, yes, no, flag, ierror)
    call MPI_Error_class(ierror, class)
    call expect_value(class, MPI_ERR_ARG, "the class for a LOGICAL of three bytes")
  end subroutine description_is_final

  subroutine constants()
    integer :: version, subversion, kind
    integer, parameter :: table(3) = [MPI_SUCCESS, MPI_ERR_BUFFER, MPI_COMM_WORLD%MPI_VAL]
    type(MPI_Status) :: none(MPI_ERR_BUFFER)
    call expect_value(table(3), 257, "MPI_COMM_WORLD%MPI_VAL")
    call expect_value(MPI_INTEGER%MPI_VAL, 537, "MPI_INTEGER%MPI_VAL")
    call expect_value(storage_size(none(1)) / 32, MPI_STATUS_SIZE, "integers in a status")
    select case (table(3))
    case (MPI_COMM_WORLD%MPI_VAL)
      kind = 1
    case default
      kind = 0
    end select
    call expect_value(kind, 1, "a handle in CASE")
    call expect_value(MPI_MAX_PROCESSOR_NAME, 255, "MPI_MAX_PROCESSOR_NAME")
    call expect_value(MPI_MAX_ERROR_STRING, 511, "MPI_MAX_ERROR_STRING")
    call expect_value(MPI_MAX_INFO_VAL, 1023, "MPI_MAX_INFO_VAL")
    call expect(MPI_SUBARRAYS_SUPPORTED .and. MPI_ASYNC_PROTECTS_NONBLOCKING, &
        "what mpi_f08 says of itself")
    call expect(MPI_ADDRESS_KIND == c_intptr_t .and. MPI_COUNT_KIND == 8 .and. &
        MPI_OFFSET_KIND == 8, "the kinds")
    call MPI_Get_version(version, subversion)
    call expect(version == MPI_VERSION .and. subversion == MPI_SUBVERSION, "MPI_Get_version")
    call expect(MPI_Wtime() > 0 .and. MPI_Wtick() > 0, "time")
    call expect(all([MPI_COMM_WORLD, MPI_COMM_SELF] == [MPI_COMM_WORLD, &
        MPI_COMM_WORLD] .eqv. [.true., .false.]), &
        "handles compare element by element")
  end subroutine constants

  subroutine names()
    type(MPI_Comm) :: comm
    character(len=MPI_MAX_OBJECT_NAME) :: name
    character(len=4) :: short
    character(len=MPI_MAX_PROCESSOR_NAME) :: processor
    character(len=MPI_MAX_ERROR_STRING) :: error
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: library
    character(len=300) :: long
    integer :: length, ierror
    call MPI_Comm_dup(MPI_COMM_SELF, comm)
    call MPI_Comm_set_name(comm, "  a name with blanks   ")
    name = repeat("x", len(name))
    call MPI_Comm_get_name(comm, name, length)
    call expect(name == "  a name with blanks" .and. length == 20, &
        "leading blanks stay, trailing blanks go")
    call expect(name(21:) == " ", "the rest is blank")
    call MPI_Comm_get_name(comm, short, length)
    call expect(short == "  a " .and. length == 4, "a name is cut to the variable")
    call MPI_Comm_set_name(comm, "     ")
    call MPI_Comm_get_name(comm, name, length)
    call expect(length == 0 .and. name == " ", "a name of blanks is empty")
    call MPI_Comm_free(comm)
    call MPI_Get_processor_name(processor, length)
    call expect(length > 0 .and. processor(length + 1:) == " " .and. index(processor, &
        char(0)) == 0, "the processor's name")
    call MPI_Error_string(MPI_ERR_TRUNCATE, error, length)
    call expect(length > 0 .and. len_trim(error) == length, "MPI_Error_string")
    call MPI_Get_library_version(library, length)
    call expect(index(library, "Tessera") > 0 .and. len_trim(library) == length, &
        "MPI_Get_library_version")
    call MPI_Send(length, 1, MPI_INTEGER, 1000, 0, MPI_COMM_SELF, ierror)
    call MPI_Error_string(ierror, error, length)
    call expect(index(error, "MPI_Send, called from Fortran: ") == 1, "the text says who called")
    long = repeat("k", 300)
    call MPI_Info_set(MPI_INFO_NULL, long, "v", ierror)
    call expect(ierror /= MPI_SUCCESS, "a key that is too long is an error")
  end subroutine names

  subroutine info_strings()
    type(MPI_Info) :: info
    character(len=12) :: value
    integer :: length, number
    logical :: flag
    call MPI_Info_create(info)
    call MPI_Info_set(info, "  key  ", "  some value ")
    value = "?"
    length = 0
    call MPI_Info_get_string(info, "key", length, value, flag)
    call expect(flag .and. length == 10 .and. value == "?", &
        "a length of 0 asks for the length only")
    length = 12
    call MPI_Info_get_string(info, " key", length, value, flag)
    call expect(flag .and. value == "some value" .and. length == 10, &
        "values lose blanks on both sides")
    length = 4
    call MPI_Info_get_string(info, "key", length, value, flag)
    call expect(value == "some" .and. length == 10, &
        "a value is cut to buflen, without a final null")
    value = "stays"
    call MPI_Info_get_string(info, "other", length, value, flag)
    call expect(.not. flag .and. value == "stays", "a key that is not there leaves the value alone")
    call MPI_Info_get(info, "key", 10, value, flag)
    call expect(flag .and. value == "some value", "MPI_Info_get")
    call MPI_Info_get_nkeys(info, number)
    call expect_value(number, 1, "keys")
    value = " "
    call MPI_Info_get_nthkey(info, 0, value)
    call expect(value == "key", "MPI_Info_get_nthkey counts from 0")
    call MPI_Info_free(info)
    call expect(info == MPI_INFO_NULL, "MPI_Info_free")
  end subroutine info_strings

  subroutine truth_values()
    type(MPI_Comm) :: cart, line
    logical :: periods(4), flag, mine(3), result(3)
    integer :: dims(2), coords(2), dimensions
    call MPI_Cart_create(MPI_COMM_SELF, 2, [1, 1], [.true., .false.], .false., cart)
    periods = [.false., .true., .true., .false.]
    call MPI_Cart_get(cart, 2, dims, periods(1:2), coords)
    call expect(periods(1) .and. .not. periods(2) .and. periods(3) .and. .not. periods(4), &
        "periods of MPI_Cart_get")
    call MPI_Cart_sub(cart, [.true., .false.], line)
    call MPI_Cartdim_get(line, dimensions)
    call expect_value(dimensions, 1, "dimensions that MPI_Cart_sub keeps")
    call MPI_Comm_free(line)
    call MPI_Comm_free(cart)
    call MPI_Comm_test_inter(MPI_COMM_WORLD, flag)
    call expect(flag .eqv. .false., "MPI_Comm_test_inter")
    call MPI_Initialized(flag)
    call expect(flag .eqv. .true., "MPI_Initialized")
    mine = [.true., .false., .true.]
    call MPI_Allreduce(mine, result, 3, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD)
    call expect(all(result .eqv. mine), "MPI_LAND of LOGICAL")
    call MPI_Allreduce(.not. mine, result, 3, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD)
    call expect(all(result .neqv. mine), "MPI_LOR of LOGICAL")
    call expect_value(transfer(result(2), 0), transfer(.true., 0), "the bits of a reduced LOGICAL")
  end subroutine truth_values

  subroutine statuses()
    type(MPI_Status) :: status, again
    integer :: old(MPI_STATUS_SIZE), a(3), b(3), count, value
    type(MPI_Request) :: request
    call MPI_Isend([1, 2, 3], 3, MPI_INTEGER, 0, 17, MPI_COMM_SELF, request)
    call MPI_Recv(a, 3, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, status)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(status%MPI_SOURCE == 0 .and. status%MPI_TAG == 17, "source and tag of a status")
    call MPI_Status_f082f(status, old)
    call expect(old(1) == 0 .and. old(2) == 17, "MPI_Status_f082f")
    call MPI_Status_f2f08(old, again)
    call MPI_Get_count(again, MPI_INTEGER, count)
    call expect(count == 3 .and. again%MPI_TAG == 17, "MPI_Status_f2f08")
    call MPI_Status_set_tag(again, 5)
    call MPI_Status_get_tag(again, value)
    call expect_value(value, 5, "MPI_Status_get_tag")
    b = 0
    call MPI_Cancel(request)
  end subroutine statuses

  subroutine special_addresses()
    integer :: a(4), got(4), sources(1), weights(1), outs(1), out_weights(1), i, ierror
    integer(MPI_ADDRESS_KIND) :: where_, bottom
    type(MPI_Datatype) :: absolute
    type(MPI_Comm) :: graph
    logical :: weighted
    a = [(i, i=1, 4)]
    call MPI_Get_address(a, where_)
    call MPI_Get_address(MPI_BOTTOM, bottom)
    call expect(bottom == 0 .and. MPI_Aint_diff(MPI_Aint_add(where_, 8_MPI_ADDRESS_KIND), &
        where_) == 8, "addresses")
    call MPI_Type_create_hindexed_block(1, 4, [where_], MPI_INTEGER, absolute)
    call MPI_Type_commit(absolute)
    call MPI_Sendrecv(MPI_BOTTOM, 1, absolute, 0, 0, got, 4, MPI_INTEGER, 0, 0, MPI_COMM_SELF, &
        MPI_STATUS_IGNORE)
    call expect(all(got == a), "MPI_BOTTOM")
    call MPI_Type_free(absolute)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, [0], MPI_UNWEIGHTED, 1, [0], &
        MPI_UNWEIGHTED, MPI_INFO_NULL, &
        .false., graph)
    call MPI_Dist_graph_neighbors_count(graph, i, i, weighted)
    call expect(.not. weighted, "MPI_UNWEIGHTED")
    call MPI_Dist_graph_neighbors(graph, 1, sources, weights, 1, outs, out_weights)
    call expect(sources(1) == 0 .and. outs(1) == 0, "MPI_Dist_graph_neighbors")
    call MPI_Comm_free(graph)
    call MPI_Send(MPI_IN_PLACE, 1, MPI_INTEGER, MPI_PROC_NULL + 100, 0, MPI_COMM_SELF, ierror)
    call expect(ierror /= MPI_SUCCESS, "a wrong rank is an error")
  end subroutine special_addresses

  subroutine types()
    type(MPI_Datatype) :: type
    integer :: size, ierror, pair(2), most(2)
    real :: real_pair(2), real_most(2)
    call MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, type)
    call MPI_Type_size(type, size)
    call expect_value(size, 8, "MPI_Type_match_size of REAL")
    call MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 3, type, ierror)
    call expect(ierror /= MPI_SUCCESS, "an INTEGER of three bytes does not exist")
    call MPI_Sizeof(1.0d0, size)
    call expect_value(size, 8, "MPI_Sizeof of DOUBLE PRECISION")
    call MPI_Sizeof(reshape([1, 2, 3, 4], [2, 2]), size)
    call expect_value(size, 4, "MPI_Sizeof of an array is that of an element")
    real_pair = [2.5, 7.0]
    call MPI_Allreduce(real_pair, real_most, 1, MPI_2REAL, MPI_MAXLOC, MPI_COMM_SELF)
    call expect(all(real_most == real_pair), "MPI_MAXLOC of MPI_2REAL")
    pair = [3, 1]
    call MPI_Allreduce(pair, most, 1, MPI_2INTEGER, MPI_MINLOC, MPI_COMM_SELF)
    call expect(all(most == pair), "MPI_MINLOC of MPI_2INTEGER")
  end subroutine types

  subroutine large_counts()
    integer(MPI_COUNT_KIND) :: count, lb, extent
    integer :: a(5), b(5)
    type(MPI_Datatype) :: type
    type(MPI_Status) :: status
    a = 6
    count = 5
    call MPI_Sendrecv(a, count, MPI_INTEGER, 0, 0, b, count, MPI_INTEGER, 0, 0, MPI_COMM_SELF, &
        status)
    call MPI_Get_count(status, MPI_INTEGER, count)
    call expect(all(b == 6) .and. count == 5, "a generic name with large counts")
    call MPI_Type_contiguous(3000000000_MPI_COUNT_KIND, MPI_INTEGER, type)
    call MPI_Type_size(type, count)
    call expect(count == 12000000000_MPI_COUNT_KIND, "a datatype of 12 GB")
    call MPI_Type_get_extent(type, lb, extent)
    call expect(extent == 12000000000_MPI_COUNT_KIND, "its extent")
    call MPI_Type_free(type)
  end subroutine large_counts

  subroutine pointers()
    type(c_ptr) :: memory, detached
    real, pointer :: array(:)
    integer :: size
    character, pointer, asynchronous :: space(:)
    call MPI_Alloc_mem(400_MPI_ADDRESS_KIND, MPI_INFO_NULL, memory)
    call c_f_pointer(memory, array, [100])
    array = 1.5
    call expect(sum(array) == 150, "memory of MPI_Alloc_mem")
    call MPI_Free_mem(array)
    allocate (space(2000))
    call MPI_Buffer_attach(space, 2000)
    call MPI_Buffer_detach(detached, size)
    call expect_value(size, 2000, "the size that MPI_Buffer_detach gives back")
    call expect(c_associated(detached, c_loc(space(1))), "MPI_Buffer_detach gives the buffer back")
    deallocate (space)
    call MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0)
    call MPI_Buffer_detach(detached, size)
    call expect(c_associated(detached, c_loc_of(MPI_BUFFER_AUTOMATIC)), &
        "MPI_BUFFER_AUTOMATIC comes back as it went in")
  end subroutine pointers

  type(c_ptr) function c_loc_of(variable)
    integer, target :: variable
    c_loc_of = c_loc(variable)
  end function c_loc_of

end program strings
