// SPDX-License-Identifier: BSD-3-Clause
// What every file of api/ includes first: the declarations of mpi.h, made visible outside the
// library.
#pragma once
//
// Each MPI function is defined once, under its profiling name, as strong symbol; the plain name is
// a weak alias of it in the same file, so that a tool may define MPI_X itself and call PMPI_X:
//
//     TESSERA_WEAK_ALIAS(MPI_Buffer_flush)
//     extern "C" int PMPI_Buffer_flush() { ... }
//
// (An attribute, since clang ignores `#pragma weak A = B` for a name that a header has declared.)
//
// A function that does not exist yet has one line in api/unsupported/<group>.cpp; who writes it
// deletes that line and the one in tests/abi/unsupported.txt.
//
#pragma GCC visibility push(default)
#include "mpi.h"
#pragma GCC visibility pop

#define TESSERA_WEAK_ALIAS(name) \
  extern "C" __attribute__((weak, alias("P" #name))) decltype(name) name;
