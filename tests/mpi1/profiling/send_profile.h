/* SPDX-License-Identifier: BSD-3-Clause
   What the profiling library of one function has measured. */
#pragma once

extern long long profiled_bytes; /* by MPI_Send */
extern double profiled_seconds;
