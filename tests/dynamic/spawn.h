/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of program spawn share. */
#pragma once
#include <mpi.h>

extern const char* self; /* the program, which spawns itself */

/* n children with these arguments, all of which start. */
MPI_Comm children_of(MPI_Comm comm, char** words, int n, MPI_Info info);

/* spawn_keys.c: a child and a parent of its cases; others do nothing here. */
void be_child_of_keys(const char* what, MPI_Comm parent);
void keys(const char* what, char** argv);

/* Three children, which this rank's world spawns, and a message to and from each. */
void exchange(void);

/* farm.c */
void farm(int rounds);
