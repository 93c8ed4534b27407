// SPDX-License-Identifier: BSD-3-Clause
// Functions not written yet: neighborhood collectives.
#include "api/unsupported/unsupported.h"

TESSERA_UNSUPPORTED(MPI_Ineighbor_allgather,
                    (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Ineighbor_allgather_c, (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count,
                                                MPI_Datatype, MPI_Comm, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Ineighbor_allgatherv, (const void*, int, MPI_Datatype, void*, const int*, const int*,
                                               MPI_Datatype, MPI_Comm, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Ineighbor_allgatherv_c,
                    (const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count*, const MPI_Aint*,
                     MPI_Datatype, MPI_Comm, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Ineighbor_alltoall,
                    (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Ineighbor_alltoall_c, (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count,
                                               MPI_Datatype, MPI_Comm, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Ineighbor_alltoallv, (const void*, const int*, const int*, MPI_Datatype, void*,
                                              const int*, const int*, MPI_Datatype, MPI_Comm, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Ineighbor_alltoallv_c,
                    (const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*, const MPI_Count*,
                     const MPI_Aint*, MPI_Datatype, MPI_Comm, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Ineighbor_alltoallw,
                    (const void*, const int*, const MPI_Aint*, const MPI_Datatype*, void*, const int*,
                     const MPI_Aint*, const MPI_Datatype*, MPI_Comm, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Ineighbor_alltoallw_c,
                    (const void*, const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, void*,
                     const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, MPI_Comm, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Neighbor_allgather,
                    (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm))
TESSERA_UNSUPPORTED(MPI_Neighbor_allgather_c,
                    (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm))
TESSERA_UNSUPPORTED(MPI_Neighbor_allgather_init, (const void*, int, MPI_Datatype, void*, int, MPI_Datatype,
                                                  MPI_Comm, MPI_Info, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Neighbor_allgather_init_c, (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count,
                                                    MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Neighbor_allgatherv,
                    (const void*, int, MPI_Datatype, void*, const int*, const int*, MPI_Datatype, MPI_Comm))
TESSERA_UNSUPPORTED(MPI_Neighbor_allgatherv_c, (const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count*,
                                                const MPI_Aint*, MPI_Datatype, MPI_Comm))
TESSERA_UNSUPPORTED(MPI_Neighbor_allgatherv_init,
                    (const void*, int, MPI_Datatype, void*, const int*, const int*, MPI_Datatype, MPI_Comm,
                     MPI_Info, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Neighbor_allgatherv_init_c,
                    (const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count*, const MPI_Aint*,
                     MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Neighbor_alltoall,
                    (const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm))
TESSERA_UNSUPPORTED(MPI_Neighbor_alltoall_c,
                    (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm))
TESSERA_UNSUPPORTED(MPI_Neighbor_alltoall_init, (const void*, int, MPI_Datatype, void*, int, MPI_Datatype,
                                                 MPI_Comm, MPI_Info, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Neighbor_alltoall_init_c, (const void*, MPI_Count, MPI_Datatype, void*, MPI_Count,
                                                   MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Neighbor_alltoallv, (const void*, const int*, const int*, MPI_Datatype, void*,
                                             const int*, const int*, MPI_Datatype, MPI_Comm))
TESSERA_UNSUPPORTED(MPI_Neighbor_alltoallv_c,
                    (const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*, const MPI_Count*,
                     const MPI_Aint*, MPI_Datatype, MPI_Comm))
TESSERA_UNSUPPORTED(MPI_Neighbor_alltoallv_init,
                    (const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*,
                     MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Neighbor_alltoallv_init_c,
                    (const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*, const MPI_Count*,
                     const MPI_Aint*, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Neighbor_alltoallw,
                    (const void*, const int*, const MPI_Aint*, const MPI_Datatype*, void*, const int*,
                     const MPI_Aint*, const MPI_Datatype*, MPI_Comm))
TESSERA_UNSUPPORTED(MPI_Neighbor_alltoallw_c,
                    (const void*, const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, void*,
                     const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, MPI_Comm))
TESSERA_UNSUPPORTED(MPI_Neighbor_alltoallw_init,
                    (const void*, const int*, const MPI_Aint*, const MPI_Datatype*, void*, const int*,
                     const MPI_Aint*, const MPI_Datatype*, MPI_Comm, MPI_Info, MPI_Request*))
TESSERA_UNSUPPORTED(MPI_Neighbor_alltoallw_init_c,
                    (const void*, const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, void*,
                     const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, MPI_Comm, MPI_Info,
                     MPI_Request*))
