! SPDX-License-Identifier: BSD-3-Clause
! A profiler of C functions, and one written in Fortran, see the calls of Fortran once each.
! ex 8.4.3 req 8.2.5 req fortran 5.73, 10.115, 10.116
subroutine MPI_Bcast_f08ts(buffer, count, datatype, root, comm, ierror)
  use mpi_f08, only: MPI_Datatype, MPI_Comm, PMPI_Bcast
  implicit none
  type(*), dimension(..) :: buffer
  integer, intent(in) :: count, root
  type(MPI_Datatype), intent(in) :: datatype
  type(MPI_Comm), intent(in) :: comm
  integer, optional, intent(out) :: ierror
  integer :: broadcasts, barriers
  common /fortran_tool/ broadcasts, barriers
  broadcasts = broadcasts + 1
  call PMPI_Bcast(buffer, count, datatype, root, comm, ierror)
end subroutine MPI_Bcast_f08ts

subroutine MPI_BARRIER(comm, ierror)
  implicit none
  integer :: comm, ierror, broadcasts, barriers
  common /fortran_tool/ broadcasts, barriers
  barriers = barriers + 1
  call PMPI_BARRIER(comm, ierror)
end subroutine MPI_BARRIER

program profiled
  use mpi_f08
  use check
  implicit none
  integer :: broadcasts, barriers, sends
  common /fortran_tool/ broadcasts, barriers
  call MPI_Init()
  call MPI_Send(1, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD)
  call PMPI_Send(1, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD)
  call by_mpif()
  call tool_count(sends)
  call expect_value(sends, 2, "sends that the profiler of C functions saw")
  sends = 4
  call MPI_Bcast(sends, 1, MPI_INTEGER, 0, MPI_COMM_SELF)
  call expect_value(broadcasts, 1, "broadcasts that the Fortran tool saw")
  call MPI_Finalize()
  call report()

contains

  subroutine by_mpif()
    call without_interfaces()
    call expect_value(barriers, 1, "barriers that the Fortran tool saw")
  end subroutine by_mpif

end program profiled

subroutine without_interfaces()
  implicit none
  include 'mpif.h'
  integer :: ierror
  call MPI_SEND(2, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, ierror)
  call MPI_BARRIER(MPI_COMM_SELF, ierror)
end subroutine without_interfaces
