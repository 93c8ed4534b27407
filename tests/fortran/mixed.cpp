// SPDX-License-Identifier: BSD-3-Clause
// The parts of mixed.c in C++, with the classes of MPI-2: handles come as the INTEGERs of Fortran,
// and go to all three forms.
#define TESSERA_CXX_BINDINGS
#include <mpi.h>

extern "C" {
void share_mpif_(int* comm, int* key, int* type, int* op, int* failures);
void share_mpi_(int* comm, int* key, int* type, int* op, int* failures);
void share_f08_(int* comm, int* key, int* type, int* op, int* failures);
void share_cxx(int* comm, int* key, int* type, int* op, int* failures);
int from_cxx_to_fortran(void);
}

namespace {

void maximum(const void* in, void* inout, int length, const MPI::Datatype& /*type*/) {
  for (int i = 0; i < length; ++i) {
    const int left = static_cast<const int*>(in)[i];
    int& right = static_cast<int*>(inout)[i];
    if (left > right) right = left;
  }
}

}  // namespace

// The same as share_f08 does: the largest rank by the operation, the size of the type, an
// attribute.
void share_cxx(int* comm, int* key, int* type, int* op, int* failures) {
  const MPI::Intracomm shared(MPI_Comm_fromint(*comm));
  const int mine = shared.Get_rank();
  int most = -1;
  // The operation of mixed.c wants to see the datatype of Fortran.
  shared.Allreduce(&mine, &most, 1, MPI::INTEGER, MPI::Op(MPI_Op_fromint(*op)));
  void* value = nullptr;
  if (most != shared.Get_size() - 1) ++*failures;
  if (MPI::Datatype(MPI_Type_fromint(*type)).Get_size() != 8) ++*failures;
  if (!shared.Get_attr(*key, &value) || value == nullptr) ++*failures;
}

// Handles made by classes, for the three forms; returns how many of these found something wrong.
int from_cxx_to_fortran(void) {
  int failures = 0;
  static int value = 99;
  int key = MPI::Comm::Create_keyval(MPI::Comm::NULL_COPY_FN, MPI::Comm::NULL_DELETE_FN, nullptr);
  MPI::Intracomm comm = MPI::COMM_WORLD.Dup();
  MPI::Datatype type = MPI::INT.Create_contiguous(2);
  type.Commit();
  MPI::Op op;
  op.Init(maximum, true);
  for (auto* share : {share_mpif_, share_mpi_, share_f08_}) {
    comm.Set_attr(key, &value);
    int numbers[] = {MPI_Comm_toint(comm), MPI_Type_toint(type), MPI_Op_toint(op)};
    share(&numbers[0], &key, &numbers[1], &numbers[2], &failures);
  }
  MPI::Comm::Free_keyval(key);
  op.Free();
  type.Free();
  comm.Free();
  return failures;
}
