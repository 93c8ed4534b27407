// SPDX-License-Identifier: BSD-3-Clause
// MPIX_Alltoallx in Fortran (docs/extensions.md). Handles are integers, so that one procedure
// serves mpif.h, module mpi and, by the interfaces of module mpix_f08, mpi_f08.
#include "fortran/source/convert.h"
#include "mpix.h"

using namespace tessera::fortran;

namespace {

// The types of a call, as C has them.
struct Types {
  Types(const void* sendbuf, const Fint* sendtypes, const Fint* recvtypes, const Fint* comm)
      : send(sendtypes, blocks_unless_in_place(sendbuf, *comm)),
        receive(recvtypes, blocks(*comm)) {}
  Handles<MPI_Datatype> send;
  Handles<MPI_Datatype> receive;
};

// The request of a call that made one.
void finish_with(Out<MPI_Request>& request, Fint* ierror, int code) {
  if (code == MPI_SUCCESS) request.store();
  finish(ierror, code);
}

}  // namespace

// clang-format off
#define TESSERA_ALLTOALLX(suffix, Count, ending)                                                     \
  extern "C" void mpix_alltoallx_##suffix(                                                           \
      const void* sendbuf, const Count* sendcounts, const MPI_Aint* sdispls, const Fint* sendtypes,  \
      void* recvbuf, const Count* recvcounts, const MPI_Aint* rdispls, const Fint* recvtypes,        \
      const Fint* comm, Fint* ierror) {                                                              \
    Types types(sendbuf, sendtypes, recvtypes, comm);                                                \
    finish(ierror, MPIX_Alltoallx##ending(choice(sendbuf), sendcounts, sdispls, types.send.data(),   \
                                          choice(recvbuf), recvcounts, rdispls, types.receive.data(), \
                                          handle<MPI_Comm>(comm)));                                  \
  }                                                                                                  \
  extern "C" void mpix_ialltoallx_##suffix(                                                          \
      const void* sendbuf, const Count* sendcounts, const MPI_Aint* sdispls, const Fint* sendtypes,  \
      void* recvbuf, const Count* recvcounts, const MPI_Aint* rdispls, const Fint* recvtypes,        \
      const Fint* comm, Fint* request, Fint* ierror) {                                               \
    Types types(sendbuf, sendtypes, recvtypes, comm);                                                \
    Out<MPI_Request> made(request);                                                                  \
    finish_with(made, ierror,                                                                        \
                MPIX_Ialltoallx##ending(choice(sendbuf), sendcounts, sdispls, types.send.data(),     \
                                        choice(recvbuf), recvcounts, rdispls, types.receive.data(),  \
                                        handle<MPI_Comm>(comm), made));                              \
  }                                                                                                  \
  extern "C" void mpix_alltoallx_init_##suffix(                                                      \
      const void* sendbuf, const Count* sendcounts, const MPI_Aint* sdispls, const Fint* sendtypes,  \
      void* recvbuf, const Count* recvcounts, const MPI_Aint* rdispls, const Fint* recvtypes,        \
      const Fint* comm, const Fint* info, Fint* request, Fint* ierror) {                             \
    Types types(sendbuf, sendtypes, recvtypes, comm);                                                \
    Out<MPI_Request> made(request);                                                                  \
    finish_with(made, ierror,                                                                        \
                MPIX_Alltoallx_init##ending(choice(sendbuf), sendcounts, sdispls, types.send.data(), \
                                            choice(recvbuf), recvcounts, rdispls,                    \
                                            types.receive.data(), handle<MPI_Comm>(comm),            \
                                            handle<MPI_Info>(info), made));                          \
  }

TESSERA_ALLTOALLX(, Fint, )
TESSERA_ALLTOALLX(c_, MPI_Count, _c)
// clang-format on
