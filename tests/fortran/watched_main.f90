! SPDX-License-Identifier: BSD-3-Clause
! Every procedure whose C side is generated, in each form: the function of C that stands before
! MPI's sees the arguments, and its results come back. MPI itself is started and ended under PMPI
! names. req fortran 1.10, 2.21, 5.61, 5.62, 5.63, 5.65, 5.66, 5.68, 5.72, 10.115, 10.117
program watched_main
  use mpi_f08, only: PMPI_Init, PMPI_Finalize
  use check
  use watch, only: watched
  use watched_mpif, only: watch_mpif
  use watched_mpi, only: watch_mpi
  use watched_f08, only: watch_f08
  implicit none
  call PMPI_Init()
  call watch_mpif()
  call watch_mpi()
  call watch_f08()
  call PMPI_Finalize()
  ! A generator that loses procedures would pass otherwise.
  call expect(watched > 1100, "the number of procedures and specifics that were called")
  print '(i0,a)', watched, " procedures and specifics were called"
  call report()
end program watched_main
