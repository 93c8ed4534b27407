// SPDX-License-Identifier: BSD-3-Clause
// mpicxx.h: the C++ interface of MPI-2.2, which MPI 3.0 removed, with the corrections of MPI-2's
// errata. All inline, over the functions of C: no library belongs to it, and C's profiling
// interface sees every call.
//
// A program includes this header, or is compiled with -DTESSERA_CXX_BINDINGS, with which mpi.h
// includes it. Otherwise nobody sees it. C++11 or later.
//
// Errors. Functions return results, not codes. What happens at an error is up to the error handler
// of the object: under ERRORS_THROW_EXCEPTIONS the C++ function throws an MPI::Exception as soon as
// the C function has returned. No exception passes through the library: an exception that a
// callback of the program throws (an operation, an error handler, a copy function) is kept, and
// thrown again by the C++ function during which this thread called it.
//
// Callbacks. Functions of operations and error handlers have no argument of their own in C, so each
// takes one of a number of places, for good: 64 different functions for operations, 32 for error
// handlers of each class. What a key or a data representation needs is kept until the program ends.
#ifndef MPICXX_H
#define MPICXX_H

#include "mpi.h"
#include "mpicxx/communicators.h"
#include "mpicxx/constants.h"
#include "mpicxx/datatypes.h"
#include "mpicxx/files.h"
#include "mpicxx/functions.h"
#include "mpicxx/objects.h"
#include "mpicxx/predefined.h"
#include "mpicxx/requests.h"
#include "mpicxx/topologies.h"
#include "mpicxx/windows.h"

// From here on SEEK_SET is a name like others, so that MPI::SEEK_SET is one. Headers that define
// the macro when it is missing find it.
#define SEEK_SET SEEK_SET
#define SEEK_CUR SEEK_CUR
#define SEEK_END SEEK_END

#endif
