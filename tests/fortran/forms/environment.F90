! SPDX-License-Identifier: BSD-3-Clause
! What is neither a request nor a callback and has a C side of its own, in each form: starting,
! truth values, strings with lengths, attached buffers, contents of datatypes, starting processes.
! req fortran 1.9, 1.10, 1.11, 1.13, 5.63, 5.69, 5.77, 9.110, 9.112, 9.113
#include "form.inc"
program environment_of_forms
  USE_MPI
  use, intrinsic :: iso_c_binding, only: c_ptr
  use, intrinsic :: iso_fortran_env, only: real_kinds, integer_kinds
  use check
  implicit none
  INCLUDE_MPI
  integer :: ierr

  call start()
  call truth_values()
  call kinds()
  call strings()
  call buffers()
  call shapes()
  call processes()
#ifdef F08
  call large_counts()
#else
  call names_of_mpi1()
#endif
  call MPI_FINALIZE(ierr)
  call report()

contains

  subroutine start()
    integer :: provided, keys
    integer(MPI_ADDRESS_KIND) :: here
    HANDLE(MPI_Info) :: info
    double precision :: time
    call MPI_INFO_CREATE_ENV(info, ierr)
    call MPI_INFO_GET_NKEYS(info, keys, ierr)
    call expect(ierr == MPI_SUCCESS .and. keys >= 0, "MPI_INFO_CREATE_ENV before MPI_INIT_THREAD")
    call MPI_INFO_FREE(info, ierr)
    call MPI_INIT_THREAD(MPI_THREAD_FUNNELED, provided, ierr)
    call expect(provided >= MPI_THREAD_FUNNELED .and. provided <= MPI_THREAD_MULTIPLE, &
        "what MPI_INIT_THREAD provides")
    call MPI_COMM_SET_ERRHANDLER(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
    call MPI_COMM_SET_ERRHANDLER(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
    call MPI_PCONTROL(1)
    time = MPI_WTIME()
    call expect(MPI_WTIME() >= time .and. MPI_WTICK() > 0 .and. MPI_WTICK() < 1, &
        "MPI_WTIME and MPI_WTICK")
    here = 1000
    call expect(MPI_AINT_ADD(here, 24_MPI_ADDRESS_KIND) == 1024, "MPI_AINT_ADD")
    call expect(MPI_AINT_DIFF(here, 24_MPI_ADDRESS_KIND) == 976, "MPI_AINT_DIFF")
  end subroutine start

  ! The library sets them when it is loaded; a second time is an error.
  subroutine truth_values()
    logical :: is_true, is_false, known
    integer :: class, code
    known = .false.
    is_true = .false.
    is_false = .true.
    call MPI_ABI_GET_FORTRAN_BOOLEANS(storage_size(known) / 8, is_true, is_false, known, ierr)
    call expect(known .and. is_true .and. .not. is_false, "MPI_ABI_GET_FORTRAN_BOOLEANS")
    call MPI_ABI_SET_FORTRAN_BOOLEANS(storage_size(known) / 8, .true., .false., code)
    call MPI_ERROR_CLASS(code, class, ierr)
    call expect_value(class, MPI_ERR_ABI, "the class of MPI_ABI_SET_FORTRAN_BOOLEANS once more")
  end subroutine truth_values

  ! What the library says of the compiler holds for the one that compiles this.
  subroutine kinds()
    HANDLE(MPI_Info) :: info
    call MPI_ABI_GET_FORTRAN_INFO(info, ierr)
    call expect_key(info, "mpi_integer_size", merge("4    ", "other", storage_size(0) == 32))
    call expect_key(info, "mpi_double_precision_size", merge("8    ", "other", storage_size(0d0) == 64))
    call expect_key(info, "mpi_integer1_supported", "true")
    call expect_key(info, "mpi_real8_supported", "true")
    call expect_key(info, "mpi_real16_supported", merge("true ", "false", any(real_kinds == 16)))
    call expect_key(info, "mpi_complex32_supported", merge("true ", "false", any(real_kinds == 16)))
    call expect_key(info, "mpi_integer16_supported", merge("true ", "false", any(integer_kinds == 16)))
    call MPI_INFO_FREE(info, ierr)
  end subroutine kinds

  subroutine expect_key(info, key, should_be)
    HANDLE(MPI_Info), intent(in) :: info
    character(len=*), intent(in) :: key, should_be
    character(len=8) :: value
    logical :: found
    integer :: length
    length = len(value)
    value = ""
    call MPI_INFO_GET_STRING(info, key, length, value, found, ierr)
    call expect(found .and. value == should_be, key)
  end subroutine expect_key

  subroutine strings()
    HANDLE(MPI_Info) :: info
    HANDLE(MPI_Session) :: session
    character(len=20) :: value
    logical :: found
    integer :: length, sets
    call MPI_INFO_CREATE(info, ierr)
    call MPI_INFO_SET(info, " a key ", "  its value ", ierr)
    call MPI_INFO_GET(info, "a key", 5, value, found, ierr)
    call expect(found .and. value == "its v", "MPI_INFO_GET cuts the value")
    length = 0
    call MPI_INFO_GET_STRING(info, "a key", length, value, found, ierr)
    call expect(found .and. length == 9 .and. value == "its v", &
        "MPI_INFO_GET_STRING asks for the length")
    call MPI_INFO_GET_STRING(info, "a key", length, value, found, ierr)
    call expect(found .and. length == 9 .and. value == "its value", "MPI_INFO_GET_STRING")
    call MPI_INFO_FREE(info, ierr)
    call MPI_SESSION_INIT(MPI_INFO_NULL, MPI_ERRORS_RETURN, session, ierr)
    call MPI_SESSION_GET_NUM_PSETS(session, MPI_INFO_NULL, sets, ierr)
    call expect(sets >= 2, "the number of process sets")
    length = 0
    call MPI_SESSION_GET_NTH_PSET(session, MPI_INFO_NULL, 0, length, value, ierr)
    call expect_value(length, len("mpi://WORLD"), "the length of the name of a process set")
    length = len(value)
    call MPI_SESSION_GET_NTH_PSET(session, MPI_INFO_NULL, 0, length, value, ierr)
    call expect(value == "mpi://WORLD", "the name of a process set")
    call MPI_SESSION_FINALIZE(session, ierr)
  end subroutine strings

  subroutine buffers()
    integer :: memory(1000)
    integer :: bytes
    HANDLE(MPI_Session) :: session
#ifdef F08
#define IS_MEMORY transfer(address, here) == here
    type(c_ptr) :: address
    integer(MPI_ADDRESS_KIND) :: here
    call MPI_GET_ADDRESS(memory, here, ierr)
#else
    ! Of any type, so MPI leaves it alone.
#define IS_MEMORY address == -7
    integer :: address
    address = -7
#endif
    call MPI_BUFFER_ATTACH(memory, 4000, ierr)
    call MPI_BUFFER_DETACH(address, bytes, ierr)
    call expect(ierr == MPI_SUCCESS .and. IS_MEMORY .and. bytes == 4000, "MPI_BUFFER_DETACH")
    call MPI_COMM_ATTACH_BUFFER(MPI_COMM_SELF, memory, 3000, ierr)
    call MPI_COMM_DETACH_BUFFER(MPI_COMM_SELF, address, bytes, ierr)
    call expect(ierr == MPI_SUCCESS .and. IS_MEMORY .and. bytes == 3000, "MPI_COMM_DETACH_BUFFER")
    call MPI_SESSION_INIT(MPI_INFO_NULL, MPI_ERRORS_RETURN, session, ierr)
    call MPI_SESSION_ATTACH_BUFFER(session, memory, 2000, ierr)
    call MPI_SESSION_DETACH_BUFFER(session, address, bytes, ierr)
    call expect(ierr == MPI_SUCCESS .and. IS_MEMORY .and. bytes == 2000, &
        "MPI_SESSION_DETACH_BUFFER")
    call MPI_SESSION_FINALIZE(session, ierr)
  end subroutine buffers

  subroutine shapes()
    HANDLE(MPI_Comm) :: grid
    HANDLE(MPI_Datatype) :: pair, contents(1)
    integer :: dims(3), coords(3), integers(3), counts(4)
    integer(MPI_ADDRESS_KIND) :: addresses(1)
    logical :: periods(3)
    call MPI_CART_CREATE(MPI_COMM_SELF, 2, [1, 1], [.true., .false.], .false., grid, ierr)
    dims = -7
    coords = -7
    periods = .true.
    call MPI_CART_GET(grid, 2, dims, periods, coords, ierr)
    call expect(all(dims == [1, 1, -7]) .and. all(coords == [0, 0, -7]), &
        "the dimensions and coordinates of a grid")
    call expect(all(periods .eqv. [.true., .false., .true.]), "the periods of a grid")
    call MPI_COMM_FREE(grid, ierr)
    call MPI_TYPE_VECTOR(2, 3, 5, MPI_REAL, pair, ierr)
    call MPI_TYPE_GET_ENVELOPE(pair, counts(1), counts(2), counts(3), counts(4), ierr)
    call expect(all(counts(:3) == [3, 0, 1]) .and. counts(4) == MPI_COMBINER_VECTOR, &
        "the envelope of a vector")
    call MPI_TYPE_GET_CONTENTS(pair, 3, 0, 1, integers, addresses, contents, ierr)
    call expect(all(integers == [2, 3, 5]) .and. contents(1) == MPI_REAL, &
        "the contents of a vector")
    call MPI_TYPE_FREE(pair, ierr)
  end subroutine shapes

  ! Numbers of processes that cannot be: nothing is started.
  subroutine processes()
    HANDLE(MPI_Comm) :: children
    character(len=8) :: commands(2), arguments(2, 1)
    integer :: codes(2), class, code
    commands = "none"
    arguments = ""
    call MPI_COMM_SPAWN("none", MPI_ARGV_NULL, -1, MPI_INFO_NULL, 0, MPI_COMM_SELF, children, &
        MPI_ERRCODES_IGNORE, code)
    call MPI_ERROR_CLASS(code, class, ierr)
    call expect(class == MPI_ERR_ARG .or. class == MPI_ERR_COUNT .or. class == MPI_ERR_SPAWN, &
        "the class of -1 processes")
    call MPI_COMM_SPAWN_MULTIPLE(2, commands, arguments, [1, -1], [MPI_INFO_NULL, &
        MPI_INFO_NULL], 0, MPI_COMM_SELF, &
        children, codes, code)
    call MPI_ERROR_CLASS(code, class, ierr)
    call expect(class == MPI_ERR_ARG .or. class == MPI_ERR_COUNT .or. class == MPI_ERR_SPAWN, &
        "the class of 1 and -1 processes")
  end subroutine processes

#ifdef F08
  subroutine large_counts()
    integer(MPI_COUNT_KIND), parameter :: zero = 0, one = 1
    integer :: memory(1000), integers(1), combiner
    integer(MPI_COUNT_KIND) :: bytes(3), counts(4), large(3)
    integer(MPI_ADDRESS_KIND) :: addresses(1)
    type(c_ptr) :: address
    type(MPI_Session) :: session
    type(MPI_Datatype) :: vector, contents(1)
    call MPI_Buffer_attach(memory, 4000_MPI_COUNT_KIND)
    call MPI_Buffer_detach(address, bytes(1))
    call MPI_Comm_attach_buffer(MPI_COMM_SELF, memory, 3000_MPI_COUNT_KIND)
    call MPI_Comm_detach_buffer(MPI_COMM_SELF, address, bytes(2))
    call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session)
    call MPI_Session_attach_buffer(session, memory, 2000_MPI_COUNT_KIND)
    call MPI_Session_detach_buffer(session, address, bytes(3))
    call MPI_Session_finalize(session)
    call expect(all(bytes == [4000, 3000, 2000]), "the sizes of detached buffers")
    call MPI_Type_vector(2 * one, 3 * one, 2_MPI_COUNT_KIND**33, MPI_REAL, vector)
    call MPI_Type_get_envelope(vector, counts(1), counts(2), counts(3), counts(4), combiner)
    call expect(all(counts == [0, 0, 3, 1]) .and. combiner == MPI_COMBINER_VECTOR, &
        "the envelope of a long vector")
    call MPI_Type_get_contents(vector, zero, zero, 3 * one, one, integers, addresses, large, &
        contents)
    call expect(all(large == [2 * one, 3 * one, 2_MPI_COUNT_KIND**33]), &
        "the numbers of a long vector")
    call expect(contents(1) == MPI_REAL, "the datatype of a long vector")
    call MPI_Type_free(vector)
  end subroutine large_counts
#else
  subroutine names_of_mpi1()
    integer :: handler, type, lower, upper, extent, address, class, code
    double precision :: memory(2)
    call MPI_ERRHANDLER_GET(MPI_COMM_SELF, handler, ierr)
    call expect_value(handler, MPI_ERRORS_RETURN, "MPI_ERRHANDLER_GET")
    call MPI_ERRHANDLER_CREATE(quiet, handler, ierr)
    call MPI_ERRHANDLER_SET(MPI_COMM_SELF, handler, ierr)
    call MPI_ERRHANDLER_SET(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
    call MPI_ERRHANDLER_FREE(handler, ierr)
    call MPI_TYPE_HVECTOR(3, 1, 16, MPI_DOUBLE_PRECISION, type, ierr)
    call expect_bounds(type, 0, 40, "MPI_TYPE_HVECTOR")
    call MPI_TYPE_HINDEXED(2, [1, 1], [8, 32], MPI_DOUBLE_PRECISION, type, ierr)
    call expect_bounds(type, 8, 40, "MPI_TYPE_HINDEXED")
    call MPI_TYPE_STRUCT(2, [1, 1], [8, 16], [MPI_INTEGER, MPI_DOUBLE_PRECISION], type, ierr)
    call expect_bounds(type, 8, 24, "MPI_TYPE_STRUCT")
    call MPI_ADDRESS(memory, address, code)
    if (code /= MPI_SUCCESS) then
      call MPI_ERROR_CLASS(code, class, ierr)
      call expect_value(class, MPI_ERR_ARG, "the class of an address that does not fit")
    end if
    call MPI_TYPE_LB(MPI_REAL, lower, ierr)
    call MPI_TYPE_UB(MPI_REAL, upper, ierr)
    call MPI_TYPE_EXTENT(MPI_REAL, extent, ierr)
    call expect(lower == 0 .and. upper == 4 .and. extent == 4, "the bounds of MPI_REAL")
  end subroutine names_of_mpi1

  subroutine expect_bounds(type, lower, upper, what)
    integer, intent(inout) :: type
    integer, intent(in) :: lower, upper
    character(len=*), intent(in) :: what
    integer :: found(3)
    call MPI_TYPE_LB(type, found(1), ierr)
    call MPI_TYPE_UB(type, found(2), ierr)
    call MPI_TYPE_EXTENT(type, found(3), ierr)
    call expect(all(found == [lower, upper, upper - lower]), what)
    call MPI_TYPE_FREE(type, ierr)
  end subroutine expect_bounds

  subroutine quiet(comm, code)
    integer :: comm, code
    print *, comm, code
  end subroutine quiet
#endif

end program environment_of_forms
