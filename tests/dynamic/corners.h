/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of program corners share. */
#pragma once
#include <mpi.h>

extern const char* self; /* the program, which spawns itself */

/* n children that do `what`, with one more argument or NULL. */
MPI_Comm children(MPI_Comm comm, const char* what, const char* more, int n);

/* corners_threads.c: a parent of its cases; others do nothing here. */
void threads(const char* what);
