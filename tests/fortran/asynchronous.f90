! SPDX-License-Identifier: BSD-3-Clause
! Local buffers at -O3: ASYNCHRONOUS, or MPI_F_sync_reg, keeps them out of registers while MPI
! works.
! req fortran 8.104, 8.105, 8.106
program asynchronous_buffers
  use mpi_f08
  use check
  implicit none
  integer :: rank

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call by_attribute()
  call by_call()
  call in_a_loop()
  call MPI_Finalize()
  call report()

contains

  subroutine by_attribute()
    integer, asynchronous :: value
    type(MPI_Request) :: request
    value = -1
    call MPI_Irecv(value, 1, MPI_INTEGER, rank, 0, MPI_COMM_WORLD, request)
    call MPI_Send(5, 1, MPI_INTEGER, rank, 0, MPI_COMM_WORLD)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect_value(value, 5, "an asynchronous buffer after the wait")
  end subroutine by_attribute

  subroutine by_call()
    integer :: value
    type(MPI_Request) :: request
    value = -1
    call MPI_Irecv(value, 1, MPI_INTEGER, rank, 0, MPI_COMM_WORLD, request)
    call MPI_Send(6, 1, MPI_INTEGER, rank, 0, MPI_COMM_WORLD)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_F_sync_reg(value)
    call expect_value(value, 6, "a buffer after MPI_F_sync_reg")
  end subroutine by_call

  subroutine in_a_loop()
    integer, asynchronous :: in(4), out(4)
    type(MPI_Request) :: requests(2)
    integer :: round, total
    total = 0
    do round = 1, 100
      out = round
      call MPI_Irecv(in, 4, MPI_INTEGER, rank, 0, MPI_COMM_WORLD, requests(1))
      call MPI_Isend(out, 4, MPI_INTEGER, rank, 0, MPI_COMM_WORLD, requests(2))
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      total = total + in(4)
    end do
    call expect_value(total, 5050, "buffers that change each round")
  end subroutine in_a_loop

end program asynchronous_buffers
