! SPDX-License-Identifier: BSD-3-Clause
! What a call costs in each way into MPI: the best of several rounds, in nanoseconds per call.
! MPI_Comm_rank has no buffer; MPI_Send to MPI_PROC_NULL has one, and does nothing else.
module fortran_calls_c
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    subroutine c_ranks(calls) bind(C)
      import
      integer(c_int), value :: calls
    end subroutine c_ranks
    subroutine c_sends(calls) bind(C)
      import
      integer(c_int), value :: calls
    end subroutine c_sends
  end interface
end module fortran_calls_c

program fortran_calls
  use mpi_f08
  use fortran_calls_c
  implicit none
  integer, parameter :: calls = 1000000, rounds = 15
  double precision :: best(7), start
  integer :: round, way

  call MPI_Init()
  best = huge(best)
  do round = 1, rounds
    do way = 1, 7
      start = MPI_Wtime()
      select case (way)
      case (1)
        call c_ranks(calls)
      case (2)
        call mpif_ranks(calls)
      case (3)
        call f08_ranks()
      case (4)
        call c_sends(calls)
      case (5)
        call mpif_sends(calls)
      case (6)
        call f08_sends()
      case (7)
        call f08_rows()
      end select
      best(way) = min(best(way), MPI_Wtime() - start)
    end do
  end do
  best = best / calls * 1d9
  print '(a)', "call                         C   mpif.h   mpi_f08"
  print '(a,f9.1,f9.1,f10.1)', "MPI_Comm_rank       ", best(1:3)
  print '(a,f9.1,f9.1,f10.1)', "MPI_Send to nobody  ", best(4:6)
  print '(a,f28.1)', "  of a row of 4     ", best(7)
  call MPI_Finalize()

contains

  subroutine f08_ranks()
    integer :: i, rank
    do i = 1, calls
      call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    end do
  end subroutine f08_ranks

  subroutine f08_sends()
    integer :: i, buffer(4)
    buffer = 0
    do i = 1, calls
      call MPI_Send(buffer, 4, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD)
    end do
  end subroutine f08_sends

  subroutine f08_rows()
    integer :: i, matrix(4, 4)
    matrix = 0
    do i = 1, calls
      call MPI_Send(matrix(2, :), 4, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD)
    end do
  end subroutine f08_rows

end program fortran_calls

subroutine mpif_ranks(calls)
  implicit none
  include 'mpif.h'
  integer :: calls, i, rank, ierror
  do i = 1, calls
    call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  end do
end subroutine mpif_ranks

subroutine mpif_sends(calls)
  implicit none
  include 'mpif.h'
  integer :: calls, i, buffer(4), ierror
  buffer = 0
  do i = 1, calls
    call MPI_SEND(buffer, 4, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, ierror)
  end do
end subroutine mpif_sends
