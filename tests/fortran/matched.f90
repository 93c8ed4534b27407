! SPDX-License-Identifier: BSD-3-Clause
! Matched probes and receives through mpi_f08 and, by its INTEGER, module mpi's procedures.
! req fortran 5.72, 3.43
program matched
  use mpi_f08
  use check
  implicit none
  integer :: rank, i, count
  integer, asynchronous :: from(8), to(8)
  type(MPI_Message) :: message
  type(MPI_Request) :: request, sent
  type(MPI_Status) :: status
  logical :: found

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  from = [(10 * rank + i, i=1, 8)]
  to = 0
  call MPI_Isend(from, 4, MPI_INTEGER, rank, 5, MPI_COMM_WORLD, sent)
  call MPI_Mprobe(rank, 5, MPI_COMM_WORLD, message, status)
  call MPI_Get_count(status, MPI_INTEGER, count)
  call expect(count == 4 .and. message /= MPI_MESSAGE_NULL, "what MPI_Mprobe tells")
  call MPI_Mrecv(to(2:8:2), count, MPI_INTEGER, message, status)
  call MPI_Wait(sent, MPI_STATUS_IGNORE)
  call expect(message == MPI_MESSAGE_NULL, "the message is gone after MPI_Mrecv")
  call expect(all(to == [0, from(1), 0, from(2), 0, from(3), 0, from(4)]), "MPI_Mrecv")

  call MPI_Isend(from, 8, MPI_INTEGER, rank, 6, MPI_COMM_WORLD, sent)
  found = .false.
  do while (.not. found)
    call MPI_Improbe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, found, message, status)
  end do
  call MPI_Imrecv(to, 8_MPI_COUNT_KIND, MPI_INTEGER, message, request)
  call expect(message == MPI_MESSAGE_NULL, "the message is gone after MPI_Imrecv")
  call MPI_Wait(request, status)
  call MPI_Wait(sent, MPI_STATUS_IGNORE)
  call MPI_F_sync_reg(to)
  call expect(all(to == from), "MPI_Imrecv")

  call MPI_Mprobe(MPI_PROC_NULL, 5, MPI_COMM_WORLD, message, status)
  call expect(message == MPI_MESSAGE_NO_PROC, "the message of nobody")
  call MPI_Mrecv(to, 0, MPI_INTEGER, message, status)
  call expect(message == MPI_MESSAGE_NULL .and. status%MPI_SOURCE == MPI_PROC_NULL, &
      "the message of nobody is received")
  call older(rank)
  call MPI_Finalize()
  call report()
end program matched

subroutine older(rank)
  use mpi
  use check
  implicit none
  integer, intent(in) :: rank
  integer :: message, request, ierror, status(MPI_STATUS_SIZE), in
  call MPI_ISEND(rank, 1, MPI_INTEGER, rank, 7, MPI_COMM_WORLD, request, ierror)
  call MPI_MPROBE(rank, 7, MPI_COMM_WORLD, message, status, ierror)
  in = -1
  call MPI_MRECV(in, 1, MPI_INTEGER, message, status, ierror)
  call MPI_WAIT(request, status, ierror)
  call expect(in == rank .and. message == MPI_MESSAGE_NULL, "MPI_MRECV (module mpi)")
end subroutine older
