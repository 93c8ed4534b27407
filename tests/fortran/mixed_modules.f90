! SPDX-License-Identifier: BSD-3-Clause
! The parts of mixed.c with module mpi and with module mpi_f08.
subroutine share_mpi(comm, key, type, op, failures)
  use mpi
  implicit none
  integer :: comm, key, type, op, failures, ierr, size, mine, most, n
  integer(MPI_ADDRESS_KIND) :: value
  logical :: flag
  type(MPI_Comm) :: typed
  call MPI_Comm_size(comm, size, ierr)
  call MPI_Comm_rank(comm, mine, ierr)
  call MPI_Allreduce(mine, most, 1, MPI_INTEGER, op, comm, ierr)
  call MPI_Type_size(type, n, ierr)
  call MPI_Comm_get_attr(comm, key, value, flag, ierr)
  typed%MPI_VAL = comm
  if (most /= size - 1 .or. n /= 8 .or. .not. flag .or. typed /= MPI_Comm(comm)) &
      failures = failures + 1
end subroutine share_mpi

subroutine share_f08(comm, key, type, op, failures)
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  integer :: comm, key, type, op, failures, size, mine, most, n
  integer(MPI_ADDRESS_KIND) :: value
  integer, pointer :: pointed
  logical :: flag
  call MPI_Comm_size(MPI_Comm(comm), size)
  call MPI_Comm_rank(MPI_Comm(comm), mine)
  call MPI_Allreduce(mine, most, 1, MPI_INTEGER, MPI_Op(op), MPI_Comm(comm))
  call MPI_Type_size(MPI_Datatype(type), n)
  call MPI_Comm_get_attr(MPI_Comm(comm), key, value, flag)
  call c_f_pointer(transfer(value, c_null_ptr), &
      pointed) ! C set a pointer: Fortran reads the address
  if (most /= size - 1 .or. n /= 8 .or. .not. flag .or. pointed /= 99) failures = failures + 1
  call MPI_Comm_set_attr(MPI_Comm(comm), key, -5_MPI_ADDRESS_KIND)
  call MPI_Comm_get_attr(MPI_Comm(comm), key, value, flag)
  if (value /= -5) failures = failures + 1
end subroutine share_f08

module mixed_procedures
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none

contains

  subroutine add(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: in(:), inout(:)
    call c_f_pointer(invec, in, [len])
    call c_f_pointer(inoutvec, inout, [len])
    if (datatype == MPI_INT) inout = in + inout
  end subroutine add

  subroutine copy(oldcomm, keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    attribute_val_out = attribute_val_in + extra_state
    flag = oldcomm /= MPI_COMM_NULL .and. keyval /= MPI_KEYVAL_INVALID
    ierror = MPI_SUCCESS
  end subroutine copy

  subroutine ignore(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code
    if (comm == MPI_COMM_NULL .or. error_code == MPI_SUCCESS) stop 3
  end subroutine ignore

end module mixed_procedures

subroutine make_f08(key, type, op, handler)
  use mixed_procedures
  implicit none
  integer :: key, type, op, handler
  type(MPI_Datatype) :: made
  type(MPI_Op) :: adds
  type(MPI_Errhandler) :: handles
  call MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, key, 1_MPI_ADDRESS_KIND)
  call MPI_Type_contiguous(3, MPI_REAL, made)
  call MPI_Op_create(add, .true., adds)
  call MPI_Comm_create_errhandler(ignore, handles)
  type = made%MPI_VAL
  op = adds%MPI_VAL
  handler = handles%MPI_VAL
end subroutine make_f08

subroutine send_f08(comm, to)
  use mpi_f08
  implicit none
  integer :: comm, to
  call MPI_Send([1.5, 2.5, 3.5], 3, MPI_REAL, to, 6, MPI_Comm(comm))
end subroutine send_f08

subroutine receive_f08(comm, from, status, failures)
  use mpi_f08
  implicit none
  integer :: comm, from, status(MPI_STATUS_SIZE), failures
  real :: data(3)
  type(MPI_Status) :: typed
  call MPI_Recv(data, 3, MPI_REAL, from, 7, MPI_Comm(comm), typed)
  call MPI_Status_f082f(typed, status)
  if (any(data /= [1.5, 2.5, 3.5])) failures = failures + 1
end subroutine receive_f08
