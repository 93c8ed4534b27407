! SPDX-License-Identifier: BSD-3-Clause
! Procedures that MPI calls, in each form: attributes, error handlers, reductions, generalized
! requests, data representations.
! req fortran 1.10, 6.81, 6.82, 6.84, 6.88
#include "form.inc"
program callbacks_of_forms
  USE_MPI
  use check
  use called_back
  implicit none
  INCLUDE_MPI
  integer(MPI_ADDRESS_KIND), parameter :: one = 1, set_value = 41
  integer :: ierr
  call MPI_INIT(ierr)
  call attributes_of_comms()
  call attributes_of_types()
  call attributes_of_windows()
#ifndef F08
  call attributes_of_mpi1()
#endif
  call error_handlers()
  call reductions()
  call generalized_requests()
  call representations()
  call MPI_FINALIZE(ierr)
  call report()

contains

  subroutine expect_attribute(value, found, what)
    integer(MPI_ADDRESS_KIND), intent(in) :: value
    logical, intent(in) :: found
    character(len=*), intent(in) :: what
    call expect(found .and. value == set_value + 1, what)
    call expect(copies == 1 .and. deletions == 2, "calls of the procedures for " // what)
    copies = 0
    deletions = 0
  end subroutine expect_attribute

  subroutine attributes_of_comms()
    HANDLE(MPI_Comm) :: comm, copy
    integer :: keyval
    integer(MPI_ADDRESS_KIND) :: value
    logical :: found
    call MPI_COMM_CREATE_KEYVAL(copy_comm, delete_comm, keyval, one, ierr)
    call MPI_COMM_DUP(MPI_COMM_SELF, comm, ierr)
    call MPI_COMM_SET_ATTR(comm, keyval, set_value, ierr)
    call MPI_COMM_DUP(comm, copy, ierr)
    call MPI_COMM_GET_ATTR(copy, keyval, value, found, ierr)
    call MPI_COMM_DELETE_ATTR(comm, keyval, ierr)
    call MPI_COMM_FREE(comm, ierr)
    call MPI_COMM_FREE(copy, ierr)
    call MPI_COMM_FREE_KEYVAL(keyval, ierr)
    call expect_attribute(value, found, "an attribute of a communicator")
  end subroutine attributes_of_comms

  subroutine attributes_of_types()
    HANDLE(MPI_Datatype) :: type, copy
    integer :: keyval
    integer(MPI_ADDRESS_KIND) :: value
    logical :: found
    call MPI_TYPE_CREATE_KEYVAL(copy_type, delete_type, keyval, one, ierr)
    call MPI_TYPE_DUP(MPI_INTEGER, type, ierr)
    call MPI_TYPE_SET_ATTR(type, keyval, set_value, ierr)
    call MPI_TYPE_DUP(type, copy, ierr)
    call MPI_TYPE_GET_ATTR(copy, keyval, value, found, ierr)
    call MPI_TYPE_DELETE_ATTR(type, keyval, ierr)
    call MPI_TYPE_FREE(type, ierr)
    call MPI_TYPE_FREE(copy, ierr)
    call MPI_TYPE_FREE_KEYVAL(keyval, ierr)
    call expect_attribute(value, found, "an attribute of a datatype")
  end subroutine attributes_of_types

  ! No function duplicates a window.
  subroutine attributes_of_windows()
    HANDLE(MPI_Win) :: win
    integer :: keyval, memory(4)
    integer(MPI_ADDRESS_KIND) :: value
    logical :: found
    call MPI_WIN_CREATE(memory, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_SELF, win, ierr)
    call MPI_WIN_CREATE_KEYVAL(copy_win, delete_win, keyval, one, ierr)
    call MPI_WIN_SET_ATTR(win, keyval, set_value + 1, ierr)
    call MPI_WIN_GET_ATTR(win, keyval, value, found, ierr)
    call MPI_WIN_DELETE_ATTR(win, keyval, ierr)
    call MPI_WIN_SET_ATTR(win, keyval, set_value, ierr)
    copies = 1
    call MPI_WIN_FREE(win, ierr)
    call MPI_WIN_FREE_KEYVAL(keyval, ierr)
    call expect_attribute(value, found, "an attribute of a window")
  end subroutine attributes_of_windows

#ifndef F08
  subroutine attributes_of_mpi1()
    integer :: keyval, value, comm
    logical :: found
    call MPI_COMM_DUP(MPI_COMM_SELF, comm, ierr)
    call MPI_KEYVAL_CREATE(MPI_DUP_FN, MPI_NULL_DELETE_FN, keyval, 0, ierr)
    call MPI_ATTR_PUT(comm, keyval, -3, ierr)
    call MPI_ATTR_GET(comm, keyval, value, found, ierr)
    call expect(found .and. value == -3, "an attribute of MPI-1")
    call MPI_ATTR_DELETE(comm, keyval, ierr)
    call MPI_ATTR_GET(comm, keyval, value, found, ierr)
    call expect(.not. found, "an attribute of MPI-1 is deleted")
    call MPI_KEYVAL_FREE(keyval, ierr)
    call expect_value(keyval, MPI_KEYVAL_INVALID, "the keyval of MPI-1 that was freed")
    call MPI_COMM_FREE(comm, ierr)
  end subroutine attributes_of_mpi1
#endif

  subroutine expect_error(code, what)
    integer, intent(in) :: code
    character(len=*), intent(in) :: what
    call expect(errors == 1 .and. last_error == code, what)
    errors = 0
  end subroutine expect_error

  subroutine error_handlers()
    HANDLE(MPI_Errhandler) :: handler, before
    HANDLE(MPI_Win) :: win
    HANDLE(MPI_Session) :: session
    integer :: memory(4)
    call MPI_COMM_CREATE_ERRHANDLER(error_of_comm, handler, ierr)
    call MPI_COMM_GET_ERRHANDLER(MPI_COMM_SELF, before, ierr)
    call MPI_COMM_SET_ERRHANDLER(MPI_COMM_SELF, handler, ierr)
    call MPI_COMM_CALL_ERRHANDLER(MPI_COMM_SELF, MPI_ERR_TAG, ierr)
    call expect_error(MPI_ERR_TAG, "the handler of a communicator")
    call MPI_SEND(memory, 1, MPI_INTEGER, 7, 0, MPI_COMM_SELF, ierr)
    call expect(errors == 1 .and. ierr == last_error, "the handler of a communicator in a call")
    errors = 0
    call MPI_COMM_SET_ERRHANDLER(MPI_COMM_SELF, before, ierr)
    call MPI_ERRHANDLER_FREE(handler, ierr)
    call MPI_WIN_CREATE(memory, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_SELF, win, ierr)
    call MPI_WIN_CREATE_ERRHANDLER(error_of_win, handler, ierr)
    call MPI_WIN_SET_ERRHANDLER(win, handler, ierr)
    call MPI_ERRHANDLER_FREE(handler, ierr)
    call MPI_WIN_CALL_ERRHANDLER(win, MPI_ERR_RANK, ierr)
    call expect_error(MPI_ERR_RANK, "the handler of a window")
    call MPI_WIN_FREE(win, ierr)
    call MPI_FILE_CREATE_ERRHANDLER(error_of_file, handler, ierr)
    call MPI_FILE_SET_ERRHANDLER(MPI_FILE_NULL, handler, ierr)
    call MPI_ERRHANDLER_FREE(handler, ierr)
    call MPI_FILE_CALL_ERRHANDLER(MPI_FILE_NULL, MPI_ERR_AMODE, ierr)
    call expect_error(MPI_ERR_AMODE, "the handler of files")
    call MPI_FILE_SET_ERRHANDLER(MPI_FILE_NULL, MPI_ERRORS_RETURN, ierr)
    call MPI_SESSION_CREATE_ERRHANDLER(error_of_session, handler, ierr)
    call MPI_SESSION_INIT(MPI_INFO_NULL, handler, session, ierr)
    call MPI_ERRHANDLER_FREE(handler, ierr)
    call MPI_SESSION_CALL_ERRHANDLER(session, MPI_ERR_NAME, ierr)
    call expect_error(MPI_ERR_NAME, "the handler of a session")
    call MPI_SESSION_FINALIZE(session, ierr)
  end subroutine error_handlers

  subroutine reductions()
    HANDLE(MPI_Op) :: op
    integer :: a(3), b(3)
    logical :: commutes
    a = [1, 5, 3]
    b = [2, 2, 2]
    call MPI_OP_CREATE(largest, .false., op, ierr)
    call MPI_OP_COMMUTATIVE(op, commutes, ierr)
    call MPI_REDUCE_LOCAL(a, b, 3, MPI_INTEGER, op, ierr)
    call expect(.not. commutes .and. all(b == [2, 5, 3]), "a reduction")
    call MPI_OP_FREE(op, ierr)
#ifdef F08
    b = [2, 2, 2]
    call MPI_Op_create_c(largest_of_many, .true., op, ierr)
    call MPI_Reduce_local(a, b, 3_MPI_COUNT_KIND, MPI_INTEGER, op, ierr)
    call MPI_Op_commutative(op, commutes, ierr)
    call expect(commutes .and. all(b == [2, 5, 3]), "a reduction of a large count")
    call MPI_Op_free(op, ierr)
#endif
  end subroutine reductions

  subroutine generalized_requests()
    HANDLE(MPI_Request) :: request
    STATUS :: status
    integer :: count
    logical :: flag
    call MPI_GREQUEST_START(query, release, cancel, 7_MPI_ADDRESS_KIND, request, ierr)
    call MPI_TEST(request, flag, status, ierr)
    call expect(.not. flag, "a generalized request is not complete")
    call MPI_GREQUEST_COMPLETE(request, ierr)
    call MPI_WAIT(request, status, ierr)
    call MPI_GET_COUNT(status, MPI_INTEGER, count, ierr)
    call expect(count == 7 .and. queries == 1 .and. releases == 7, &
        "the procedures of a generalized request")
    call MPI_GREQUEST_START(query, release, cancel, one, request, ierr)
    call MPI_CANCEL(request, ierr)
    call MPI_GREQUEST_COMPLETE(request, ierr)
    call MPI_WAIT(request, status, ierr)
    call MPI_TEST_CANCELLED(status, flag, ierr)
    call expect(flag .and. cancellations == 1 .and. releases == 8, &
        "a generalized request is cancelled")
  end subroutine generalized_requests

  subroutine representations()
    integer :: class, code
    call MPI_REGISTER_DATAREP("of forms  ", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, &
        extent, one, ierr)
    call expect_value(ierr, MPI_SUCCESS, "MPI_REGISTER_DATAREP")
    call MPI_REGISTER_DATAREP("of forms", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, &
        extent, one, code)
    call MPI_ERROR_CLASS(code, class, ierr)
    call expect_value(class, MPI_ERR_DUP_DATAREP, "the class of a representation that exists")
#ifdef F08
    call MPI_Register_datarep_c("of forms, large", MPI_CONVERSION_FN_NULL_C, &
        MPI_CONVERSION_FN_NULL_C, extent, one, ierr)
    call expect_value(ierr, MPI_SUCCESS, "MPI_Register_datarep_c")
#endif
  end subroutine representations

end program callbacks_of_forms
