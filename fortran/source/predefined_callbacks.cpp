// SPDX-License-Identifier: BSD-3-Clause
// The callbacks of MPI itself, as procedures that a program can pass or call.
#include "fortran/source/callbacks.h"

using namespace tessera::fortran;

#define TESSERA_PREDEFINED(kind, Value)                                                        \
  extern "C" void mpi_##kind##null_copy_fn_(Fint*, Fint*, Value*, Value*, Value*, Fint* flag,  \
                                            Fint* ierror) {                                    \
    *flag = logical(0);                                                                        \
    *ierror = MPI_SUCCESS;                                                                     \
  }                                                                                            \
  extern "C" void mpi_##kind##dup_fn_(Fint*, Fint*, Value*, Value* in, Value* out, Fint* flag, \
                                      Fint* ierror) {                                          \
    *out = *in;                                                                                \
    *flag = logical(1);                                                                        \
    *ierror = MPI_SUCCESS;                                                                     \
  }                                                                                            \
  extern "C" void mpi_##kind##null_delete_fn_(Fint*, Fint*, Value*, Value*, Fint* ierror) {    \
    *ierror = MPI_SUCCESS;                                                                     \
  }

TESSERA_PREDEFINED(comm_, MPI_Aint)
TESSERA_PREDEFINED(type_, MPI_Aint)
TESSERA_PREDEFINED(win_, MPI_Aint)
TESSERA_PREDEFINED(, Fint)

extern "C" void mpi_conversion_fn_null_(void*, Fint*, Fint*, void*, MPI_Offset*, MPI_Aint*,
                                        Fint* ierror) {
  *ierror = MPI_ERR_CONVERSION;
}
extern "C" void mpi_conversion_fn_null_c_(void*, Fint*, MPI_Count*, void*, MPI_Offset*, MPI_Aint*,
                                          Fint* ierror) {
  *ierror = MPI_ERR_CONVERSION;
}

namespace tessera::fortran {
namespace {

template <class... Function>
bool is_one_of(Procedure procedure, Function... function) {
  return ((procedure == reinterpret_cast<Procedure>(function)) || ...);
}

}  // namespace

bool is_null_copy(Procedure procedure) {
  return is_one_of(procedure, &mpi_null_copy_fn_, &mpi_comm_null_copy_fn_, &mpi_type_null_copy_fn_,
                   &mpi_win_null_copy_fn_);
}

bool is_null_delete(Procedure procedure) {
  return is_one_of(procedure, &mpi_null_delete_fn_, &mpi_comm_null_delete_fn_,
                   &mpi_type_null_delete_fn_, &mpi_win_null_delete_fn_);
}

bool is_null_conversion(Procedure procedure) {
  return is_one_of(procedure, &mpi_conversion_fn_null_, &mpi_conversion_fn_null_c_);
}

}  // namespace tessera::fortran
