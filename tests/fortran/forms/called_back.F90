! SPDX-License-Identifier: BSD-3-Clause
! The procedures that callbacks.F90 hands to MPI, which count their calls.
#include "form.inc"
module called_back
  USE_MPI
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  implicit none
  INCLUDE_MPI
  private
  integer, public :: copies = 0, deletions = 0, errors = 0, queries = 0, releases = 0, &
      cancellations = 0
  integer, public :: last_error = 0
  public :: copy_comm, delete_comm, copy_type, delete_type, copy_win, delete_win
  public :: error_of_comm, error_of_win, error_of_file, error_of_session
  public :: largest, largest_of_many, query, release, cancel, extent

contains

#define KIND MPI_Comm
#define COPY copy_comm
#define DELETE delete_comm
#include "attribute_callbacks.inc"
#undef KIND
#undef COPY
#undef DELETE
#define KIND MPI_Datatype
#define COPY copy_type
#define DELETE delete_type
#include "attribute_callbacks.inc"
#undef KIND
#undef COPY
#undef DELETE
#define KIND MPI_Win
#define COPY copy_win
#define DELETE delete_win
#include "attribute_callbacks.inc"
#undef KIND
#undef COPY
#undef DELETE

  subroutine error_of_comm(handle, code)
    HANDLE(MPI_Comm) :: handle
    integer :: code
    errors = errors + 1
    last_error = code
  end subroutine error_of_comm

  subroutine error_of_win(handle, code)
    HANDLE(MPI_Win) :: handle
    integer :: code
    errors = errors + 1
    last_error = code
  end subroutine error_of_win

  subroutine error_of_file(handle, code)
    HANDLE(MPI_File) :: handle
    integer :: code
    errors = errors + 1
    last_error = code
  end subroutine error_of_file

  subroutine error_of_session(handle, code)
    HANDLE(MPI_Session) :: handle
    integer :: code
    errors = errors + 1
    last_error = code
  end subroutine error_of_session

#ifdef F08
  subroutine largest(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    b = max(a, b)
  end subroutine largest

  subroutine largest_of_many(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer(MPI_COUNT_KIND) :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    b = max(a, b)
  end subroutine largest_of_many
#else
  subroutine largest(invec, inoutvec, len, datatype)
    integer :: len, datatype
    integer :: invec(len), inoutvec(len)
    inoutvec = max(invec, inoutvec)
  end subroutine largest

  subroutine largest_of_many()
  end subroutine largest_of_many
#endif

  subroutine query(extra_state, status, ierr)
    integer(MPI_ADDRESS_KIND) :: extra_state
    STATUS :: status
    integer :: ierr
    queries = queries + 1
    call MPI_STATUS_SET_ELEMENTS(status, MPI_INTEGER, int(extra_state), ierr)
    call MPI_STATUS_SET_CANCELLED(status, cancellations > 0, ierr)
  end subroutine query

  subroutine release(extra_state, ierr)
    integer(MPI_ADDRESS_KIND) :: extra_state
    integer :: ierr
    releases = releases + int(extra_state)
    ierr = MPI_SUCCESS
  end subroutine release

  subroutine cancel(extra_state, complete, ierr)
    integer(MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: ierr
    if (.not. complete) cancellations = cancellations + int(extra_state)
    ierr = MPI_SUCCESS
  end subroutine cancel

  subroutine extent(datatype, bytes, extra_state, ierr)
    HANDLE(MPI_Datatype) :: datatype
    integer(MPI_ADDRESS_KIND) :: bytes, extra_state
    integer :: ierr
    bytes = extra_state
    ierr = MPI_SUCCESS
  end subroutine extent

end module called_back
