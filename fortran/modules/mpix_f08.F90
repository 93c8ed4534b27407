! SPDX-License-Identifier: BSD-3-Clause
! Module mpix_f08: the extensions of mpix.h beside module mpi_f08 (docs/extensions.md). Buffers are
! contiguous; a section that is not is copied by the compiler, which does not serve nonblocking
! calls. With mpif.h and module mpi the procedures are called without an interface.
module mpix_f08
  use tessera_mpi_handles
  implicit none
  private
  public :: MPIX_Alltoallx, MPIX_Ialltoallx, MPIX_Alltoallx_init

  interface MPIX_Alltoallx
    subroutine mpix_alltoallx(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm, ierror)
      import
      implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
      real, dimension(*), asynchronous :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
      real, dimension(*), asynchronous :: recvbuf
      integer, intent(in) :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in) :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine mpix_alltoallx
    subroutine mpix_alltoallx_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm, ierror)
      import
      implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
      real, dimension(*), asynchronous :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
      real, dimension(*), asynchronous :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in) :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine mpix_alltoallx_c
  end interface MPIX_Alltoallx

  interface MPIX_Ialltoallx
    subroutine mpix_ialltoallx(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm, request, ierror)
      import
      implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
      real, dimension(*), asynchronous :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
      real, dimension(*), asynchronous :: recvbuf
      integer, intent(in) :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in) :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine mpix_ialltoallx
    subroutine mpix_ialltoallx_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm, request, ierror)
      import
      implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
      real, dimension(*), asynchronous :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
      real, dimension(*), asynchronous :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in) :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine mpix_ialltoallx_c
  end interface MPIX_Ialltoallx

  interface MPIX_Alltoallx_init
    subroutine mpix_alltoallx_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm, info, request, ierror)
      import
      implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
      real, dimension(*), asynchronous :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
      real, dimension(*), asynchronous :: recvbuf
      integer, intent(in) :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in) :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine mpix_alltoallx_init
    subroutine mpix_alltoallx_init_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
        recvtypes, comm, info, request, ierror)
      import
      implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DEC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
      real, dimension(*), asynchronous :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DEC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
      real, dimension(*), asynchronous :: recvbuf
      integer(MPI_COUNT_KIND), intent(in) :: sendcounts(*), recvcounts(*)
      integer(MPI_ADDRESS_KIND), intent(in) :: sdispls(*), rdispls(*)
      type(MPI_Datatype), intent(in) :: sendtypes(*), recvtypes(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine mpix_alltoallx_init_c
  end interface MPIX_Alltoallx_init

end module mpix_f08
