! SPDX-License-Identifier: BSD-3-Clause
! Neighbors of a torus, more than there are processes: each has a type of its own.
program torus
  use mpi_f08
  use check
  implicit none
  type(MPI_Comm) :: cart
  type(MPI_Datatype) :: types(4)
  type(MPI_Request) :: request
  integer(MPI_ADDRESS_KIND), parameter :: places(4) = [0_MPI_ADDRESS_KIND, 4_MPI_ADDRESS_KIND, &
       8_MPI_ADDRESS_KIND, 12_MPI_ADDRESS_KIND]
  integer, parameter :: counts(4) = 1
  integer :: mine(4), wanted(4), got(4), rank, ranks

  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, [ranks, 1], [.true., .true.], .false., cart)
  types = MPI_INTEGER
  mine = [1, 2, 3, 4] + 10 * rank
  call MPI_Neighbor_alltoall(mine, 1, MPI_INTEGER, wanted, 1, MPI_INTEGER, cart)
  got = 0
  call MPI_Neighbor_alltoallw(mine, counts, places, types, got, counts, places, types, cart)
  call expect(all(got == wanted), "MPI_Neighbor_alltoallw")
  got = 0
  call MPI_Ineighbor_alltoallw(mine, counts, places, types, got, counts, places, types, cart, &
       request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call expect(all(got == wanted), "MPI_Ineighbor_alltoallw")
  got = 0
  call MPI_Neighbor_alltoallw_init(mine, counts, places, types, got, counts, places, types, cart, &
       MPI_INFO_NULL, request)
  call MPI_Start(request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Request_free(request)
  call expect(all(got == wanted), "MPI_Neighbor_alltoallw_init")
  call MPI_Comm_free(cart)
  call MPI_Finalize()
  call report()
end program torus
