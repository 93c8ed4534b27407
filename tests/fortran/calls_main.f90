! SPDX-License-Identifier: BSD-3-Clause
! Links the generated calls of every procedure in each form. req fortran 1.10, 1.14, 5.61, 10.115
program calls_main
  use calls_mpif, only: call_mpif => call_Send
  use calls_mpi, only: call_mpi => call_Send
  use calls_f08, only: call_f08 => call_Send
  implicit none
  print '(a)', "every procedure has its symbols"
end program calls_main
