// SPDX-License-Identifier: BSD-3-Clause
// Functions not written yet: topo.
#include "api/unsupported/unsupported.h"

TESSERA_UNSUPPORTED(MPI_Cart_coords, (MPI_Comm, int, int, int*))
TESSERA_UNSUPPORTED(MPI_Cart_create, (MPI_Comm, int, const int*, const int*, int, MPI_Comm*))
TESSERA_UNSUPPORTED(MPI_Cart_get, (MPI_Comm, int, int*, int*, int*))
TESSERA_UNSUPPORTED(MPI_Cart_map, (MPI_Comm, int, const int*, const int*, int*))
TESSERA_UNSUPPORTED(MPI_Cart_rank, (MPI_Comm, const int*, int*))
TESSERA_UNSUPPORTED(MPI_Cart_shift, (MPI_Comm, int, int, int*, int*))
TESSERA_UNSUPPORTED(MPI_Cart_sub, (MPI_Comm, const int*, MPI_Comm*))
TESSERA_UNSUPPORTED(MPI_Cartdim_get, (MPI_Comm, int*))
TESSERA_UNSUPPORTED(MPI_Dims_create, (int, int, int*))
TESSERA_UNSUPPORTED(MPI_Dist_graph_create,
                    (MPI_Comm, int, const int*, const int*, const int*, const int*, MPI_Info, int, MPI_Comm*))
TESSERA_UNSUPPORTED(MPI_Dist_graph_create_adjacent, (MPI_Comm, int, const int*, const int*, int, const int*,
                                                     const int*, MPI_Info, int, MPI_Comm*))
TESSERA_UNSUPPORTED(MPI_Dist_graph_neighbors, (MPI_Comm, int, int*, int*, int, int*, int*))
TESSERA_UNSUPPORTED(MPI_Dist_graph_neighbors_count, (MPI_Comm, int*, int*, int*))
TESSERA_UNSUPPORTED(MPI_Graph_create, (MPI_Comm, int, const int*, const int*, int, MPI_Comm*))
TESSERA_UNSUPPORTED(MPI_Graph_get, (MPI_Comm, int, int, int*, int*))
TESSERA_UNSUPPORTED(MPI_Graph_map, (MPI_Comm, int, const int*, const int*, int*))
TESSERA_UNSUPPORTED(MPI_Graph_neighbors, (MPI_Comm, int, int, int*))
TESSERA_UNSUPPORTED(MPI_Graph_neighbors_count, (MPI_Comm, int, int*))
TESSERA_UNSUPPORTED(MPI_Graphdims_get, (MPI_Comm, int*, int*))
TESSERA_UNSUPPORTED(MPI_Topo_test, (MPI_Comm, int*))
