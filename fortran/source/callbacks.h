// SPDX-License-Identifier: BSD-3-Clause
// Procedures of Fortran that MPI calls (MPI 5.0, sections 6.9.5, 7.7, 9.3, 13.2, 14.5.3).
#pragma once
//
// Functions of C that call a procedure of Fortran. Where MPI hands back a pointer of the program
// (attributes, generalized requests, data representations) it leads to the procedures. Reduction
// operations and error handlers have none, so each Fortran procedure gets a C function of its own
// from a fixed pool; one procedure takes one place however often it is registered.
//
#include <mpi.h>

#include "fortran/source/convert.h"

namespace tessera::fortran {

using Procedure = void (*)();

// The C function for a Fortran procedure; null when the pool is used up.
MPI_User_function* operation(Procedure procedure);
MPI_User_function_c* large_operation(Procedure procedure);
MPI_Comm_errhandler_function* comm_handler(Procedure procedure);
MPI_File_errhandler_function* file_handler(Procedure procedure);
MPI_Session_errhandler_function* session_handler(Procedure procedure);
MPI_Win_errhandler_function* win_handler(Procedure procedure);

// The procedures of a keyval.
struct Keyval {
  Procedure copy, destroy;
  MPI_Aint extra;
  bool narrow;  // an MPI-1 keyval: its procedures take INTEGER values
};
template <class Handle>
struct Attribute {
  static int copy(Handle object, int keyval, void* extra, void* in, void* out, int* flag);
  static int destroy(Handle object, int keyval, void* attribute, void* extra);
};

// Whether a procedure is MPI_…_NULL_COPY_FN, MPI_…_NULL_DELETE_FN or MPI_CONVERSION_FN_NULL.
bool is_null_copy(Procedure procedure);
bool is_null_delete(Procedure procedure);
bool is_null_conversion(Procedure procedure);

struct GeneralizedRequest {
  Procedure query, free, cancel;
  MPI_Aint extra;
  static int call_query(void* self, MPI_Status* status);
  static int call_free(void* self);
  static int call_cancel(void* self, int complete);
};

struct DataRepresentation {
  Procedure read, write, extent;
  MPI_Aint extra;
  template <class Count, bool Reading>
  static int convert(void* userbuf, MPI_Datatype datatype, Count count, void* filebuf,
                     MPI_Offset position, void* self);
  static int call_extent(MPI_Datatype datatype, MPI_Aint* extent, void* self);
};

// A copy for MPI, which lives as long as the program: attributes outlive keyvals, and nothing
// removes a data representation. Equal ones have one copy, so that a program that makes the same
// keyval again and again does not grow.
Keyval* kept(const Keyval& procedures);
DataRepresentation* kept(const DataRepresentation& procedures);

}  // namespace tessera::fortran
