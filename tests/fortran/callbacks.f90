! SPDX-License-Identifier: BSD-3-Clause
! Procedures of the program that MPI calls, written as module mpi_f08 asks for.
! req fortran 6.81, 6.82, 6.83, 6.84, 6.85, 6.86, 6.88, 6.89, 6.91, 6.92, 6.93, 6.94, 4.57
module procedures
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  integer :: handled = 0, handled_class = -1, copied = 0, deleted = 0, queried = 0, freed = 0, &
      cancelled = 0
  integer(MPI_ADDRESS_KIND) :: state_seen = 0, deleted_value = 0
  logical :: type_was_integer = .false., complete_seen = .true.

contains

  subroutine add_up(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: in(:), inout(:)
    type_was_integer = datatype == MPI_INTEGER
    call c_f_pointer(invec, in, [len])
    call c_f_pointer(inoutvec, inout, [len])
    inout = in + inout
  end subroutine add_up

  subroutine add_up_large(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer(MPI_COUNT_KIND) :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: in(:), inout(:)
    type_was_integer = datatype == MPI_INTEGER
    call c_f_pointer(invec, in, [len])
    call c_f_pointer(inoutvec, inout, [len])
    inout = in + 10 * inout
  end subroutine add_up_large

  subroutine handle_error(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code
    integer :: same
    handled = handled + 1
    call MPI_Error_class(error_code, handled_class)
    call MPI_Comm_compare(comm, MPI_COMM_SELF, same)
  end subroutine handle_error

  subroutine copy_value(oldcomm, keyval, extra_state, attribute_val_in, attribute_val_out, flag, &
      ierror)
    type(MPI_Comm) :: oldcomm
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    copied = copied + 1
    state_seen = extra_state
    attribute_val_out = attribute_val_in + 1
    flag = oldcomm /= MPI_COMM_NULL .and. keyval /= MPI_KEYVAL_INVALID
    ierror = MPI_SUCCESS
  end subroutine copy_value

  subroutine delete_value(comm, keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    deleted = deleted + 1
    deleted_value = attribute_val
    ierror = merge(MPI_SUCCESS, MPI_ERR_OTHER, attribute_val /= -13 .or. deleted > 3)
  end subroutine delete_value

  subroutine query(extra_state, status, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    type(MPI_Status) :: status
    integer :: ierror
    queried = queried + 1
    state_seen = extra_state
    call MPI_Status_set_elements(status, MPI_INTEGER, 7)
    call MPI_Status_set_cancelled(status, .false.)
    status%MPI_SOURCE = 3
    status%MPI_TAG = 4
    ierror = MPI_SUCCESS
  end subroutine query

  subroutine release(extra_state, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    integer :: ierror
    if (extra_state == state_seen) freed = freed + 1
    ierror = MPI_SUCCESS
  end subroutine release

  subroutine cancel(extra_state, complete, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: ierror
    cancelled = cancelled + 1
    complete_seen = complete
    state_seen = extra_state
    ierror = MPI_SUCCESS
  end subroutine cancel

end module procedures

program callbacks
  use procedures
  use check
  implicit none
  integer :: rank, size

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call operations()
  call error_handlers()
  call attributes()
  call repeated_keyvals()
  call predefined_attributes()
  call predefined_functions()
  call generalized_requests()
  call MPI_Finalize()
  call report()

contains

  subroutine operations()
    type(MPI_Op) :: op
    integer :: in(3), out(3)
    logical :: commutes
    in = [1, 2, 3] + rank
    call MPI_Op_create(add_up, .true., op)
    call MPI_Op_commutative(op, commutes)
    call expect(commutes, "MPI_Op_commutative")
    call MPI_Allreduce(in, out, 3, MPI_INTEGER, op, MPI_COMM_WORLD)
    call expect(all(out == size * [1, 2, 3] + size * (size - 1) / 2), "a reduction by a procedure")
    call expect(type_was_integer .or. size == 1, "the procedure gets the handle that the call had")
    call MPI_Op_free(op)
    call expect(op == MPI_OP_NULL, "MPI_Op_free")
    call MPI_Op_create_c(add_up_large, .false., op)
    out = 1
    call MPI_Reduce_local(in, out, 3, MPI_INTEGER, op)
    call expect(all(out == in + 10), "a reduction by a procedure with a large count")
    call MPI_Op_free(op)
  end subroutine operations

  subroutine error_handlers()
    type(MPI_Errhandler) :: handler
    integer :: ierror, class, buffer
    call MPI_Comm_create_errhandler(handle_error, handler)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler)
    call MPI_Send(buffer, 1, MPI_INTEGER, size + 5, 0, MPI_COMM_WORLD, ierror)
    call MPI_Error_class(ierror, class)
    call expect_value(class, MPI_ERR_RANK, "the class of a wrong rank")
    call expect_value(handled, 1, "calls of the error handler")
    call expect_value(handled_class, MPI_ERR_RANK, "the class that the error handler saw")
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
    call MPI_Errhandler_free(handler)
  end subroutine error_handlers

  subroutine attributes()
    type(MPI_Comm) :: copy
    integer :: key, ierror
    integer(MPI_ADDRESS_KIND) :: value, state
    integer(MPI_ADDRESS_KIND), parameter :: wide = 5000000000_MPI_ADDRESS_KIND
    logical :: flag
    state = 77
    call MPI_Comm_create_keyval(copy_value, delete_value, key, state)
    state = 0 ! the value counts, not the variable
    call MPI_Comm_get_attr(MPI_COMM_SELF, key, value, flag)
    call expect(.not. flag, "an attribute that nobody set")
    call MPI_Comm_set_attr(MPI_COMM_SELF, key, wide)
    call MPI_Comm_dup(MPI_COMM_SELF, copy)
    call expect(copied == 1 .and. state_seen == 77, "the copy procedure gets the extra state")
    call MPI_Comm_get_attr(copy, key, value, flag)
    call expect(flag .and. value == wide + 1, "a copied attribute of 64 bits")
    call MPI_Comm_free(copy)
    call expect(deleted == 1 .and. deleted_value == wide + 1, "the delete procedure gets the value")
    call MPI_Comm_set_attr(MPI_COMM_SELF, key, -13_MPI_ADDRESS_KIND)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call MPI_Comm_delete_attr(MPI_COMM_SELF, key, ierror)
    call expect(ierror /= MPI_SUCCESS, "an ierror of a callback ends the call with an error")
    deleted = 4
    call MPI_Comm_delete_attr(MPI_COMM_SELF, key, ierror)
    call expect(ierror == MPI_SUCCESS .and. deleted == 5, &
        "the attribute goes once the callback agrees")
    call MPI_Comm_free_keyval(key)
    call expect_value(key, MPI_KEYVAL_INVALID, "a freed keyval")
  end subroutine attributes

  ! A program that makes the same keyval again and again does not grow.
  subroutine repeated_keyvals()
    interface
      function allocated_bytes() bind(C)
        import
        integer(c_size_t) :: allocated_bytes
      end function allocated_bytes
    end interface
    integer, parameter :: rounds = 10000
    integer(c_size_t) :: before
    integer :: i, key
    before = 0
    do i = 0, rounds
      if (i == 1) before = allocated_bytes()
      call MPI_Comm_create_keyval(copy_value, delete_value, key, 78_MPI_ADDRESS_KIND)
      call MPI_Comm_free_keyval(key)
    end do
    call expect(allocated_bytes() - before < 8 * rounds, "equal keyvals are kept once")
  end subroutine repeated_keyvals

  subroutine predefined_attributes()
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag)
    call expect(flag .and. value >= 32767 .and. value <= huge(0), "MPI_TAG_UB is a value")
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, value, flag)
    call expect(flag .and. (value == 0 .or. value == 1), "MPI_WTIME_IS_GLOBAL is a value")
  end subroutine predefined_attributes

  subroutine predefined_functions()
    type(MPI_Datatype) :: type, copy
    integer :: kept, lost, ierror
    integer(MPI_ADDRESS_KIND) :: value, in, out
    logical :: flag
    call MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, kept, 0_MPI_ADDRESS_KIND)
    call MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, lost, &
        0_MPI_ADDRESS_KIND)
    call MPI_Type_contiguous(2, MPI_REAL, type)
    call MPI_Type_set_attr(type, kept, -4_MPI_ADDRESS_KIND)
    call MPI_Type_set_attr(type, lost, 5_MPI_ADDRESS_KIND)
    call MPI_Type_dup(type, copy)
    call MPI_Type_free(type)
    call MPI_Type_get_attr(copy, kept, value, flag)
    call expect(flag .and. value == -4, "MPI_TYPE_DUP_FN copies")
    call MPI_Type_get_attr(copy, lost, value, flag)
    call expect(.not. flag, "MPI_TYPE_NULL_COPY_FN does not copy")
    call MPI_Type_free(copy)
    in = 9
    call MPI_COMM_DUP_FN(MPI_COMM_SELF, kept, 0_MPI_ADDRESS_KIND, in, out, flag, ierror)
    call expect(flag .and. out == 9 .and. ierror == MPI_SUCCESS, &
        "MPI_COMM_DUP_FN called by the program")
    call MPI_COMM_NULL_COPY_FN(MPI_COMM_SELF, kept, 0_MPI_ADDRESS_KIND, in, out, flag, ierror)
    call expect(.not. flag, "MPI_COMM_NULL_COPY_FN called by the program")
    call MPI_Type_free_keyval(kept)
    call MPI_Type_free_keyval(lost)
  end subroutine predefined_functions

  subroutine generalized_requests()
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    integer :: count
    logical :: flag
    call MPI_Grequest_start(query, release, cancel, 42_MPI_ADDRESS_KIND, request)
    call MPI_Test(request, flag, status)
    call expect(.not. flag, "a generalized request that nobody has completed")
    call MPI_Cancel(request)
    call expect(cancelled == 1 .and. state_seen == 42 .and. .not. complete_seen, &
        "the cancel procedure")
    call MPI_Grequest_complete(request)
    call MPI_Wait(request, status)
    call MPI_Get_count(status, MPI_INTEGER, count)
    call expect(queried >= 1 .and. freed == 1, "the query and free procedures")
    call expect(count == 7 .and. status%MPI_SOURCE == 3 .and. status%MPI_TAG == 4, &
        "the status of the query procedure")
  end subroutine generalized_requests

end program callbacks
