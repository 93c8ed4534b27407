// SPDX-License-Identifier: BSD-3-Clause
// Handles of C++, C and Fortran in one program: mixed_c.c and mixed_fortran.f90 are the others.
#include <mpicxx.h>

#include "check.h"

extern "C" {
int sum_in_c(MPI_Comm comm, MPI_Op op, MPI_Datatype type, int mine);
int sum_in_fortran(int comm, int op, int type, int mine);
int type_of_fortran();
}

namespace {

void doubled_sum(const void* in, void* inout, int len, const MPI::Datatype&) {
  for (int i = 0; i < len; ++i) static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i] + 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI::Init(argc, argv);
  MPI::Intracomm comm = MPI::COMM_WORLD.Dup();
  MPI::Op op;
  op.Init(doubled_sum, true);
  const int n = comm.Get_size(), me = comm.Get_rank();
  const int expected = n * (n - 1) / 2 + n - 1;
  CHECK(sum_in_c(comm, op, MPI::INT, me) == expected);
  CHECK(sum_in_fortran(MPI_Comm_toint(comm), MPI_Op_toint(op), MPI_Type_toint(MPI::INT), me) ==
        expected);
  MPI::Datatype three = MPI_Type_fromint(type_of_fortran());
  CHECK(three.Get_size() == 12);
  int out[3] = {1, 2, me}, in[3] = {};
  comm.Sendrecv(out, 1, three, me, 0, in, 3, MPI::INTEGER, me, 0);
  CHECK(in[2] == me);
  three.Free(), op.Free(), comm.Free();
  return finish();
}
