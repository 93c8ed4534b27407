/* SPDX-License-Identifier: BSD-3-Clause */
/* mpix.h: extensions of Tessera, which no standard has (docs/extensions.md). A program that uses
 * them runs with Tessera only; one that does not include this header is not concerned.
 *
 * The forms are those of the standard's collective operations: blocking, nonblocking (I…),
 * persistent (…_init), each with counts of int or of MPI_Count (…_c). Errors go to the
 * communicator's handler. Each function has a profiling name, PMPIX_… */
/* Outside the guard: with -DTESSERA_CXX_BINDINGS mpi.h itself includes this header. */
#include "mpi.h"

#ifndef TESSERA_MPIX_H
#define TESSERA_MPIX_H

#if defined(__cplusplus)
extern "C" {
#endif

/* As MPI_Alltoallw, with displacements in bytes that are addresses: with MPI_BOTTOM as buffer they
   may be absolute. The counts stay integers; MPIX_Alltoallx_c is MPI_Alltoallw_c under this name.
 */
int MPIX_Alltoallx(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                   const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                   const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm);
int MPIX_Alltoallx_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                     const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm);
int MPIX_Ialltoallx(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                    const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                    MPI_Request* request);
int MPIX_Ialltoallx_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                      const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                      MPI_Request* request);
int MPIX_Alltoallx_init(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                        const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                        const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                        MPI_Info info, MPI_Request* request);
int MPIX_Alltoallx_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                          const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                          const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                          const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                          MPI_Request* request);

/* For bindings of languages whose arrays need not be contiguous. `*request`, of an operation on a
   contiguous copy of such an array, is replaced by a request with the same outcome. stage_fn(state)
   runs before each start of a persistent request and fills the copy; unstage_fn(state) runs when
   the operation has ended, before any call of any language says so; release_fn(state) runs once,
   when MPI needs the copy no more, also after MPI_Request_free of an active request. The functions
   may run on any thread and call nothing of MPI. On an error none is called. */
typedef void MPIX_Stage_function(void* state);
int MPIX_Request_stage(MPI_Request* request, MPIX_Stage_function* stage_fn,
                       MPIX_Stage_function* unstage_fn, MPIX_Stage_function* release_fn,
                       void* state);

/* Their profiling names. */
int PMPIX_Request_stage(MPI_Request* request, MPIX_Stage_function* stage_fn,
                        MPIX_Stage_function* unstage_fn, MPIX_Stage_function* release_fn,
                        void* state);
int PMPIX_Alltoallx(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                    const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm);
int PMPIX_Alltoallx_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                      const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm);
int PMPIX_Ialltoallx(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                     const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                     MPI_Request* request);
int PMPIX_Ialltoallx_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                       const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                       const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                       MPI_Request* request);
int PMPIX_Alltoallx_init(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                         const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                         const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                         MPI_Info info, MPI_Request* request);
int PMPIX_Alltoallx_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                           const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                           const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                           const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                           MPI_Request* request);

#if defined(__cplusplus)
}
#endif

#endif
