! SPDX-License-Identifier: BSD-3-Clause
! The part of mixed.c in fixed form with mpif.h.
      subroutine share_mpif(comm, key, type, op, failures)
      implicit none
      include 'mpif.h'
      integer comm, key, type, op, failures
      integer ierr, size, mine, most, n
      integer(MPI_ADDRESS_KIND) value
      logical flag
      call MPI_COMM_SIZE(comm, size, ierr)
      call MPI_COMM_RANK(comm, mine, ierr)
      call MPI_ALLREDUCE(mine, most, 1, MPI_INTEGER, op, comm, ierr)
      call MPI_TYPE_SIZE(type, n, ierr)
      call MPI_COMM_GET_ATTR(comm, key, value, flag, ierr)
      if (most .ne. size - 1 .or. n .ne. 8 .or. .not. flag .or.         &
     &  value .eq. 99) failures = failures + 1
      end
