// SPDX-License-Identifier: BSD-3-Clause
// A datatype made again from its envelope and contents (MPI-5.0 §5.1.13).
#pragma once

#include <mpi.h>

// A predefined type is returned as it is; anything else is a new type, all parts of which were made
// again too. MPI_DATATYPE_NULL if MPI says something of no sense.
MPI_Datatype rebuild(MPI_Datatype type);

// Whether MPI_Type_free would refuse it.
bool predefined(MPI_Datatype type);
