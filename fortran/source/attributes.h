// SPDX-License-Identifier: BSD-3-Clause
// Attribute values between languages (MPI 5.0, section 19.3.7).
#pragma once
//
// C keeps a pointer per attribute, Fortran an integer. A value set from Fortran is kept in a cell
// of ours whose address is the attribute: C reads a pointer to the integer, Fortran the integer. A
// value set from C is a pointer that is no cell: Fortran reads it as an address. A cell lives until
// the delete function of a keyval made in Fortran runs; cells under keyvals of C are never freed.
//
#include <mpi.h>

namespace tessera::fortran {

void* new_cell(MPI_Aint value);
bool is_cell(const void* attribute);
void free_cell(void* attribute);  // nothing, where it is no cell

// What Fortran reads for an attribute of a keyval that is not predefined.
MPI_Aint value_of(void* attribute);
// The same for any keyval: predefined ones point to an integer, except the base of a window.
MPI_Aint value_of(int keyval, void* attribute);

}  // namespace tessera::fortran
