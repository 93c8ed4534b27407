// SPDX-License-Identifier: BSD-3-Clause
// mpi.h compiles alone, as C++11, beside the C++ headers whose names come closest to its own.
#include <mpi.h>

#include <cassert>
#include <complex>
#include <csignal>

static_assert(__cplusplus == 201103L, "this file is compiled as C++11");  // req 1.2.25
